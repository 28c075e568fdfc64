/* mprt_hooks.h - how a libc function is interposed.
   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

   MPRT_HOOK (void *, malloc, (size_t bytes)) { ... REAL (malloc) (bytes) ... }

   defines the function that the program calls in place of libc's.  In the
   shared library it has the function's own name and comes before libc in the
   search order; the real one is found with dlsym (RTLD_NEXT).  In the static
   library it is called __wrap_NAME, and the linker's --wrap=NAME does the rest.

   The names of all hooks are in wrap.def, with which the linker's options are
   made; a hook without an entry there does not compile.  */

#ifndef MEMPROF_TARGET_MPRT_HOOKS_H
#define MEMPROF_TARGET_MPRT_HOOKS_H

#include "mprt_internal.h"

namespace mprt {

enum HookIndex
{
#define MPRT_WRAP(name) k_hook_##name,
#include "wrap.def"
  k_hooks
};

#ifdef MPRT_STATIC

#define MPRT_HOOK_PREFIX "__wrap_"
#define MPRT_HOOK_VISIBILITY
extern void (*const hook_files[]) ();
#define MPRT_REAL_DECLARATION(result, name, params)                           \
  extern "C" result real_##name params __asm__ ("__real_" #name);
#define REAL(name) real_##name

#else

#define MPRT_HOOK_PREFIX ""
#define MPRT_HOOK_VISIBILITY MPRT_EXPORT
#define MPRT_REAL_DECLARATION(result, name, params)                           \
  typedef result (*type_##name) params;
#define REAL(name)                                                            \
  (reinterpret_cast<type_##name> (real_function (k_hook_##name)))

extern void *real_functions[k_hooks];
void *find_real (unsigned hook);

static MPRT_ALWAYS_INLINE void *
real_function (unsigned hook)
{
  void *function = real_functions[hook];
  return MPRT_LIKELY (function != nullptr) ? function : find_real (hook);
}

#endif

#define MPRT_HOOK(result, name, params)                                       \
  MPRT_REAL_DECLARATION (result, name, params)                                \
  extern "C" MPRT_HOOK_VISIBILITY result hook_##name params __asm__ (         \
    MPRT_HOOK_PREFIX #name);                                                  \
  static_assert (mprt::k_hook_##name < mprt::k_hooks);                        \
  result hook_##name params

} // namespace mprt

#endif
