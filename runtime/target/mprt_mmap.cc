// mprt_mmap.cc - large mappings are objects too.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Only mappings that the program itself makes: libc's own (a large malloc) do
// not pass here.  A mapping below the threshold is a detail of some allocator.
// An object dies when its first page is unmapped.

#include "mprt_hooks.h"

#include <sys/mman.h>
#include <stdarg.h>

namespace mprt {

constexpr uint64_t k_least_bytes = 1u << 20;
// Address space that is reserved and never used as it is: not an object.
constexpr uint64_t k_most_reserved_bytes = 16ull << 30;

static void
mapped (void *p, uint64_t bytes, int protection, void *caller)
{
  if (p == MAP_FAILED || bytes < k_least_bytes || bytes < process.object_bytes
      || !recording ()
      || (protection == PROT_NONE && bytes > k_most_reserved_bytes))
    return;
  emit_ticketed (MPRT_BIRTH, reinterpret_cast<uint64_t> (p), bytes,
		 __mprt_alloc_site, reinterpret_cast<uint64_t> (caller),
		 MPRT_MMAP);
}

static void
unmapped (void *p)
{
  if (recording ())
    emit_ticketed (MPRT_DEATH, reinterpret_cast<uint64_t> (p));
}

MPRT_HOOK (void *, mmap,
	   (void *where, size_t bytes, int protection, int flags, int fd,
	    off_t offset))
{
  void *p = REAL (mmap) (where, bytes, protection, flags, fd, offset);
  mapped (p, bytes, protection, __builtin_return_address (0));
  return p;
}

MPRT_HOOK (void *, mmap64,
	   (void *where, size_t bytes, int protection, int flags, int fd,
	    off_t offset))
{
  void *p = REAL (mmap64) (where, bytes, protection, flags, fd, offset);
  mapped (p, bytes, protection, __builtin_return_address (0));
  return p;
}

MPRT_HOOK (int, munmap, (void *p, size_t bytes))
{
  unmapped (p);
  return REAL (munmap) (p, bytes);
}

// mremap is variadic: the new address is passed with MREMAP_FIXED only.
MPRT_HOOK (void *, mremap,
	   (void *old, size_t old_bytes, size_t bytes, int flags, void *where))
{
  if (bytes < k_least_bytes && old_bytes < k_least_bytes)
    return REAL (mremap) (old, old_bytes, bytes, flags, where);
  uint64_t old_address = reinterpret_cast<uint64_t> (old);
  if (recording ())
    emit_ticketed (MPRT_REALLOC_REQUEST, old_address);
  void *p = REAL (mremap) (old, old_bytes, bytes, flags, where);
  if (recording ())
    emit_ticketed (MPRT_REALLOC_RESULT, old_address,
		   p == MAP_FAILED ? 0 : reinterpret_cast<uint64_t> (p), bytes,
		   __mprt_alloc_site,
		   reinterpret_cast<uint64_t> (__builtin_return_address (0)),
		   MPRT_MMAP);
  return p;
}

} // namespace mprt
