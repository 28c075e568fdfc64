// mprt_fork.cc - the child of a fork records into a stream of its own.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// fork: the child inherits its parent's rings but must not write to them.
//
//   before   the parent asks its backend for the objects that live now
//            (ring.h, "Fork") and maps the answer
//   child    forgets the rings; at its first instrumented record it gets shared
//            memory and a backend of its own, whose profile is merged into the
//            parent's file, registers its units again and gives birth to what
//            it has inherited.  A child that only calls exec does none of this.
//   parent   unmaps the answer
//
// What the child frees before its first record is removed from the list.  In the
// file form there is no backend to ask: objects born before the fork are unknown in the
// child.
//
// vfork: the child runs in its parent's memory while the parent is suspended.
// Its records are indistinguishable from its parent's and go the same way; its
// end and its exec are left alone (process.pid differs).
//
// daemon () forks and ends the parent inside libc.

#include "mprt_hooks.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

extern "C" int __register_atfork (void (*) (), void (*) (), void (*) (), void *);
extern "C" void *__dso_handle;

namespace mprt {

// After this long the child must do without the list.
constexpr unsigned k_patience_seconds = 20;

struct Inherited
{
  mprt_live_object *objects;
  uint64_t count;
};

static Inherited inherited;
static uint32_t last_token;
static uint32_t in_daemon;

static void
drop_inherited ()
{
  if (inherited.objects)
    unmap_memory (inherited.objects, inherited.count * sizeof (mprt_live_object));
  inherited = {};
}

// FD if it is the file that the backend answers with, and as long as it says; else
// it is closed.
static long
if_answer (long fd)
{
  const mprt_shared *shared = process.shared;
  struct stat file;
  clear_bytes (&file, sizeof file);
  if (fd < 0)
    return fd;
  if (sys (SYS_fstat, fd, as_long (&file)) == 0
      && file.st_ino == shared->snapshot_inode
      && static_cast<uint64_t> (file.st_size)
	   == shared->snapshot_objects * sizeof (mprt_live_object))
    return fd;
  sys (SYS_close, fd);
  return -ENOENT;
}

// /proc may be that of another name space, where the backend's number is someone
// else's; but the first way needs the rights of a debugger.
static long
open_answer ()
{
  const mprt_shared *shared = process.shared;
  long backend = sys (SYS_pidfd_open, load (&shared->backend_pid), 0);
  long fd = if_answer (sys (SYS_pidfd_getfd, backend, shared->snapshot_fd, 0));
  if (backend >= 0)
    sys (SYS_close, backend);
  if (fd >= 0)
    return fd;
  Line path;
  path.add ("/proc/").add_number (load (&shared->backend_pid)).add ("/fd/");
  path.add_number (shared->snapshot_fd);
  return if_answer (
    open_file (path.text (), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

// Maps what the backend has answered.
static void
map_answer ()
{
  uint64_t count = process.shared->snapshot_objects;
  long fd = count ? open_answer () : -ENOENT;
  if (fd < 0)
    return;
  // Private: the child strikes out what it frees.
  long p = sys (SYS_mmap, 0,
		static_cast<long> (count * sizeof (mprt_live_object)),
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
  sys (SYS_close, fd);
  if (p > 0 || p < -4095)
    inherited = { reinterpret_cast<mprt_live_object *> (p), count };
}

void
snapshot_live_objects ()
{
  // In a child that has not recorded yet the list still holds.
  if (process.mode != k_live || process.ended || process.pid != own_pid (process.pid)
      || !self.rings[0].shared)
    return;
  drop_inherited ();
  mprt_shared *shared = process.shared;
  OnRing on_ring;
  order_here ();
  uint32_t token = __atomic_add_fetch (&last_token, 1, __ATOMIC_RELAXED);
  emit (MPRT_SNAPSHOT, token);
  publish_own ();
  wake_backend ();
  for (unsigned i = 0; i < k_patience_seconds; i++)
    {
      uint32_t answered = load (&shared->snapshot_token);
      if (answered == token)
	return map_answer ();
      if (futex_wait (&shared->snapshot_token, answered, 1000)
	  && !backend_alive ())
	return;
    }
}

static void
in_parent ()
{
  if (process.mode == k_live)
    drop_inherited ();
  if (in_daemon)
    end_program (MPRT_END_EXIT, 0, false);
}

static void
in_child ()
{
  in_daemon = 0;
  if (!recording ())
    return;
  process.threaded = 0;
  process.making = process.file_lock = 0;
  unlock_units ();
  // The descriptor is the parent's; its frames must not get mixed with ours.
  if (process.mode == k_file)
    finish_file ();
  if (process.memfd >= 0)
    sys (SYS_close, process.memfd);
  process.memfd = -1;
  last_token = 0;
  // The forking thread is this process's main thread now.
  self.number = 0;
  forget_rings (true);
}

// OLD dies before this process has announced its units and objects.
void
drop_inherited_object (uint64_t address)
{
  uint64_t low = 0, high = inherited.count;
  while (low < high)
    {
      uint64_t middle = (low + high) / 2;
      if (inherited.objects[middle].address < address)
	low = middle + 1;
      else
	high = middle;
    }
  if (low < inherited.count && inherited.objects[low].address == address)
    inherited.objects[low].bytes = ~0ull;
}

// Everything that a new stream must know: units, then inherited objects.
void
announce ()
{
  register_again ();
  for (uint64_t i = 0; i < inherited.count; i++)
    {
      const mprt_live_object &object = inherited.objects[i];
      if (object.bytes != ~0ull)
	emit (MPRT_BIRTH, object.address, object.bytes, object.site,
	      object.caller, object.allocator, 0);
    }
  drop_inherited ();
}

// Once the recording has been handed over: after an exec that failed, or a dump.
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
  __register_atfork (snapshot_live_objects, in_parent, in_child, &__dso_handle);
  errno = saved_errno;
}

MPRT_HOOK (int, daemon, (int keep_directory, int keep_output))
{
  in_daemon = 1;
  int result = REAL (daemon) (keep_directory, keep_output);
  in_daemon = 0;
  return result;
}

// As fork, but without the handlers.
MPRT_HOOK (int, _Fork, ())
{
  snapshot_live_objects ();
  int result = REAL (_Fork) ();
  if (result == 0)
    in_child ();
  else
    in_parent ();
  return result;
}

} // namespace mprt
