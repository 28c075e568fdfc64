/* memprof.h - which part of a program memprof looks at.
   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

   A program that was not compiled with -fprofile-mem-generate links and runs with
   these calls, which do nothing then.

     memprof_stop ();         not this
     read_input ();
     memprof_start ();        but this
     solve ();
     memprof_dump ();         write the profile now

   memprof_stop    accesses, loops and dependences are not recorded from here on,
		   only which objects there are
   memprof_start   they are again.  What was written before the pause is not the
		   source of what is read after it
   memprof_dump    the profile of what was recorded so far is written; what follows
		   is added at the end, as another run of the program
   memprof_reset   what was recorded so far is forgotten

   The calls are for the whole process.  They take effect for the calling thread at once, for others
   where they synchronise with threads next (a lock, a barrier), or when their current
   64 KB of records are full; so dump and reset belong where other threads wait.  */

#ifndef MEMPROF_H
#define MEMPROF_H

#ifdef __cplusplus
extern "C" {
#endif

extern void __mprt_start (void) __attribute__ ((weak));
extern void __mprt_stop (void) __attribute__ ((weak));
extern void __mprt_dump (void) __attribute__ ((weak));
extern void __mprt_reset (void) __attribute__ ((weak));

static inline void __attribute__ ((unused))
memprof_start (void)
{
  if (__mprt_start)
    __mprt_start ();
}

static inline void __attribute__ ((unused))
memprof_stop (void)
{
  if (__mprt_stop)
    __mprt_stop ();
}

static inline void __attribute__ ((unused))
memprof_dump (void)
{
  if (__mprt_dump)
    __mprt_dump ();
}

static inline void __attribute__ ((unused))
memprof_reset (void)
{
  if (__mprt_reset)
    __mprt_reset ();
}

#ifdef __cplusplus
}
#endif

#endif
