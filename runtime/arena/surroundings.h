// surroundings.h - what the user of the program says in its environment.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
#ifndef MPRT_SURROUNDINGS_H
#define MPRT_SURROUNDINGS_H

#include <stdlib.h>
#include <sys/auxv.h>

namespace mprt_arena {

// The variable NAME of the environment, but not of a program that runs with more rights than its caller.
static inline const char *
user_says (const char *name)
{
  return getauxval (AT_SECURE) ? nullptr : getenv (name);
}

} // namespace mprt_arena

#endif
