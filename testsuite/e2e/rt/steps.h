/* steps.h - steps through a function, and unwinds at each step in the program's text.
   SPDX-License-Identifier: GPL-3.0-or-later

   With the trap flag set the processor raises SIGTRAP after each instruction.  The
   handler, which the runtime does not know of (it is set with the system call), unwinds
   to the caller of the function: its frame must be where it is in truth.  At one
   instruction after the other it then leaves the function by forced unwinding, as the
   cancellation of a thread does.  */

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#define ALONE __attribute__ ((noinline, no_instrument_function))

extern char __executable_start[], etext[];
extern __thread struct { uint64_t cursor, limit; } __mprt_room __attribute__ ((weak));

struct kernel_action { void (*handler) (int, siginfo_t *, void *); unsigned long flags;
                       void (*restorer) (void); unsigned long mask; };

static ALONE void step_through (long (*function) (void));
static ALONE void trap (int on);
static uintptr_t its_frame;
static long at, leave_at, unwound, forced;
static sigjmp_buf back;
static int failed;

static ALONE _Unwind_Reason_Code
look (struct _Unwind_Context *context, void *found)
{
  // Of an address it takes the instruction before: that of a call.
  int interrupted;
  uintptr_t pc = _Unwind_GetIPInfo (context, &interrupted) + interrupted;
  if (_Unwind_FindEnclosingFunction ((void *) pc) != step_through)
    return _URC_NO_REASON;
  // The context of a frame has the frame of what it called.
  *(uintptr_t *) found = _Unwind_GetCFA (context);
  return _URC_END_OF_STACK;
}

static ALONE _Unwind_Reason_Code
stop (int version, _Unwind_Action actions, _Unwind_Exception_Class class,
      struct _Unwind_Exception *exception, struct _Unwind_Context *context, void *argument)
{
  (void) version, (void) class, (void) exception, (void) argument;
  if (_Unwind_GetCFA (context) == its_frame)
    siglongjmp (back, 1);
  if (actions & _UA_END_OF_STACK)
    _exit (99);
  return _URC_NO_REASON;
}

static ALONE void
on_step (int signal, siginfo_t *info, void *context)
{
  (void) signal, (void) info;
  ucontext_t *before = context;
  uintptr_t pc = before->uc_mcontext.gregs[REG_RIP];
  if (pc < (uintptr_t) __executable_start || pc >= (uintptr_t) etext)
    return;
  void *inside = _Unwind_FindEnclosingFunction ((void *) (pc + 1));
  if (inside == step_through || inside == trap)
    return;
  uintptr_t frame = 0;
  _Unwind_Backtrace (look, &frame);
  if (!its_frame)
    its_frame = frame;
  if (!frame || frame != its_frame)
    {
      fprintf (stderr, "not unwound at %p in %p\n", (void *) pc, inside);
      failed = 1;
    }
  unwound++;
  // Let the next records take the slow path.
  if (&__mprt_room && at % 5 == 0)
    __mprt_room.limit = 0;
  if (++at != leave_at)
    return;
  forced++;
  static struct _Unwind_Exception exception;
  exception = (struct _Unwind_Exception) { 0 };
  _Unwind_ForcedUnwind (&exception, stop, NULL);
  _exit (98);
}

static ALONE void
trap (int on)
{
  if (on)
    __asm__ volatile ("pushfq\n\t{orq\t$256, (%%rsp)|or\tQWORD PTR [rsp], 256}\n\tpopfq" : : : "memory", "cc");
  else
    __asm__ volatile ("pushfq\n\t{andq\t$-257, (%%rsp)|and\tQWORD PTR [rsp], -257}\n\tpopfq" : : : "memory", "cc");
}

static ALONE void
step_through (long (*function) (void))
{
  struct kernel_action action;
  if (getenv ("PLAIN"))
    return;
  // libc's restorer, which unwinders know.
  signal (SIGTRAP, SIG_DFL);
  struct sigaction some = { .sa_handler = SIG_IGN };
  sigaction (SIGTRAP, &some, NULL);
  syscall (SYS_rt_sigaction, SIGTRAP, NULL, &action, 8);
  action.handler = on_step;
  action.flags |= SA_SIGINFO | SA_NODEFER;
  syscall (SYS_rt_sigaction, SIGTRAP, &action, NULL, 8);
  volatile long all = 1;
  for (volatile long i = 0; i <= all; i += 1 + all / 24)
    {
      at = 0;
      leave_at = i;
      if (!sigsetjmp (back, 1))
        {
          trap (1);
          function ();
          trap (0);
          all = at;
        }
      else
        trap (0);
    }
  fprintf (stderr, "unwound %ld times by handlers, %ld by force\n", unwound, forced);
  if (failed)
    exit (1);
}
