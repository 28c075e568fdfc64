// arena_new.cc - operator new, and whether its objects may come from slabs.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

#include "runtime/arena/arena_calls.h"
#include "runtime/target/cpu/cpu.h"

#include <string.h>
#ifndef MPRT_STATIC
#include <dlfcn.h>
#endif

using namespace mprt_arena;

int __mprt_new_wanted = 1;

// The operators delete that may get what operator new has returned.
#define DELETES(do_one)                                                       \
  do_one (_ZdlPv) do_one (_ZdaPv) do_one (_ZdlPvm) do_one (_ZdaPvm)           \
    do_one (_ZdlPvRKSt9nothrow_t) do_one (_ZdaPvRKSt9nothrow_t)
#define NEWS(do_one)                                                          \
  do_one (_Znwm) do_one (_Znam) do_one (_ZnwmRKSt9nothrow_t)                  \
    do_one (_ZnamRKSt9nothrow_t)

// By their assembler names: this is not to need libstdc++, nor to be inlined.
extern "C"
{
  __attribute__ ((weak)) void *_Znwm (size_t);
  __attribute__ ((weak)) void *_Znam (size_t);
  __attribute__ ((weak)) void *_ZnwmRKSt9nothrow_t (size_t, const void *);
  __attribute__ ((weak)) void *_ZnamRKSt9nothrow_t (size_t, const void *);
#define DECLARE(name) __attribute__ ((weak)) void name (void *);
  DELETES (DECLARE)
}

namespace {

// Whether FUNCTION jumps to our free, at once or by way of another.
bool
jumps_to_free_p (const void *function, int depth = 0)
{
  const void *target = mprt::jump_target (function);
  return target && depth <= 3
	 && (target == own_free () || jumps_to_free_p (target, depth + 1));
}

// Where a function is: 1 libstdc++.so, 2 elsewhere.
int
home (const void *function)
{
#ifndef MPRT_STATIC
  Dl_info where;
  if (dladdr (function, &where) && where.dli_fname)
    {
      const char *slash = strrchr (where.dli_fname, '/');
      if (strncmp (slash ? slash + 1 : where.dli_fname, "libstdc++.so", 12)
	  == 0)
	return 1;
    }
#endif
  (void) function;
  return 2;
}

// The homes of the operators that FUNCTION and NAME represent (one that libraries
// call need not be the one that the program calls), 4 for a delete that may
// not end in free.
int
homes (const void *function, const char *name, bool deletes)
{
  int found = 0;
  const void *both[] = { function, nullptr };
#ifndef MPRT_STATIC
  both[1] = dlsym (RTLD_DEFAULT, name);
#endif
  (void) name;
  for (const void *f : both)
    if (f)
      {
	int at = home (f);
	found |= at | (deletes && at == 2 && !jumps_to_free_p (f) ? 4 : 0);
      }
  return found;
}

} // anonymous namespace

// All from libstdc++, or all from the program (which holds libstdc++, or has its
// own) and nothing but free.  A program that calls no operator new is not asked: a look-up that fails
// allocates memory for its message, and all later objects of the program would lie elsewhere.
bool
mprt_arena::delete_ends_in_free_p ()
{
  bool any = false;
#define CHECK_ANY(name) any |= reinterpret_cast<const void *> (name) != nullptr;
  NEWS (CHECK_ANY)
  if (!any)
    return true;
  int found = 0;
#define CHECK_DELETE(name)                                                    \
  found |= homes (reinterpret_cast<const void *> (name), #name, true);
#define CHECK_NEW(name)                                                       \
  found |= homes (reinterpret_cast<const void *> (name), #name, false);
  DELETES (CHECK_DELETE)
  NEWS (CHECK_NEW)
  return found < 3 || seeded (fault::own_delete);
}

// An object of BYTES for CELL, from a slab or from ORDINARY, an operator new.  If that fails, it throws
// through these frames: they have unwind tables and nothing to clean up.
template <typename Ordinary>
static inline void *
hot_new (size_t bytes, mprt_site_cell *cell, Ordinary &&ordinary)
{
  if (ARENA_UNLIKELY (!chosen (cell)))
    return left_alone (ordinary (), bytes, cell);
  void *p = bytes <= k_max_small && active () && current.operator_new ? in_slab (bytes, cell) : nullptr;
  return p ? p : advise (ordinary (), bytes);
}

EXPORTED void *
__mprt_hot_Znwm (size_t bytes, mprt_site_cell *cell)
{
  return hot_new (bytes, cell, [=] { return _Znwm (bytes); });
}

EXPORTED void *
__mprt_hot_Znam (size_t bytes, mprt_site_cell *cell)
{
  return hot_new (bytes, cell, [=] { return _Znam (bytes); });
}

EXPORTED void *
__mprt_hot_ZnwmRKSt9nothrow_t (size_t bytes, const void *tag, mprt_site_cell *cell)
{
  return hot_new (bytes, cell, [=] { return _ZnwmRKSt9nothrow_t (bytes, tag); });
}

EXPORTED void *
__mprt_hot_ZnamRKSt9nothrow_t (size_t bytes, const void *tag, mprt_site_cell *cell)
{
  return hot_new (bytes, cell, [=] { return _ZnamRKSt9nothrow_t (bytes, tag); });
}
