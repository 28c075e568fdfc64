// arena_family.cc - what programs and libraries call: the hot allocation calls and
// free, realloc, malloc_usable_size for their objects.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Every object file that calls __mprt_hot_X has a weak __mprt_hot_X that jumps to
// X, which ignores the last argument; the ones below replace it in programs that
// are linked with this library.  They are never part of a shared library.
//
// Dynamic links: free and its kind below are symbols of the program itself, which
// come before those of every library, preloaded ones included; real () is the
// next one.  They are weak, so that a program may have its own: then
// family_in_place () says no and everything comes from malloc.
//
// Static links (MPRT_STATIC): the linker renames the callers (--wrap).
//
// Wrappers.  A call of xmalloc is not a call of malloc, and the malloc in xmalloc is one for
// all callers.  So the caller leaves its cell with __mprt_arena_hint, and the malloc in the
// wrapper, which is __mprt_hinted_malloc, takes it.  The hint is for one object; one that nothing has
// taken is withdrawn after the call.

#include "runtime/arena/arena.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#ifndef MPRT_STATIC
#include <dlfcn.h>
#endif

#define EXPORTED extern "C" __attribute__ ((visibility ("default")))

using namespace mprt_arena;

// By their assembler names: this is not to need libstdc++, nor to be inlined.
extern "C"
{
  __attribute__ ((weak)) void *_Znwm (size_t);
  __attribute__ ((weak)) void *_Znam (size_t);
  __attribute__ ((weak)) void *_ZnwmRKSt9nothrow_t (size_t, const void *);
  __attribute__ ((weak)) void *_ZnamRKSt9nothrow_t (size_t, const void *);
}

#ifdef MPRT_STATIC
extern "C"
{
  void __real_free (void *);
  void *__real_realloc (void *, size_t);
  void *__real_reallocarray (void *, size_t, size_t);
  size_t __real_malloc_usable_size (void *);
}
#define REAL(name) __real_##name
#define FAMILY(name) __wrap_##name
#else

namespace {

// In dlsym, which frees the text of the failure before.
__thread bool looking;
void find_family ();

const void *
library_of (const void *function)
{
  Dl_info info = {};
  return dladdr (function, &info) ? info.dli_fbase : nullptr;
}

// Of glibc's functions, by processor and age.
const char *const k_versions[] = { "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.26" };

// The next function NAME.  It has to be of the library whose malloc the program calls, or memory of one
// would go to the free of another.  dlsym overlooks functions that a library has in an old version only, as glibc's
// malloc checker (libc_malloc_debug.so) does; the program, which asks for that version, does not.
void *
next_function (const char *name)
{
  void *f = dlsym (RTLD_NEXT, name);
  const void *library = library_of (reinterpret_cast<const void *> (&malloc));
  if (f && library_of (f) != library)
    for (const char *version : k_versions)
      if (void *old = dlvsym (RTLD_NEXT, name, version); old && library_of (old) == library)
	f = old;
  if (!f)
    abort ();
  return f;
}

// next_NAME: the next function of that name.  At first one that looks for all of them,
// since libraries free memory before the program's own constructors run.  After that there is no call of
// dlsym: it takes what dlerror would say from the program, and dlerror itself calls realloc.
#define NEXT(result, name, parameters, arguments)                             \
  extern result (*next_##name) parameters;                                    \
  result first_##name parameters                                              \
  {                                                                           \
    if (looking)                                                              \
      return (result) 0;                                                       \
    find_family ();                                                           \
    return next_##name arguments;                                             \
  }                                                                           \
  result (*next_##name) parameters = first_##name;

NEXT (void, free, (void *p), (p))
NEXT (void *, realloc, (void *p, size_t bytes), (p, bytes))
NEXT (void *, reallocarray, (void *p, size_t count, size_t bytes),
      (p, count, bytes))
NEXT (size_t, malloc_usable_size, (void *p), (p))

#define FIND(name)                                                            \
  next_##name = reinterpret_cast<decltype (next_##name)> (next_function (#name))

bool in_place; // family_in_place ()
bool look_whether_in_place ();

__attribute__ ((constructor (101))) void
find_family ()
{
  looking = true;
  FIND (free);
  FIND (realloc);
  FIND (reallocarray);
  FIND (malloc_usable_size);
  in_place = look_whether_in_place ();
  looking = false;
}

} // anonymous namespace

#define REAL(name) next_##name
#define FAMILY(name) arena_##name
#define ALIAS(name, result, types)                                            \
  EXPORTED __attribute__ ((weak, alias ("arena_" #name))) result name types   \
    noexcept

#endif

namespace {

// Whether CELL is for the heap.
bool
heap_p (const mprt_site_cell *cell)
{
  return !~cell->plain;
}

// Whether the next object of CELL is one of those that the profile has chosen; the
// others are malloc's, as if there were no arena.
bool
chosen (mprt_site_cell *cell)
{
  const uint64_t plain = cell->plain;
  if (!plain)
    return true;
  if (heap_p (cell))
    return false;
  const uint32_t number = __atomic_fetch_add (&cell->calls, 1, __ATOMIC_RELAXED);
  return number < 64 && !(plain >> number & 1);
}

// Huge pages for the large block P of BYTES, with all of its memory: what malloc has mapped by
// itself must stay one mapping, or realloc cannot move it (mremap) and copies it.
void *
advise (void *p, size_t bytes)
{
  if (p && bytes >= k_large && active () && bytes <= current.limit)
    count_advised (advise_pages (p, REAL (malloc_usable_size) (p)));
  return p;
}

// P, of BYTES, for a CELL that was not chosen for.  What malloc maps by itself is not in
// its heap.
void *
left_alone (void *p, size_t bytes, const mprt_site_cell *cell)
{
  if (!heap_p (cell))
    return p;
  return bytes >= k_mapped_alone ? advise (p, bytes) : look_at_heap (p);
}

} // anonymous namespace

extern "C" void
FAMILY (free) (void *p)
{
  if (ARENA_UNLIKELY (ours_p (p)) && !seeded (fault::foreign_free))
    release (p);
  else
    REAL (free) (p);
}

extern "C" size_t
FAMILY (malloc_usable_size) (void *p)
{
  return ours_p (p) && !seeded (fault::usable_size)
	   ? usable_size (p)
	   : REAL (malloc_usable_size) (p);
}

// P is ours. The new memory is of CELL's arena, or of the arena of P's site.
static void *
move (void *p, size_t bytes, mprt_site_cell *cell)
{
  if (!bytes)
    {
      release (p);
      return nullptr;
    }
  size_t had = usable_size (p);
  if (bytes <= had && bytes >= had / 2)
    return p;
  void *q = nullptr;
  if (bytes <= k_max_small)
    q = cell ? allocate (bytes, cell) : allocate_like (p, bytes);
  if (!q)
    q = advise (malloc (bytes), bytes);
  if (!q)
    return nullptr;
  if (!seeded (fault::no_copy))
    memcpy (q, p, bytes < had ? bytes : had);
  release (p);
  return q;
}

extern "C" void *
FAMILY (realloc) (void *p, size_t bytes)
{
  return ARENA_UNLIKELY (ours_p (p)) ? move (p, bytes, nullptr)
				     : REAL (realloc) (p, bytes);
}

extern "C" void *
FAMILY (reallocarray) (void *p, size_t count, size_t bytes)
{
  if (!ours_p (p))
    return REAL (reallocarray) (p, count, bytes);
  size_t all;
  if (__builtin_mul_overflow (count, bytes, &all))
    {
      errno = ENOMEM;
      return nullptr;
    }
  return move (p, all, nullptr);
}

#ifndef MPRT_STATIC
ALIAS (free, void, (void *));
ALIAS (malloc_usable_size, size_t, (void *));
ALIAS (realloc, void *, (void *, size_t));
ALIAS (reallocarray, void *, (void *, size_t, size_t));
#endif

const void *
mprt_arena::own_free ()
{
  return reinterpret_cast<const void *> (FAMILY (free));
}

#ifndef MPRT_STATIC
namespace {

bool
look_whether_in_place ()
{
  return dlsym (RTLD_DEFAULT, "free") == reinterpret_cast<void *> (arena_free)
	 && dlsym (RTLD_DEFAULT, "realloc")
	      == reinterpret_cast<void *> (arena_realloc)
	 && dlsym (RTLD_DEFAULT, "reallocarray")
	      == reinterpret_cast<void *> (arena_reallocarray)
	 && dlsym (RTLD_DEFAULT, "malloc_usable_size")
	      == reinterpret_cast<void *> (arena_malloc_usable_size);
}

} // anonymous namespace
#endif

bool
mprt_arena::family_in_place ()
{
#ifdef MPRT_STATIC
  return true;
#else
  return in_place || seeded (fault::own_free);
#endif
}

// A common symbol of this name in a program takes this file in, and the rest with it.
int __mprt_arena_wanted = 1;

EXPORTED void *
__mprt_hot_malloc (size_t bytes, mprt_site_cell *cell)
{
  if (ARENA_UNLIKELY (!chosen (cell)))
    return left_alone (malloc (bytes), bytes, cell);
  if (bytes <= k_max_small)
    if (void *p = allocate (bytes, cell))
      return p;
  return advise (malloc (bytes), bytes);
}

EXPORTED void *
__mprt_hot_calloc (size_t count, size_t bytes, mprt_site_cell *cell)
{
  if (ARENA_UNLIKELY (!chosen (cell)))
    return left_alone (calloc (count, bytes), count * bytes, cell);
  size_t all;
  bool too_large = __builtin_mul_overflow (count, bytes, &all);
  if ((!too_large || seeded (fault::overflow)) && all <= k_max_small)
    if (void *p = allocate (all, cell))
      return seeded (fault::no_zero) ? p : memset (p, 0, all);
  return advise (calloc (count, bytes), count * bytes);
}

EXPORTED void *
__mprt_hot_realloc (void *p, size_t bytes, mprt_site_cell *cell)
{
  if (!p)
    return __mprt_hot_malloc (bytes, cell);
  if (ours_p (p))
    return move (p, bytes, cell);
  p = realloc (p, bytes);
  return chosen (cell) ? advise (p, bytes) : left_alone (p, bytes, cell);
}

namespace {

// Of the wrapper that this thread calls.
__thread mprt_site_cell *hint;

mprt_site_cell *
take_hint ()
{
  mprt_site_cell *cell = hint;
  hint = nullptr;
  return cell;
}

} // anonymous namespace

EXPORTED void
__mprt_arena_hint (mprt_site_cell *cell)
{
  hint = cell;
}

EXPORTED void *
__mprt_hinted_malloc (size_t bytes)
{
  mprt_site_cell *cell = take_hint ();
  return cell ? __mprt_hot_malloc (bytes, cell) : malloc (bytes);
}

EXPORTED void *
__mprt_hinted_calloc (size_t count, size_t bytes)
{
  mprt_site_cell *cell = take_hint ();
  return cell ? __mprt_hot_calloc (count, bytes, cell) : calloc (count, bytes);
}

EXPORTED void *
__mprt_hinted_realloc (void *p, size_t bytes)
{
  mprt_site_cell *cell = take_hint ();
  return cell ? __mprt_hot_realloc (p, bytes, cell) : realloc (p, bytes);
}

// Aligned ones get huge pages when they are large; small ones stay where they are.
EXPORTED void *
__mprt_hot_aligned_alloc (size_t alignment, size_t bytes, mprt_site_cell *cell)
{
  void *p = aligned_alloc (alignment, bytes);
  return chosen (cell) ? advise (p, bytes) : left_alone (p, bytes, cell);
}

EXPORTED void *
__mprt_hot_memalign (size_t alignment, size_t bytes, mprt_site_cell *cell)
{
  void *p = memalign (alignment, bytes);
  return chosen (cell) ? advise (p, bytes) : left_alone (p, bytes, cell);
}

EXPORTED int
__mprt_hot_posix_memalign (void **p, size_t alignment, size_t bytes,
			   mprt_site_cell *cell)
{
  int error = posix_memalign (p, alignment, bytes);
  const bool mine = chosen (cell);
  if (!error)
    mine ? advise (*p, bytes) : left_alone (*p, bytes, cell);
  return error;
}

// A failed operator new throws through these frames: they have unwind tables and
// nothing to clean up.
static inline void *
small_new (size_t bytes, mprt_site_cell *cell)
{
  return bytes <= k_max_small && active () && current.operator_new
	   ? allocate (bytes, cell)
	   : nullptr;
}

EXPORTED void *
__mprt_hot_Znwm (size_t bytes, mprt_site_cell *cell)
{
  if (ARENA_UNLIKELY (!chosen (cell)))
    return left_alone (_Znwm (bytes), bytes, cell);
  void *p = small_new (bytes, cell);
  return p ? p : advise (_Znwm (bytes), bytes);
}

EXPORTED void *
__mprt_hot_Znam (size_t bytes, mprt_site_cell *cell)
{
  if (ARENA_UNLIKELY (!chosen (cell)))
    return left_alone (_Znam (bytes), bytes, cell);
  void *p = small_new (bytes, cell);
  return p ? p : advise (_Znam (bytes), bytes);
}

EXPORTED void *
__mprt_hot_ZnwmRKSt9nothrow_t (size_t bytes, const void *tag,
			       mprt_site_cell *cell)
{
  if (ARENA_UNLIKELY (!chosen (cell)))
    return left_alone (_ZnwmRKSt9nothrow_t (bytes, tag), bytes, cell);
  void *p = small_new (bytes, cell);
  return p ? p : advise (_ZnwmRKSt9nothrow_t (bytes, tag), bytes);
}

EXPORTED void *
__mprt_hot_ZnamRKSt9nothrow_t (size_t bytes, const void *tag,
			       mprt_site_cell *cell)
{
  if (ARENA_UNLIKELY (!chosen (cell)))
    return left_alone (_ZnamRKSt9nothrow_t (bytes, tag), bytes, cell);
  void *p = small_new (bytes, cell);
  return p ? p : advise (_ZnamRKSt9nothrow_t (bytes, tag), bytes);
}
