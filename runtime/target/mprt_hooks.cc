// mprt_hooks.cc - finds the functions behind the interposed ones.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// dlsym may itself allocate; mprt_alloc.cc serves a thread that is in here from
// a static pool.

#include "mprt_hooks.h"

#ifndef MPRT_STATIC

#include <dlfcn.h>

namespace mprt {

void *real_functions[k_hooks];

static const char *const k_names[] = {
#define MPRT_WRAP(name) #name,
#include "wrap.def"
};

void *
find_real (unsigned hook)
{
  int saved_errno = errno;
  self.resolving++;
  void *function = dlsym (RTLD_NEXT, k_names[hook]);
  self.resolving--;
  errno = saved_errno;
  store (&real_functions[hook], function);
  return function;
}

} // namespace mprt

#endif
