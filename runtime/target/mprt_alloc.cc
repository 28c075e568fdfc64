// mprt_alloc.cc - births and deaths of heap objects.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// strdup, getline, operator new and the rest of libc and libstdc++ reach malloc
// and free through these names.  A birth is recorded after the real call, a
// death before it, so that between them the address belongs to no other object.
// realloc is a request (the old object may die), the real call and a result.
//
// Objects mode leaves small objects out, at little cost.  Whether a
// block that dies was recorded is a bit of its page.  64 K
// bits represent 256 MB; pages farther apart share bits, so a death may be
// recorded that means nothing.  In the other modes no bit says that a death can be
// left out.

#include "mprt_hooks.h"

namespace mprt {

// dlsym's own small requests while it looks for the real allocator.  They are
// never reused and freeing them does nothing.
alignas (16) static char early_pool[4096];
static uint32_t early_used;

static void *
early_allocate (uint64_t bytes)
{
  uint32_t n = static_cast<uint32_t> ((bytes + 31) & ~15ull);
  uint32_t begin = __atomic_fetch_add (&early_used, n, __ATOMIC_RELAXED);
  if (bytes > sizeof early_pool || begin + n > sizeof early_pool)
    return nullptr;
  char *p = early_pool + begin;
  *reinterpret_cast<uint64_t *> (p) = bytes;
  return p + 16;
}

static bool
early_p (const void *p)
{
  const char *c = static_cast<const char *> (p);
  return c >= early_pool && c < early_pool + sizeof early_pool;
}

constexpr uint32_t k_pages = 1u << 16;
// A bit for each page; set: nothing that was recorded begins there.
static uint64_t skipped[k_pages / 64];
// Set: an object that was born before the first unit begins there.
static uint64_t early[k_pages / 64];

static MPRT_ALWAYS_INLINE uint64_t
page_of (uint64_t address)
{
  return (address >> 12) % k_pages;
}

// Whether an object of BYTES that is born at ADDRESS is recorded.  Before the
// first unit it is not known which, so all are.
static MPRT_ALWAYS_INLINE bool
counts (uint64_t address, uint64_t bytes)
{
  if (MPRT_LIKELY (process.mode >= k_live && !process.object_bytes))
    return true;
  if (bytes < process.object_bytes)
    return false;
  uint64_t page = page_of (address);
  uint64_t bit = 1ull << page % 64;
  if (process.mode < k_live)
    __atomic_fetch_or (&early[page / 64], bit, __ATOMIC_RELAXED);
  if (load (&skipped[page / 64]) & bit)
    __atomic_fetch_and (&skipped[page / 64], ~bit, __ATOMIC_RELAXED);
  return true;
}

// Whether what lies at ADDRESS may have been recorded.
static MPRT_ALWAYS_INLINE bool
counted (uint64_t address)
{
  uint64_t page = page_of (address);
  return !(skipped[page / 64] >> page % 64 & 1);
}

static MPRT_ALWAYS_INLINE void
birth (void *p, uint64_t bytes, uint32_t allocator, void *caller)
{
  // The call that asked may end with an exception, and then not take its name
  // back.
  if (!p)
    __mprt_alloc_site = 0;
  if (!p || !recording () || !counts (reinterpret_cast<uint64_t> (p), bytes))
    return;
  emit_ticketed (MPRT_BIRTH, reinterpret_cast<uint64_t> (p), bytes,
		 __mprt_alloc_site, reinterpret_cast<uint64_t> (caller),
		 allocator);
}

static MPRT_ALWAYS_INLINE void
death (void *p)
{
  if (!p || !recording () || !counted (reinterpret_cast<uint64_t> (p)))
    return;
  if (MPRT_UNLIKELY (process.announce))
    drop_inherited_object (reinterpret_cast<uint64_t> (p));
  emit_ticketed (MPRT_DEATH, reinterpret_cast<uint64_t> (p));
}

#define CALLER __builtin_return_address (0)

// The real NAME, which is known once there are sizes that do not count.  What
// uses it has the rest in a function of its own, so that it saves nothing on the
// stack.
#ifdef MPRT_STATIC
#define REAL_KNOWN(name) REAL (name)
#else
#define REAL_KNOWN(name)                                                      \
  (reinterpret_cast<type_##name> (real_functions[k_hook_##name]))
#endif

MPRT_HOOK (void *, malloc, (size_t bytes));

static MPRT_NOINLINE void *
recorded_malloc (size_t bytes, void *caller)
{
  if (MPRT_UNLIKELY (self.resolving))
    return early_allocate (bytes);
  void *p = REAL (malloc) (bytes);
  birth (p, bytes, MPRT_MALLOC, caller);
  return p;
}

void *
hook_malloc (size_t bytes)
{
  if (bytes < process.object_bytes)
    return REAL_KNOWN (malloc) (bytes);
  return recorded_malloc (bytes, CALLER);
}

MPRT_HOOK (void *, calloc, (size_t count, size_t bytes));

static MPRT_NOINLINE void *
recorded_calloc (size_t count, size_t bytes, void *caller)
{
  if (MPRT_UNLIKELY (self.resolving))
    return early_allocate (count * bytes);
  void *p = REAL (calloc) (count, bytes);
  birth (p, count * bytes, MPRT_CALLOC, caller);
  return p;
}

void *
hook_calloc (size_t count, size_t bytes)
{
  if (count * bytes < process.object_bytes)
    return REAL_KNOWN (calloc) (count, bytes);
  return recorded_calloc (count, bytes, CALLER);
}

MPRT_HOOK (void, free, (void *p));

static MPRT_NOINLINE void
recorded_free (void *p)
{
  if (MPRT_UNLIKELY (early_p (p)))
    return;
  death (p);
  REAL (free) (p);
}

void
hook_free (void *p)
{
  if (!counted (reinterpret_cast<uint64_t> (p)))
    return REAL_KNOWN (free) (p);
  recorded_free (p);
}

static void *
early_reallocate (void *old, size_t bytes)
{
  void *p = early_allocate (bytes);
  if (p && old)
    {
      uint64_t had = static_cast<uint64_t *> (old)[-2];
      copy_bytes (p, old, had < bytes ? had : bytes);
    }
  return p;
}

MPRT_HOOK (void *, realloc, (void *old, size_t bytes));

static void *
reallocate (void *old, size_t bytes, void *caller)
{
  if (MPRT_UNLIKELY (self.resolving))
    return early_reallocate (old, bytes);
  if (MPRT_UNLIKELY (early_p (old)))
    {
      // Out of the pool into the heap.
      uint64_t had = static_cast<uint64_t *> (old)[-2];
      void *p = REAL (realloc) (nullptr, bytes);
      if (p)
	copy_bytes (p, old, had < bytes ? had : bytes);
      birth (p, bytes, MPRT_REALLOC, caller);
      return p;
    }
  if (!old || !bytes || !recording () || bytes < process.object_bytes
      || !counted (reinterpret_cast<uint64_t> (old)))
    {
      // malloc or free by another name, as far as can be seen.
      death (old);
      void *p = REAL (realloc) (old, bytes);
      birth (p, bytes, MPRT_REALLOC, caller);
      return p;
    }
  uint64_t old_address = reinterpret_cast<uint64_t> (old);
  if (MPRT_UNLIKELY (process.announce))
    drop_inherited_object (old_address);
  emit_ticketed (MPRT_REALLOC_REQUEST, old_address);
  void *p = REAL (realloc) (old, bytes);
  if (p)
    counts (reinterpret_cast<uint64_t> (p), bytes);
  emit_ticketed (MPRT_REALLOC_RESULT, old_address, reinterpret_cast<uint64_t> (p),
		 bytes, __mprt_alloc_site, reinterpret_cast<uint64_t> (caller),
		 MPRT_REALLOC);
  return p;
}

void *
hook_realloc (void *old, size_t bytes)
{
  return reallocate (old, bytes, CALLER);
}

MPRT_HOOK (void *, reallocarray, (void *old, size_t count, size_t bytes))
{
  size_t total;
  if (__builtin_mul_overflow (count, bytes, &total))
    {
      errno = ENOMEM;
      return nullptr;
    }
  return reallocate (old, total, CALLER);
}

MPRT_HOOK (void *, aligned_alloc, (size_t alignment, size_t bytes))
{
  void *p = REAL (aligned_alloc) (alignment, bytes);
  birth (p, bytes, MPRT_MEMALIGN, CALLER);
  return p;
}

MPRT_HOOK (int, posix_memalign, (void **result, size_t alignment, size_t bytes))
{
  int error = REAL (posix_memalign) (result, alignment, bytes);
  if (!error)
    birth (*result, bytes, MPRT_MEMALIGN, CALLER);
  return error;
}

MPRT_HOOK (void *, memalign, (size_t alignment, size_t bytes))
{
  void *p = REAL (memalign) (alignment, bytes);
  birth (p, bytes, MPRT_MEMALIGN, CALLER);
  return p;
}

MPRT_HOOK (void *, valloc, (size_t bytes))
{
  void *p = REAL (valloc) (bytes);
  birth (p, bytes, MPRT_MEMALIGN, CALLER);
  return p;
}

MPRT_HOOK (void *, pvalloc, (size_t bytes))
{
  void *p = REAL (pvalloc) (bytes);
  birth (p, (bytes + 4095) & ~static_cast<size_t> (4095), MPRT_MEMALIGN, CALLER);
  return p;
}

void
leave_out_objects (uint32_t below)
{
  if (below && !process.object_bytes)
    {
      (void) REAL (malloc);
      (void) REAL (calloc);
      (void) REAL (free);
      uint64_t page = page_of (reinterpret_cast<uint64_t> (early_pool));
      early[page / 64] |= 1ull << page % 64;
      early[(page + 1) % k_pages / 64] |= 1ull << (page + 1) % 64;
      for (uint32_t i = 0; i < k_pages / 64; i++)
	skipped[i] = ~early[i];
    }
  else if (!below)
    clear_bytes (skipped, sizeof skipped);
  store (&process.object_bytes, below);
}

} // namespace mprt

// A function that -fprofile-mem-alloc-fn names has returned P, which its caller asked to be of
// BYTES: from a block of its own, perhaps, of which no allocator knows.
void
__mprt_carved (void *p, uint64_t bytes)
{
  mprt::birth (p, bytes, MPRT_CUSTOM, __builtin_return_address (0));
}
