/* x86_64.h - what cpu.h promises, for x86-64 Linux.
   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1  */

#ifndef MEMPROF_TARGET_X86_64_H
#define MEMPROF_TARGET_X86_64_H

#include <stdint.h>
#include <sys/syscall.h>

namespace mprt {

constexpr bool k_context_always = true;

static inline __attribute__ ((always_inline)) long
sys (long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
     long f = 0)
{
  long result;
  register long r10 __asm__ ("r10") = d;
  register long r8 __asm__ ("r8") = e;
  register long r9 __asm__ ("r9") = f;
  __asm__ volatile ("syscall"
		    : "=a" (result)
		    : "0" (number), "D" (a), "S" (b), "d" (c), "r" (r10),
		      "r" (r8), "r" (r9)
		    : "rcx", "r11", "memory");
  return result;
}

static inline long
start_child (long flags, char *stack_end, uint32_t *child, int (*function) (void *),
	     void *argument)
{
  long result;
  uint64_t *top = reinterpret_cast<uint64_t *> (stack_end) - 2;
  top[0] = reinterpret_cast<uint64_t> (function);
  top[1] = reinterpret_cast<uint64_t> (argument);
  register long r10 __asm__ ("r10") = 0;
  register long r8 __asm__ ("r8") = 0;
  __asm__ volatile ("syscall\n\t"
		    "test %%rax, %%rax\n\t"
		    "jnz 1f\n\t"
		    "xor %%ebp, %%ebp\n\t"
		    "pop %%rax\n\t"
		    "pop %%rdi\n\t"
		    "call *%%rax\n\t"
		    "mov %%eax, %%edi\n\t"
		    "mov %[exit], %%eax\n\t"
		    "syscall\n\t"
		    "hlt\n"
		    "1:"
		    : "=a" (result)
		    : "0" (SYS_clone), "D" (flags), "S" (top), "d" (child),
		      "r" (r10), "r" (r8), [exit] "i" (SYS_exit_group)
		    : "rcx", "r11", "memory");
  return result;
}

static inline uint64_t
cycles ()
{
  return __builtin_ia32_rdtsc ();
}

static inline uint64_t
divide (uint64_t high, uint64_t low, uint64_t divisor)
{
  __asm__ ("divq %2" : "+a" (low), "+d" (high) : "r" (divisor) : "cc");
  return low;
}

static inline void
copy_bytes (void *to, const void *from, uint64_t bytes)
{
  __asm__ volatile ("rep movsb" : "+D" (to), "+S" (from), "+c" (bytes) : : "memory");
}

static inline void
clear_bytes (void *to, uint64_t bytes)
{
  __asm__ volatile ("rep stosb" : "+D" (to), "+c" (bytes) : "a" (0) : "memory");
}

static inline uint64_t
saved_stack_pointer (const uint64_t *saved)
{
  constexpr unsigned k_saved_rsp = 6;
  uint64_t value = saved[k_saved_rsp];
  __asm__ ("ror $17, %0\n\txor %%fs:0x30, %0" : "+r" (value));
  return value;
}

// [endbr64] jmp rel32
static inline const void *
jump_target (const void *function)
{
  const unsigned char *code = static_cast<const unsigned char *> (function);
  if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa)
    code += 4;
  if (*code != 0xe9)
    return nullptr;
  int32_t distance;
  __builtin_memcpy (&distance, code + 1, sizeof distance);
  return code + 5 + distance;
}

} // namespace mprt

#endif
