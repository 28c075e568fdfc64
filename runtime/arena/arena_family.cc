// arena_family.cc - free, realloc and malloc_usable_size, which programs and libraries call, for objects
// of slabs.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Dynamic links: free and its kind below are symbols of the program itself, which
// come before those of every library, preloaded ones included; real () is the
// next one.  They are weak, so that a program may have its own: then
// family_in_place () says no and everything comes from malloc.
//
// Static links (MPRT_STATIC): the linker renames the callers (--wrap).

#include "runtime/arena/arena_calls.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#ifndef MPRT_STATIC
#include <dlfcn.h>
#endif

using namespace mprt_arena;

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
void *
mprt_arena::move (void *p, size_t bytes, mprt_site_cell *cell)
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

// Whether the free and realloc that libraries call are ours.
static bool
family_in_place ()
{
#ifdef MPRT_STATIC
  return true;
#else
  return in_place || seeded (fault::own_free);
#endif
}

// A common symbol of this name in a program takes this file in, and the slabs with it.
int __mprt_slabs_wanted = 1;

bool
mprt_arena::open_slabs (size_t limit)
{
  return family_in_place () && pthread_atfork (lock_all, unlock_all, unlock_all) == 0
	 && open_region (seeded (fault::no_limit) ? size_t (1) << 30 : limit);
}
