// mprt_signals.cc - records made by signal handlers.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// A handler may interrupt the program between two stores of one record, or the
// runtime itself.  So it must not write to the ring that it interrupted:
//
//   1. sigaction and signal install `enter_handler' or `enter_info_handler' in place of the program's
//      handler, which is kept in a table; asked for the old handler, they answer
//      with the program's own.  Flags and mask stay as the program gave them.
//   2. That one saves cursor and limit and sets the cursor above
//      the limit.  A handler that records nothing costs nothing more.
//   3. The handler's first record enters __mprt_slow, which publishes the
//      interrupted ring, opens the thread's signal ring and writes SIGNAL_ENTER.
//   4. At the end: SIGNAL_EXIT, publish, and cursor and limit are put back.
//
// A handler that interrupts a handler has no ring: its records are counted as
// lost (rings as deep as handlers nest would have to be held for every thread).
//
// A handler may be left by siglongjmp: longjmp is interposed too, and the levels
// whose frame the jump discards are closed.  SA_RESETHAND needs nothing: the
// kernel has the flag and answers SIG_DFL from then on.

#include "mprt_hooks.h"

#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

namespace mprt {

constexpr int k_signals = 65;
constexpr uint32_t k_deepest = 2;

typedef void (*Handler) (int);
typedef void (*InfoHandler) (int, siginfo_t *, void *);

static Handler handlers[k_signals];

// Where the frames of this thread's running handlers lie, outermost first.
struct HandlerFrame
{
  uint64_t frame, stack_low, stack_end; // alternate stack; 0, 0: the ordinary one
};

static MPRT_TLS HandlerFrame frames[k_deepest];

// The first record of a handler: thread.rings[1] is open and active.
void
open_signal_level (Thread &thread)
{
  Ring &interrupted = thread.rings[0];
  thread.enter_pending = 0;
  uint64_t here = position (interrupted, thread.interrupted[0].cursor);
  publish (interrupted, here);
  // The ring may be open from an earlier handler; go on where that one stopped.
  if (__mprt_room.cursor == k_no_cursor)
    __mprt_room.cursor = thread.rings[1].cursor;
  emit (MPRT_SIGNAL_ENTER, interrupted.index, interrupted.shared->published);
  // A ring counts from its first published byte on, also after a crash.
  if (!thread.rings[1].shared->published)
    publish_own ();
}

static void
enter_level (Thread &thread)
{
  uint32_t level = thread.level;
  if (level == 0)
    end_lease (thread);
  if (level < k_deepest)
    {
      // Another signal may arrive between any two of these steps; up to the
      // new level it saves the same values, from there on it is a nested one.
      thread.interrupted[level] = { __mprt_room.cursor, __mprt_room.limit };
      compiler_barrier ();
      thread.level = level + 1;
      compiler_barrier ();
      if (level == 0)
	thread.enter_pending = 1;
      __mprt_room.limit = 0;
      __mprt_room.cursor = k_no_cursor;
      compiler_barrier ();
    }
  else
    thread.level = level + 1;
}

static void
leave_level (Thread &thread)
{
  uint32_t level = thread.level;
  if (level == 1 && !thread.enter_pending && recording ()
      && thread.epoch == process.epoch && thread.rings[1].shared)
    {
      emit (MPRT_SIGNAL_EXIT);
      publish_own ();
      if (!in_scratch (thread))
	thread.rings[1].cursor = __mprt_room.cursor;
    }
  else if (level == 2)
    count_scratch (thread);
  if (level <= k_deepest)
    {
      if (level == 1)
	thread.enter_pending = 0;
      // The limit first: a cursor that is put back early would pass the
      // comparison with the other ring's limit.
      __mprt_room.limit = 0;
      compiler_barrier ();
      __mprt_room.cursor = thread.interrupted[level - 1].cursor;
      thread.level = level - 1;
      compiler_barrier ();
      __mprt_room.limit = thread.interrupted[level - 1].limit;
    }
  else
    thread.level = level - 1;
}

void
leave_signal_levels ()
{
  while (self.level)
    leave_level (self);
}

static void
handle (int signal, siginfo_t *info, void *context, const stack_t &alternate)
{
  Handler handler = load (&handlers[signal]);
  Thread &thread = self;
  enter_level (thread);
  if (thread.level <= k_deepest)
    {
      HandlerFrame &frame = frames[thread.level - 1];
      frame.frame = reinterpret_cast<uint64_t> (__builtin_frame_address (0));
      frame.stack_low = reinterpret_cast<uint64_t> (alternate.ss_sp);
      frame.stack_end = frame.stack_low + alternate.ss_size;
      if (frame.frame < frame.stack_low || frame.frame >= frame.stack_end)
	frame.stack_low = frame.stack_end = 0;
    }
  uint64_t site = __mprt_alloc_site;
  __mprt_alloc_site = 0;
  // Whether the kernel has passed all three arguments or not.
  reinterpret_cast<InfoHandler> (reinterpret_cast<void *> (handler)) (
    signal, info, context);
  __mprt_alloc_site = site;
  if (thread.level)
    leave_level (thread);
}

// With SA_SIGINFO, the kernel passes the context.
static void
enter_info_handler (int signal, siginfo_t *info, void *context)
{
  handle (signal, info, context, static_cast<ucontext_t *> (context)->uc_stack);
}

static void
enter_handler (int signal, siginfo_t *info, void *context)
{
  stack_t alternate = {};
  if (k_context_always)
    alternate = static_cast<ucontext_t *> (context)->uc_stack;
  else
    sys (SYS_sigaltstack, 0, as_long (&alternate));
  handle (signal, info, context, alternate);
}

static bool
special_p (Handler handler)
{
  return handler == SIG_DFL || handler == SIG_IGN || handler == SIG_ERR
	 || handler == SIG_HOLD;
}

static MPRT_ALWAYS_INLINE Handler
wrapper (int flags)
{
  return reinterpret_cast<Handler> (
    reinterpret_cast<void *> (flags & SA_SIGINFO ? enter_info_handler : enter_handler));
}

// What the kernel gets, and what the program gets to see.
static Handler
wrapped (int signal, Handler handler, int flags)
{
  if (special_p (handler) || signal <= 0 || signal >= k_signals)
    return handler;
  store (&handlers[signal], handler);
  return wrapper (flags);
}

static Handler
unwrapped (Handler installed, Handler own)
{
  return installed == wrapper (0) || installed == wrapper (SA_SIGINFO) ? own : installed;
}

static Handler
current (int signal)
{
  return signal > 0 && signal < k_signals ? load (&handlers[signal]) : nullptr;
}

MPRT_HOOK (int, sigaction,
	   (int signal, const struct sigaction *action, struct sigaction *old))
{
  initialise ();
  if (!recording ())
    {
      // Handlers may have been wrapped before the runtime went off.
      if (!current (signal))
	return REAL (sigaction) (signal, action, old);
    }
  Handler before = current (signal);
  struct sigaction changed;
  if (action)
    {
      changed = *action;
      changed.sa_handler = wrapped (signal, action->sa_handler, action->sa_flags);
      action = &changed;
    }
  int result = REAL (sigaction) (signal, action, old);
  if (result != 0 && action)
    {
      if (before)
	store (&handlers[signal], before);
    }
  else if (old)
    old->sa_handler = unwrapped (old->sa_handler, before);
  return result;
}

#define SIGNAL_HOOK(name)                                                     \
  MPRT_HOOK (Handler, name, (int signal, Handler handler))                    \
  {                                                                           \
    initialise ();                                                            \
    Handler before = current (signal);                                        \
    if (recording () || before)                                               \
      handler = wrapped (signal, handler, 0);                                 \
    return unwrapped (REAL (name) (signal, handler), before);                 \
  }

SIGNAL_HOOK (signal)
SIGNAL_HOOK (bsd_signal)
SIGNAL_HOOK (sysv_signal)
SIGNAL_HOOK (__sysv_signal)
SIGNAL_HOOK (ssignal)
SIGNAL_HOOK (sigset)

// Closes the handlers whose frames a jump to ENV discards.
static void
jump (const void *env)
{
  Thread &thread = self;
  uint64_t target = saved_stack_pointer (static_cast<const uint64_t *> (env));
  while (thread.level)
    {
      if (thread.level <= k_deepest)
	{
	  const HandlerFrame &frame = frames[thread.level - 1];
	  bool other_stack
	    = frame.stack_end
	      && (target < frame.stack_low || target >= frame.stack_end);
	  if (!other_stack && target < frame.frame)
	    return;
	}
      leave_level (thread);
    }
}

#define JUMP_HOOK(name)                                                       \
  MPRT_HOOK (void, name, (void *env, int value))                              \
  {                                                                           \
    if (MPRT_UNLIKELY (self.level))                                           \
      jump (env);                                                             \
    /* The jump may leave an allocating call.  */                             \
    __mprt_alloc_site = 0;                                                    \
    REAL (name) (env, value);                                                 \
    __builtin_unreachable ();                                                 \
  }

JUMP_HOOK (longjmp)
JUMP_HOOK (_longjmp)
JUMP_HOOK (siglongjmp)
JUMP_HOOK (__longjmp_chk)

} // namespace mprt
