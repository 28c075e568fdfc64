/* fivearrays.c - five arrays, read and written in different mixes, by five threads.
   SPDX-License-Identifier: GPL-3.0-or-later

   The validation program of Chen et al., ISPASS 2012: array N is accessed line by line, the last N
   quarters of it by stores, the others by loads; the last two arrays backward. Each line must be read
   from memory once, and written back once if it was stored to.

     fivearrays [LINES]              of 64 bytes, of each array */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef MIXES_ONLY
#include <memprof.h>
#else
#define memprof_stop() ((void) 0)
#define memprof_start() ((void) 0)
#endif

enum { ARRAYS = 5, LINE = 64, LINE_WORDS = LINE / sizeof (uint64_t) };

static size_t lines;
static uint64_t *arrays[ARRAYS];
static uint64_t sums[ARRAYS][LINE_WORDS];

static void *
work (void *argument)
{
  int n = (int) (intptr_t) argument;
  uint64_t *a = arrays[n], sum = 0;
  size_t loads = lines / 4 * (4 - n);
  for (size_t k = 0; k < lines; k++)
    {
      uint64_t *p = a + (n >= 3 ? lines - 1 - k : k) * LINE_WORDS;
      if (k < loads)
	sum += *(volatile uint64_t *) p;
      else
	*(volatile uint64_t *) p = k;
    }
  sums[n][0] = sum;
  return NULL;
}

int
main (int argc, char **argv)
{
  lines = argc > 1 ? strtoul (argv[1], NULL, 10) : 65536;
  pthread_t threads[ARRAYS];
  memprof_stop ();
  /* On lines of their own, so that each array has one place that allocates it.  */
  arrays[0] = aligned_alloc (4096, lines * LINE);
  arrays[1] = aligned_alloc (4096, lines * LINE);
  arrays[2] = aligned_alloc (4096, lines * LINE);
  arrays[3] = aligned_alloc (4096, lines * LINE);
  arrays[4] = aligned_alloc (4096, lines * LINE);
  for (int n = 0; n < ARRAYS; n++)
    memset (arrays[n], 0, lines * LINE);
  memprof_start ();
  for (int n = 0; n < ARRAYS; n++)
    pthread_create (&threads[n], NULL, work, (void *) (intptr_t) n);
  for (int n = 0; n < ARRAYS; n++)
    pthread_join (threads[n], NULL);
  printf ("%llu\n", (unsigned long long) (sums[0][0] + sums[4][0]));
  return 0;
}
