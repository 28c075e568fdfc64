// mprt_spawn.cc - starts memprof-backend, invisibly to the program.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// The backend must be invisible to the program: wait () must not return it,
// x=$(./prog) must not wait for it, a terminal's signals must not reach it.
//
//   program --clone--> middle child --clone--> backend (exec)
//              |            `- exits at once
//              `- reaps it (exit signal 0: only a __WALL wait sees it)
//
// Process 1 of a container would inherit the backend.  There the middle child is
// a copy of the program that stays, waits for the backend and does nothing else.
//
// Otherwise both clones share the memory and suspend their parent until the child is
// done with it (as vfork): no page tables are copied, and the failure of exec
// comes back in a variable.  All signals are blocked meanwhile.  The backend
// starts as `memprof-backend --attach 3': the memfd is descriptor 3, 0 to 2 are
// /dev/null, nothing else is open; own session, default signals, empty mask,
// directory /, the program's soft limits lifted, and of an environment only what asks
// malloc for huge pages.
//
// An emulator of another processor (qemu-user, in containers for that processor) has neither: it refuses
// a child without a signal, and gives each child a copy of the memory.  Then the children end with SIGCHLD,
// which is taken back before the program can see it, and of what may go wrong only a missing backend is
// noticed at once.

#include "mprt_internal.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace mprt {

constexpr uint64_t k_stack_bytes = 65536;

struct Start
{
  const char *path;
  int memfd;
  char *stack_end;
  long error; // of the step that failed, 0 if none
  uint32_t backend; // its process
  long exit_signal; // that the end of a child sends: none, if that is possible
};

static void
default_signals ()
{
  // The layout of the kernel's struct: handler, flags, restorer, mask.
  const uint64_t by_default[4] = { 0, 0, 0, 0 };
  for (int signal = 1; signal <= 64; signal++)
    sys (SYS_rt_sigaction, signal, as_long (by_default), 0, 8);
  uint64_t none = 0;
  sys (SYS_rt_sigprocmask, SIG_SETMASK, as_long (&none), 0, 8);
}

static void
lift_limits ()
{
  static const int k_limits[] = { RLIMIT_AS, RLIMIT_DATA, RLIMIT_CPU, RLIMIT_FSIZE,
				  RLIMIT_STACK, RLIMIT_NOFILE };
  for (int which : k_limits)
    {
      struct rlimit limit;
      if (read_limit (which, &limit) && limit.rlim_cur != limit.rlim_max)
	{
	  limit.rlim_cur = limit.rlim_max;
	  sys (SYS_setrlimit, which, as_long (&limit));
	}
    }
}

// 0, or -errno: the memory of the records could not become descriptor 3.
static long
arrange_descriptors (int memfd)
{
  // If it is 3, only close-on-exec must go.
  long error = memfd == 3 ? sys (SYS_fcntl, 3, F_SETFD, 0) : sys (SYS_dup3, memfd, 3, 0);
  if (error < 0)
    return error;
  if (sys (SYS_close_range, 4, 0x7fffffff, 0) < 0)
    for (int fd = 4; fd < 65536; fd++)
      sys (SYS_close, fd);
  for (int fd = 0; fd < 3; fd++)
    {
      sys (SYS_close, fd);
      // A profile must not get one of these numbers, which messages go to.
      if (open_file ("/dev/null", O_RDWR) < 0)
	open_file ("/", O_RDONLY | O_DIRECTORY);
    }
  return 0;
}

// The backend-to-be, in the program's memory but with descriptors, signal
// handlers and limits of its own.
static int
become_backend (void *argument)
{
  Start *start = static_cast<Start *> (argument);
  static const char k_three[] = "3";
  const char *arguments[] = { start->path, "--attach", k_three, nullptr };
  // Its memory in huge pages, so that it has fewer page faults to wait for.
  static const char k_huge_pages[] = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1";
  const char *environment[] = { k_huge_pages, nullptr };
  sys (SYS_setsid);
  lift_limits ();
  start->error = arrange_descriptors (start->memfd);
  if (start->error < 0)
    return 127;
  sys (SYS_chdir, as_long ("/"));
  default_signals ();
  start->error = sys (SYS_execve, as_long (start->path), as_long (arguments),
		      as_long (environment));
  return 127;
}

constexpr long k_as_vfork = CLONE_VM | CLONE_VFORK;

// clone; the child runs FUNCTION on a stack of its own and ends.  Exit signal 0.  The kernel
// writes its number to *CHILD before it runs.
static long
spawn (int (*function) (void *), Start *start, char *stack_end, long flags,
       uint32_t *child = nullptr)
{
  if (child)
    flags |= CLONE_PARENT_SETTID;
  long pid = start_child (flags, stack_end, child, function, start);
  if (pid != -EINVAL)
    return pid;
  start->exit_signal = SIGCHLD;
  return start_child (flags | SIGCHLD, stack_end, child, function, start);
}

// Signals are blocked.
static void
take_exit_signal (const Start &start)
{
  constexpr struct timespec k_at_once = {};
  uint64_t signals = 1ull << (SIGCHLD - 1);
  if (start.exit_signal)
    sys (SYS_rt_sigtimedwait, as_long (&signals), 0, as_long (&k_at_once), 8);
}

static int
middle_child (void *argument)
{
  Start *start = static_cast<Start *> (argument);
  long pid = spawn (become_backend, start, start->stack_end, k_as_vfork, &start->backend);
  if (pid < 0)
    start->error = pid;
  else if (!start->error)
    store (&process.shared->backend_pid, static_cast<uint32_t> (pid));
  return 0;
}

// In a copy of the program's memory.
static int
keeper (void *argument)
{
  Start *start = static_cast<Start *> (argument);
  middle_child (start);
  if (start->error)
    return 1;
  if (sys (SYS_close_range, 0, 0x7fffffff, 0) < 0)
    for (int fd = 0; fd < 65536; fd++)
      sys (SYS_close, fd);
  for (long ended = 0; ended >= 0 || ended == -EINTR;)
    ended = sys (SYS_wait4, -1, 0, __WALL, 0);
  return 0;
}

// The keeper's number if the backend runs, or -errno.
static long
start_keeper (Start *start, char *stack_end)
{
  long pid = spawn (keeper, start, stack_end, 0);
  // Where it may not be asked whether the keeper has ended, 5 s are the end.
  for (unsigned turn = 0; pid > 0 && !load (&process.shared->backend_pid); turn++)
    {
      long ended = sys (SYS_wait4, pid, 0, __WALL | WNOHANG, 0);
      if (ended == pid || ended == -ECHILD || turn == 25000)
	return -ENOEXEC;
      sleep_us (200);
    }
  return pid;
}

// 0, or -errno.
long
start_backend (const char *path)
{
  if (process.memfd < 0)
    return -EPERM;
  long usable = sys (SYS_faccessat, AT_FDCWD, as_long (path), X_OK);
  if (usable == -ENOENT || usable == -EACCES)
    return usable;
  char *stacks = static_cast<char *> (map_memory (2 * k_stack_bytes));
  if (!stacks)
    return -ENOMEM;
  Start start = { path, process.memfd, stacks + k_stack_bytes, 0, 0, 0 };
  char *stack_end = stacks + 2 * k_stack_bytes;
  uint64_t mask;
  block_signals (&mask);
  long pid;
  if (process.pid == 1)
    pid = start_keeper (&start, stack_end);
  else
    {
      pid = spawn (middle_child, &start, stack_end, k_as_vfork);
      if (pid > 0)
	while (sys (SYS_wait4, pid, 0, __WALL, 0) == -EINTR)
	  continue;
      take_exit_signal (start);
      // The child between was killed before it could say whom it has started.
      if (pid > 0 && !start.error && !load (&process.shared->backend_pid))
	{
	  store (&process.shared->backend_pid, start.backend);
	  start.error = start.backend ? 0 : -ECHILD;
	}
    }
  restore_signals (&mask);
  unmap_memory (stacks, 2 * k_stack_bytes);
  return pid < 0 ? pid : start.error;
}

} // namespace mprt
