// mprt_thread.cc - the life of a thread.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// A thread gets its number where it is created, in the creator's order, so that
// numbers do not depend on which thread records first; its ring is made at its first
// record.  Its end is seen by a destructor of thread-specific data that re-arms
// itself until the last round: destructors of the program's own data and of C++
// thread_local objects have run by then, whether the thread returned, called
// pthread_exit, was cancelled or is detached.  Code that runs even later gets a new
// ring, a few times per process; then it counts as lost.
//
// Creation and end of a thread, and joining it, are releases and acquires:
// tickets (mprt_sync.cc).

#include "mprt_hooks.h"

#include <limits.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <threads.h>

namespace mprt {

static pthread_key_t end_key;
static uint32_t end_key_made;

// What a new thread needs to know, in memory that its creator need not wait
// for: blocks of slots that are reused and never freed.
struct StartSlot
{
  uint32_t used;
  uint32_t number;
  union
  {
    void *(*start) (void *);
    int (*c11_start) (void *);
  };
  void *argument;
  uint64_t stack_low, stack_end, stack_bytes;
};

struct SlotBlock
{
  SlotBlock *next;
  StartSlot slots[80];
};

static SlotBlock first_slots;

static StartSlot *
take_slot ()
{
  for (SlotBlock *block = &first_slots;; block = load (&block->next))
    {
      for (StartSlot &slot : block->slots)
	if (!slot.used && !__atomic_exchange_n (&slot.used, 1, __ATOMIC_ACQUIRE))
	  return &slot;
      if (load (&block->next))
	continue;
      SlotBlock *fresh
	= static_cast<SlotBlock *> (map_memory (sizeof (SlotBlock)));
      if (!fresh)
	return nullptr;
      SlotBlock *expected = nullptr;
      if (!__atomic_compare_exchange_n (&block->next, &expected, fresh, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
	unmap_memory (fresh, sizeof (SlotBlock));
    }
}

static void
end_hook (void *)
{
  if (++self.end_calls < PTHREAD_DESTRUCTOR_ITERATIONS)
    pthread_setspecific (end_key, &first_slots);
  else
    end_thread ();
}

void
initialise_threads ()
{
  int saved_errno = errno;
  struct rlimit limit;
  bool limited = read_limit (RLIMIT_STACK, &limit) && limit.rlim_cur != RLIM_INFINITY;
  process.main_stack_bytes = limited ? limit.rlim_cur : 8u << 20;
  end_key_made = pthread_key_create (&end_key, end_hook) == 0;
  self.number = 0;
  watch_thread_end ();
  errno = saved_errno;
}

void
watch_thread_end ()
{
  if (end_key_made)
    pthread_setspecific (end_key, &first_slots);
}

static void
main_stack (Thread &thread)
{
  // The name of the executable is the last thing that the kernel puts there.
  uint64_t end = getauxval (AT_EXECFN) + 1;
  thread.stack_end = (end + 4095) & ~4095ull;
  uint64_t bytes = process.main_stack_bytes;
  thread.stack_low = thread.stack_end - (bytes < (1ull << 30) ? bytes : 1ull << 30);
}

// Number and stack of the calling thread, whose first ring is being opened.
void
begin_thread ()
{
  Thread &thread = self;
  if (thread.life != k_thread_new)
    return;
  thread.life = k_thread_running;
  if (thread.stack_end)
    return;
  if (own_tid (process.pid) == process.pid)
    main_stack (thread);
  else
    {
      // Made without our knowledge: by clone, or in a program in which libc comes before
      // this library (a plain one that uses an instrumented library).
      process.threaded = 1;
      watch_thread_end ();
      thread.number = __atomic_add_fetch (&process.shared->threads_started, 1,
					  __ATOMIC_RELAXED);
      uint64_t here = reinterpret_cast<uint64_t> (__builtin_frame_address (0));
      thread.stack_end = (here + 65535) & ~65535ull;
      thread.stack_low = thread.stack_end - (128 << 10);
    }
}

void
end_thread ()
{
  Thread &thread = self;
  leave_signal_levels ();
  if (recording () && thread.rings[0].shared && thread.epoch == process.epoch
      && !process.ended)
    {
      end_sampling ();
      if (thread.paused)
	to_ring ();
      emit_ticketed (MPRT_THREAD_END);
      publish_own ();
      end_ring (thread.rings[1]);
      end_ring (thread.rings[0]);
    }
  thread.life = k_thread_ended;
  count_scratch (thread);
  if (thread.scratch)
    unmap_memory (at<void> (thread.scratch), MPRT_CHUNK_BYTES);
  thread.scratch = 0;
  __mprt_room.cursor = k_no_cursor;
  __mprt_room.limit = 0;
}

// The thread that ends last runs what the program has left for its exit.  It may
// open a ring anew; so may a few others, whose rings will not be ended.
bool
resume_thread (Thread &thread)
{
  constexpr uint32_t k_late_threads = 16;
  if (__atomic_add_fetch (&process.late_threads, 1, __ATOMIC_RELAXED)
      > k_late_threads)
    return false;
  thread.life = k_thread_running;
  return true;
}

void
resume_for_exit ()
{
  if (self.life != k_thread_ended)
    return;
  self.life = k_thread_running;
  to_ring ();
}

static StartSlot
arrive (void *p)
{
  StartSlot *slot = static_cast<StartSlot *> (p);
  StartSlot own = *slot;
  store (&slot->used, 0u);
  Thread &thread = self;
  thread.number = own.number;
  thread.stack_end = own.stack_end;
  thread.stack_low = own.stack_low;
  if (!own.stack_end)
    {
      // glibc keeps the thread's own data at the top of its stack.
      uint64_t top = static_cast<uint64_t> (pthread_self ());
      thread.stack_end = (top + 4095) & ~4095ull;
      thread.stack_low = thread.stack_end - own.stack_bytes;
    }
  watch_thread_end ();
  order_here ();
  stop_here ();
  return own;
}

static void *
start_thread (void *p)
{
  StartSlot slot = arrive (p);
  return slot.start (slot.argument);
}

static int
start_c11_thread (void *p)
{
  StartSlot slot = arrive (p);
  return slot.c11_start (slot.argument);
}

// Not the limit of the main stack: the program may have another default, and
// libc has one of its own for `unlimited'.
static uint64_t
default_stack_bytes ()
{
  pthread_attr_t fresh;
  size_t bytes = 0;
  if (pthread_attr_init (&fresh) || pthread_attr_getstacksize (&fresh, &bytes)
      || !bytes)
    return process.main_stack_bytes;
  pthread_attr_destroy (&fresh);
  return bytes;
}

static StartSlot *
prepare (const pthread_attr_t *attributes)
{
  if (process.mode == k_unstarted || process.mode == k_asleep)
    make_shared ();
  if (!recording ())
    return nullptr;
  StartSlot *slot = take_slot ();
  if (!slot)
    return nullptr;
  process.threaded = 1;
  slot->number
    = __atomic_add_fetch (&process.shared->threads_started, 1, __ATOMIC_RELAXED);
  slot->stack_low = slot->stack_end = 0;
  slot->stack_bytes = default_stack_bytes ();
  if (attributes)
    {
      void *low = nullptr;
      size_t bytes = 0;
      pthread_attr_getstack (attributes, &low, &bytes);
      uint64_t end = reinterpret_cast<uint64_t> (low) + bytes;
      if (end)
	slot->stack_low = end - bytes, slot->stack_end = end;
      else if (bytes)
	slot->stack_bytes = bytes;
    }
  order_here ();
  return slot;
}

MPRT_HOOK (int, pthread_create,
	   (pthread_t *thread, const pthread_attr_t *attributes,
	    void *(*start) (void *), void *argument))
{
  StartSlot *slot = prepare (attributes);
  if (!slot)
    return REAL (pthread_create) (thread, attributes, start, argument);
  slot->start = start;
  slot->argument = argument;
  int error = REAL (pthread_create) (thread, attributes, start_thread, slot);
  if (error)
    store (&slot->used, 0u);
  return error;
}

MPRT_HOOK (int, thrd_create, (thrd_t *thread, int (*start) (void *), void *argument))
{
  StartSlot *slot = prepare (nullptr);
  if (!slot)
    return REAL (thrd_create) (thread, start, argument);
  slot->c11_start = start;
  slot->argument = argument;
  int error = REAL (thrd_create) (thread, start_c11_thread, slot);
  if (error != thrd_success)
    store (&slot->used, 0u);
  return error;
}

MPRT_HOOK (int, pthread_join, (pthread_t thread, void **result))
{
  int error = REAL (pthread_join) (thread, result);
  order_here ();
  return error;
}

MPRT_HOOK (int, pthread_tryjoin_np, (pthread_t thread, void **result))
{
  int error = REAL (pthread_tryjoin_np) (thread, result);
  order_here ();
  return error;
}

MPRT_HOOK (int, pthread_timedjoin_np,
	   (pthread_t thread, void **result, const struct timespec *limit))
{
  int error = REAL (pthread_timedjoin_np) (thread, result, limit);
  order_here ();
  return error;
}

MPRT_HOOK (int, pthread_clockjoin_np,
	   (pthread_t thread, void **result, clockid_t clock,
	    const struct timespec *limit))
{
  int error = REAL (pthread_clockjoin_np) (thread, result, clock, limit);
  order_here ();
  return error;
}

MPRT_HOOK (int, thrd_join, (thrd_t thread, int *result))
{
  int error = REAL (thrd_join) (thread, result);
  order_here ();
  return error;
}

} // namespace mprt
