/* cpu.h - what the libraries in the user's program need of the processor.
   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

   A port is one header in this folder with the functions below, and its line here.  All are
   inline and use nothing but registers and the stack.  System calls have the kernel's generic
   names (openat, ppoll, dup3, readlinkat): newer processors have no others.

     long sys (long number, long a, ..., long f)
	 A system call: its result, or -errno.
     long start_child (long flags, char *stack_end, uint32_t *child,
		       int (*function) (void *), void *argument)
	 clone with FLAGS, and with no signal at the child's end.  The child runs FUNCTION on the
	 stack that ends at STACK_END, and ends with its result; it never returns.  The kernel
	 writes the child's number to *CHILD if FLAGS has CLONE_PARENT_SETTID.
     uint64_t cycles ()
	 A clock that ticks evenly, on all processors alike, and costs little to read.  One to
	 four ticks are a nanosecond; it may advance by many at a time.
     uint64_t divide (uint64_t high, uint64_t low, uint64_t divisor)
	 (HIGH * 2^64 + LOW) / DIVISOR; HIGH is less than DIVISOR.  There is no library for it.
     void copy_bytes (void *to, const void *from, uint64_t bytes)
     void clear_bytes (void *to, uint64_t bytes)
	 Fast for long blocks, and nothing that the compiler turns into a call of memcpy or memset,
	 which a program may have its own of, instrumented.
     constexpr bool k_context_always
	 Whether the kernel passes a signal handler its context without SA_SIGINFO, too.
     uint64_t saved_stack_pointer (const uint64_t *saved)
	 That in the jmp_buf SAVED; glibc mangles it with a secret of the thread.
     const void *jump_target (const void *function)
	 Where FUNCTION jumps to if all that it does is to jump; else null.  */

#ifndef MEMPROF_TARGET_CPU_H
#define MEMPROF_TARGET_CPU_H

#if defined __x86_64__
#include "x86_64.h"
#elif defined __aarch64__
#include "aarch64.h"
#else
#error "the runtime has no port to this processor: see runtime/target/cpu/cpu.h"
#endif

#endif
