// mprt_prctl.cc - what a program forbids itself that the runtime needs.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// prctl (PR_SET_TSC, PR_TSC_SIGSEGV)                 reading the clock of windows is fatal from now on: no windows
// prctl (PR_SET_SECCOMP, SECCOMP_MODE_STRICT)        each system call but read, write and exit is: the recording
//                                                    ends here, `complete' is false

#include "mprt_hooks.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>

namespace mprt {

MPRT_HOOK (int, prctl, (int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d))
{
  bool strict = option == PR_SET_SECCOMP && a == SECCOMP_MODE_STRICT;
  if (strict || (option == PR_SET_TSC && a == PR_TSC_SIGSEGV))
    store (&process.no_clock, 1u);
  if (strict)
    {
      end_program (MPRT_END_OFF, 0, false);
      switch_off (nullptr); // if it had not begun
      // What is recorded from now on goes nowhere; that memory is mapped while it can be.
      __mprt_slow (nullptr);
    }
  return REAL (prctl) (option, a, b, c, d);
}

} // namespace mprt
