// mprt_fork.cc - the child of a fork records into a stream of its own.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// fork: the child inherits its parent's rings but must not write to them.  The
// handler below forgets them; at the child's first record it gets shared memory
// and a backend of its own, whose profile is merged into the parent's file.
// Its modules are registered again.  Until then it costs nothing: most children
// call exec at once.
//
// vfork: the child runs in its parent's memory while the parent stands still.
// Its records are indistinguishable from its parent's and go the same way; its
// end and its exec are left alone (process.pid differs).

#include "mprt_hooks.h"

extern "C" int __register_atfork (void (*) (), void (*) (), void (*) (), void *);
extern "C" void *__dso_handle;

namespace mprt {

static void
in_child ()
{
  if (!recording ())
    return;
  process.threaded = 0;
  process.making = process.file_lock = 0;
  // The descriptor is the parent's; its frames must not get mixed with ours.
  if (process.mode == k_file)
    finish_file ();
  if (process.memfd >= 0)
    sys (SYS_close, process.memfd);
  process.memfd = -1;
  Thread &thread = self;
  // The forking thread is this process's main thread now.
  thread.number = 0;
  forget_rings (true);
}

// After an exec that failed, once the recording had been handed over.
void
start_again ()
{
  store (&process.mode, k_unstarted);
  forget_rings (false);
}

void
initialise_fork ()
{
  int saved_errno = errno;
  __register_atfork (nullptr, nullptr, in_child, &__dso_handle);
  errno = saved_errno;
}

} // namespace mprt
