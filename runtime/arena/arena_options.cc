// arena_options.cc - what the user of the program says, and the call for huge pages.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// By itself, so that a program that needs nothing else has no other part of the library, and
// malloc and free of its own C library.

#include "runtime/arena/arena.h"
#include "runtime/arena/surroundings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

namespace mprt_arena {

user_options
read_options ()
{
  user_options options = {};
  const char *at = user_says ("MPRT_ARENA");
  while (at && *at)
    {
      size_t length = strcspn (at, ":");
      if (length == 3 && memcmp (at, "off", 3) == 0)
	options.off = true;
      if (length == 6 && memcmp (at, "report", 6) == 0)
	options.report = true;
      if (length > 6 && memcmp (at, "limit=", 6) == 0)
	options.limit = strtoull (at + 6, nullptr, 10);
      at += length + (at[length] == ':');
    }
  return options;
}

size_t
page_bytes ()
{
  return getauxval (AT_PAGESZ);
}

size_t
advise_pages (void *p, size_t bytes)
{
  const uintptr_t page = page_bytes ();
  uintptr_t begin = reinterpret_cast<uintptr_t> (p) & -page;
  uintptr_t end = (reinterpret_cast<uintptr_t> (p) + bytes + page - 1) & -page;
  int before = errno;
  const bool huge = madvise (reinterpret_cast<void *> (begin), end - begin, MADV_HUGEPAGE) == 0;
  errno = before;
  return huge ? end - begin : 0;
}

} // namespace mprt_arena
