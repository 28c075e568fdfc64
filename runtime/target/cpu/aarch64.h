/* aarch64.h - what cpu.h promises, for 64-bit Arm Linux.
   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1  */

#ifndef MEMPROF_TARGET_AARCH64_H
#define MEMPROF_TARGET_AARCH64_H

#include <setjmp.h>
#include <stdint.h>
#include <sys/syscall.h>

namespace mprt {

constexpr bool k_context_always = false;

static inline __attribute__ ((always_inline)) long
sys (long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
     long f = 0)
{
  register long x8 __asm__ ("x8") = number;
  register long x0 __asm__ ("x0") = a;
  register long x1 __asm__ ("x1") = b;
  register long x2 __asm__ ("x2") = c;
  register long x3 __asm__ ("x3") = d;
  register long x4 __asm__ ("x4") = e;
  register long x5 __asm__ ("x5") = f;
  __asm__ volatile ("svc #0"
		    : "+r" (x0)
		    : "r" (x8), "r" (x1), "r" (x2), "r" (x3), "r" (x4), "r" (x5)
		    : "memory", "cc");
  return x0;
}

static inline long
start_child (long flags, char *stack_end, uint32_t *child, int (*function) (void *),
	     void *argument)
{
  uint64_t *top = reinterpret_cast<uint64_t *> (stack_end) - 2;
  top[0] = reinterpret_cast<uint64_t> (function);
  top[1] = reinterpret_cast<uint64_t> (argument);
  register long x8 __asm__ ("x8") = SYS_clone;
  register long x0 __asm__ ("x0") = flags;
  register uint64_t *x1 __asm__ ("x1") = top;
  register uint32_t *x2 __asm__ ("x2") = child;
  register long x3 __asm__ ("x3") = 0;
  register long x4 __asm__ ("x4") = 0;
  __asm__ volatile ("svc #0\n\t"
		    "cbnz x0, 1f\n\t"
		    "mov x29, xzr\n\t"
		    "ldp x1, x0, [sp], #16\n\t"
		    "blr x1\n\t"
		    "mov x8, %[exit]\n\t"
		    "svc #0\n\t"
		    "brk #1\n"
		    "1:"
		    : "+r" (x0)
		    : "r" (x8), "r" (x1), "r" (x2), "r" (x3), "r" (x4), [exit] "i" (SYS_exit_group)
		    : "memory", "cc");
  return x0;
}

/* The system counter, which all processors share.  It ticks 1,000,000,000 times a second since
   Armv8.6, and 24,000,000 times or so before.  */
static inline uint64_t
cycles ()
{
  constexpr uint64_t k_per_second = 3'000'000'000;
  uint64_t ticks, ticks_per_second;
  __asm__ volatile ("mrs %0, cntvct_el0" : "=r" (ticks));
  __asm__ ("mrs %0, cntfrq_el0" : "=r" (ticks_per_second));
  return ticks * (k_per_second / (ticks_per_second | 1));
}

/* As by hand, a bit at a time: there is no such instruction.  */
static inline uint64_t
divide (uint64_t high, uint64_t low, uint64_t divisor)
{
  for (int bit = 0; bit < 64; bit++)
    {
      bool carry = high >> 63;
      high = high << 1 | low >> 63;
      low <<= 1;
      if (carry || high >= divisor)
	high -= divisor, low |= 1;
    }
  return low;
}

/* The empty asm keeps the compiler from making a call of memcpy or memset of the loop.  */
static inline void
copy_bytes (void *to, const void *from, uint64_t bytes)
{
  char *t = static_cast<char *> (to);
  const char *f = static_cast<const char *> (from);
  for (; bytes >= 16; bytes -= 16, t += 16, f += 16)
    {
      unsigned __int128 part;
      __builtin_memcpy (&part, f, 16);
      __builtin_memcpy (t, &part, 16);
      __asm__ volatile ("" : : : "memory");
    }
  for (; bytes; bytes--)
    {
      *t++ = *f++;
      __asm__ volatile ("" : : : "memory");
    }
}

static inline void
clear_bytes (void *to, uint64_t bytes)
{
  char *t = static_cast<char *> (to);
  for (; bytes >= 16; bytes -= 16, t += 16)
    {
      __builtin_memset (t, 0, 16);
      __asm__ volatile ("" : : : "memory");
    }
  for (; bytes; bytes--)
    {
      *t++ = 0;
      __asm__ volatile ("" : : : "memory");
    }
}

/* The secret is a variable of libc that no other code may name.  But what libc makes of a stack pointer that
   is known tells: it is exclusive or.  */
static inline uint64_t
saved_stack_pointer (const uint64_t *saved)
{
  constexpr unsigned k_saved_sp = 13;
  jmp_buf own;
  _setjmp (own);
  uint64_t mangled, sp;
  __builtin_memcpy (&mangled, reinterpret_cast<const uint64_t *> (own) + k_saved_sp, sizeof mangled);
  __asm__ ("mov %0, sp" : "=r" (sp));
  return saved[k_saved_sp] ^ mangled ^ sp;
}

/* [bti c] b imm26  */
static inline const void *
jump_target (const void *function)
{
  constexpr uint32_t k_bti_c = 0xd503245f;
  const char *code = static_cast<const char *> (function);
  uint32_t instruction;
  __builtin_memcpy (&instruction, code, sizeof instruction);
  if (instruction == k_bti_c)
    __builtin_memcpy (&instruction, code += 4, sizeof instruction);
  if (instruction >> 26 != 5)
    return nullptr;
  // 26 bits with a sign, in units of 4 bytes.
  return code + (static_cast<int32_t> (instruction << 6) >> 4);
}

} // namespace mprt

#endif
