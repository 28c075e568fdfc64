// mprt_hooks.cc - finds the functions that the hooks interpose.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// dlsym may itself allocate; mprt_alloc.cc serves a thread that is in here from
// a static pool.  In the static library the linker does the finding.

#include "mprt_hooks.h"

#ifdef MPRT_STATIC

// An archive's member is linked only if something needs it, and libc's own
// members, which come later, may be the first to need one of these.
extern "C" {
void anchor_alloc () __asm__ ("__wrap_malloc");
void anchor_exec () __asm__ ("__wrap_execve");
void anchor_exit () __asm__ ("__wrap__exit");
void anchor_mmap () __asm__ ("__wrap_mmap");
void anchor_signals () __asm__ ("__wrap_sigaction");
void anchor_sync () __asm__ ("__wrap_pthread_mutex_lock");
void anchor_thread () __asm__ ("__wrap_pthread_create");
}

namespace mprt {

void (*const hook_files[]) () = { anchor_alloc, anchor_exec, anchor_exit,
				  anchor_mmap, anchor_signals, anchor_sync,
				  anchor_thread };

} // namespace mprt

#else

#include <dlfcn.h>

namespace mprt {

void *real_functions[k_hooks];

static const char *const k_names[] = {
#define MPRT_WRAP(name) #name,
#include "wrap.def"
};

// Null: libc.
static const char *const k_libraries[] = {
#define MPRT_WRAP(name) nullptr,
#define MPRT_WRAP_SHARED(library, name) library,
#include "wrap.def"
};

// In the next library that has it.  What dlsym allocates is not asked for with a hook again.
static void *
find_next (unsigned hook)
{
  self.resolving++;
  void *function = dlsym (RTLD_NEXT, k_names[hook]);
  self.resolving--;
  return function;
}

// All of libc's are looked for at once: dlsym takes from the program what dlerror would have
// said, and frees it with the program's free, which must be known by then.
static void
find_libc ()
{
  for (unsigned hook = 0; hook < k_hooks; hook++)
    if (!k_libraries[hook])
      store (&real_functions[hook], find_next (hook));
}

void *
find_real (unsigned hook)
{
  int saved_errno = errno;
  if (!real_functions[k_hook_free])
    find_libc ();
  void *function = real_functions[hook];
  if (!function)
    function = find_next (hook);
  // With --as-needed, GCC's default on Debian, the linker leaves a library out of which the
  // program needs nothing but what is interposed here.
  if (!function && k_libraries[hook])
    if (void *library = dlopen (k_libraries[hook], RTLD_LAZY))
      function = dlsym (library, k_names[hook]);
  errno = saved_errno;
  store (&real_functions[hook], function);
  return function;
}

} // namespace mprt

#endif
