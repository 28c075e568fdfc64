// mprt_mmap.cc - mappings are objects too.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Only mappings that the program itself makes: libc's own (a large malloc) do not pass here, and
// those of an allocator that comes after the runtime (LD_PRELOAD=libmemprof_rt.so:libmimalloc.so) are
// left out, because what it hands out are the objects.  A range that is unmapped, or mapped
// anew, ends there; the backend knows what is left of a mapping (mappings.h).

#include "mprt_hooks.h"

#include <stdarg.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>

namespace mprt {

// Address space that is reserved and never used as it is: not an object.
constexpr uint64_t k_most_reserved_bytes = 16ull << 30;

static void
mapped (void *p, uint64_t bytes, int protection, void *caller)
{
  if (p == MAP_FAILED || bytes < process.object_bytes || !recording ()
      || (protection == PROT_NONE && bytes > k_most_reserved_bytes)
      || in_allocator (caller))
    return;
  emit_ticketed (MPRT_BIRTH, reinterpret_cast<uint64_t> (p), bytes,
		 __mprt_alloc_site, reinterpret_cast<uint64_t> (caller),
		 MPRT_MMAP);
}

static void
unmapped (void *p, uint64_t bytes, void *caller)
{
  uint64_t address = reinterpret_cast<uint64_t> (p), page = getauxval (AT_PAGESZ);
  if (bytes && address % page == 0 && recording () && !in_allocator (caller))
    emit_ticketed (MPRT_BIRTH, address, (bytes + page - 1) & ~(page - 1), 0, 0, MPRT_UNMAP);
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
  unmapped (p, bytes, __builtin_return_address (0));
  return REAL (munmap) (p, bytes);
}

// mremap is variadic: the new address is passed with MREMAP_FIXED only.
MPRT_HOOK (void *, mremap,
	   (void *old, size_t old_bytes, size_t bytes, int flags, void *where))
{
  if (in_allocator (__builtin_return_address (0)))
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

// The bytes of a shared memory segment; 0: unknown.
static uint64_t
segment_bytes (int id)
{
  shmid_ds segment;
  return sys (SYS_shmctl, id, IPC_STAT, as_long (&segment)) < 0 ? 0 : segment.shm_segsz;
}

MPRT_HOOK (void *, shmat, (int id, const void *where, int flags))
{
  void *p = REAL (shmat) (id, where, flags);
  if (p != MAP_FAILED && recording ())
    if (uint64_t bytes = segment_bytes (id))
      mapped (p, bytes, PROT_READ, __builtin_return_address (0));
  return p;
}

MPRT_HOOK (int, shmdt, (const void *p))
{
  if (recording ())
    emit_ticketed (MPRT_DEATH, reinterpret_cast<uint64_t> (p));
  return REAL (shmdt) (p);
}

} // namespace mprt
