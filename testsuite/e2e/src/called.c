/* called.c - loops that call a function with an index, and the load that misses is in
   the function: pts[first[k]] for k = keys[j].  Memory that ends behind FIRST makes each
   load that the program does not perform a fault.
   SPDX-License-Identifier: GPL-3.0-or-later  */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { N = 1 << 18, M = 1 << 16, PAGE = 4096 };
struct point { double value, rest[7]; };
enum way { TABLE, DIRECT, SEARCH };

/* KIND decides whether FIRST is looked at.  */
__attribute__ ((noinline)) static void
look_up (const struct point *pts, const int *first, unsigned k, int kind, double *out)
{
  const struct point *p;
  if (kind == TABLE)
    p = &pts[first[k]];
  else
    p = &pts[k % N];
  *out = p->value;
}
__attribute__ ((noinline)) double
some_calls (const struct point *pts, const int *first, const unsigned *keys, int n, int kind)
{
  double sum = 0, out;
  for (int j = 0; j < n; j++)
    {
      look_up (pts, first, keys[j], kind, &out);
      sum += out;
    }
  return sum;
}
/* The result lies in an array that lives for one iteration, and of the ways that are not
   used, one has branches of its own.  */
__attribute__ ((noinline)) static void
look_up_parts (const struct point *pts, const int *first, unsigned k, int kind, unsigned last,
	       double *out)
{
  const struct point *p;
  if (kind == TABLE)
    p = &pts[first[k]];
  else if (kind == DIRECT)
    p = &pts[k % N];
  else
    {
      unsigned end = k == last ? N : first[k + 1] + 1u;
      for (p = &pts[first[k]]; p->value < k && p < pts + end; p++)
	;
    }
  out[0] = p->value;
  out[1] = p->rest[0];
}
__attribute__ ((noinline)) double
some_ways (const struct point *pts, const int *first, const unsigned *keys, int n, int kind,
	   unsigned last)
{
  double sum = 0;
  for (int j = 0; j < n; j++)
    {
      double out[2];
      look_up_parts (pts, first, keys[j], kind, last, out);
      sum += out[0] + out[1];
    }
  return sum;
}
/* The call does not return for a key that is in no table.  */
__attribute__ ((noinline)) static double
look_up_or_leave (const struct point *pts, const int *first, unsigned k)
{
  double value = pts[first[k]].value;
  if (value < 0)
    {
      printf ("left\n");
      exit (0);
    }
  return value;
}
__attribute__ ((noinline)) double
leaves (const struct point *pts, const int *first, const unsigned *keys, int n)
{
  double sum = 0;
  for (int j = 0; j < n; j++)
    sum += look_up_or_leave (pts, first, keys[j]);
  return sum;
}
/* The call makes the next key.  */
__attribute__ ((noinline)) static double
look_up_and_write (const struct point *pts, const int *first, unsigned k, unsigned *next)
{
  double value = pts[first[k]].value;
  *next = (k + 77773u) % N;
  return value;
}
__attribute__ ((noinline)) double
writes (const struct point *pts, const int *first, unsigned *keys, int n)
{
  double sum = 0;
  for (int j = 0; j < n; j++)
    sum += look_up_and_write (pts, first, keys[j], &keys[j + 1]);
  return sum;
}

int
main (int argc, char **argv)
{
  const char *what = argc > 1 ? argv[argc - 1] : "train";
  int all = strcmp (what, "train") == 0;
  struct point *pts = calloc (N, sizeof *pts);
  size_t size = N * sizeof (int);
  char *memory = mmap (NULL, size + PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int *first = (int *) memory;
  unsigned *keys = calloc (M + 1, sizeof *keys), x = 1;
  double sum = 0;
  mprotect (memory + size, PAGE, PROT_NONE);
  for (int i = 0; i < N; i++)
    {
      pts[i].value = i;
      first[i] = (x = x * 1664525 + 1013904223) >> 14;
    }
  for (int j = 0; j <= M; j++)
    keys[j] = j * 40503u % N;
  if (all)
    for (int i = 0; i < 4; i++)
      sum += some_calls (pts, first, keys, M, TABLE) + some_ways (pts, first, keys, M, TABLE, N);
  else if (strcmp (what, "some_calls") == 0 || strcmp (what, "some_ways") == 0)
    {
      for (int j = 0; j <= M; j++)
	keys[j] += 0x40000000u;
      sum += what[5] == 'c' ? some_calls (pts, NULL, keys, M, DIRECT)
			    : some_ways (pts, NULL, keys, M, DIRECT, N);
    }
  if (all || strcmp (what, "leaves") == 0)
    {
      if (!all)
	{
	  pts[first[keys[100]]].value = -1;
	  for (int j = 101; j <= M; j++)
	    keys[j] = 0x3ffffff0;
	}
      sum += leaves (pts, first, keys, M);
    }
  if (all || strcmp (what, "writes") == 0)
    {
      for (int j = 1; j <= M; j++)
	keys[j] = 0x3ffffff0;
      sum += writes (pts, first, keys, M);
    }
  printf ("%.0f\n", sum);
  return 0;
}
