/* streams.c - loops that store line after line, in every way, for streaming stores.
   SPDX-License-Identifier: GPL-3.0-or-later

     streams train       each kernel, for a while
     streams all         each kernel at every place in a line and many lengths; prints a checksum each
     streams only NAME   one kernel

   A kernel is right when the checksums are those of a build without optimisation.  */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define KERNEL __attribute__ ((noinline, noclone)) static void

enum { SIZE = 1 << 16 };
typedef double pair __attribute__ ((vector_size (16), aligned (8), may_alias));
struct point { double x, y; };
struct mixed { int a; float b; long c; };

static char to[SIZE] __attribute__ ((aligned (64))), from[SIZE] __attribute__ ((aligned (64)));

KERNEL doubles (void *a, const void *b, long n)
{
  double *restrict x = a;
  const double *restrict y = b;
  for (long i = 0; i < n; i++)
    x[i] = y[i] * 0.5 + 1;
}
KERNEL halves (void *a, const void *b, long n)
{
  float *restrict x = a;
  const float *restrict y = b;
  for (long i = 0; i < n; i++)
    x[i] = y[i] * 0.25f + 2;
}
KERNEL ints (void *a, const void *b, long n)
{
  int *restrict x = a;
  const int *restrict y = b;
  for (long i = 0; i < n; i++)
    x[i] = y[i] ^ (int) i;
}
KERNEL bytes (void *a, const void *b, long n)
{
  unsigned char *restrict x = a;
  const unsigned char *restrict y = b;
  for (long i = 0; i < n; i++)
    x[i] = y[i] + 3;
}
KERNEL downwards (void *a, const void *b, long n)
{
  long *restrict x = a;
  const long *restrict y = b;
  for (long i = n - 1; i >= 0; i--)
    x[i] = y[i] - i;
}
KERNEL points (void *a, const void *b, long n)
{
  struct point *restrict x = a;
  const double *restrict y = b;
  for (long i = 0; i < n; i++)
    x[i].y = y[i], x[i].x = -y[i];
}
KERNEL hole (void *a, const void *b, long n)
{
  struct point *restrict x = a;
  const double *restrict y = b;
  for (long i = 0; i < n; i++)
    x[i].y = y[i];
}
KERNEL members (void *a, const void *b, long n)
{
  struct mixed *restrict x = a;
  const int *restrict y = b;
  for (long i = 0; i < n; i++)
    x[i].a = y[i], x[i].b = y[i], x[i].c = i;
}
KERNEL some (void *a, const void *b, long n)
{
  long *restrict x = a;
  const long *restrict y = b;
  for (long i = 0; i < n; i++)
    if (y[i] & 1)
      x[i] = i;
}
KERNEL rows (void *a, const void *b, long n)
{
  double *x = a;
  const double *y = b;
  for (long i = 0; i < 5; i++)
    for (long j = 0; j < n / 5; j++)
      x[i * (n / 5) + j] = y[i + j] * y[j];
}
KERNEL in_place (void *a, const void *b, long n)
{
  long *x = a;
  (void) b;
  for (long i = 1; i < n; i++)
    x[i] = x[i] + x[i - 1];
}
KERNEL vectors (void *a, const void *b, long n)
{
  pair *x = a;
  const pair *y = b;
  for (long i = 0; i < n / 2; i++)
    x[i] = y[i] + y[i];
}
KERNEL stops (void *a, const void *b, long n)
{
  int *restrict x = a;
  const int *restrict y = b;
  for (long i = 0; i < n; i++)
    {
      if (y[i] == 77)
	break;
      x[i] = y[i];
    }
}
KERNEL fans_out (void *a, const void *b, long n)
{
  long *restrict x = a;
  const long *restrict y = b;
  long sum = 0;
  for (long i = 0; i < n / 5; i++)
    {
      sum = sum * 3 + y[i];
      x[i] = sum;
      x[i + 1000] = sum + 1;
      x[i + 2000] = sum + 2;
      x[i + 3000] = sum + 3;
      x[i + 4000] = sum + 4;
    }
}

static const struct { const char *name; void (*call) (void *, const void *, long); unsigned bytes; } kernels[] = {
#define ROW(name, bytes) { #name, name, bytes },
  ROW (doubles, 8) ROW (halves, 4) ROW (ints, 4) ROW (bytes, 1) ROW (downwards, 8) ROW (points, 16) ROW (hole, 16)
  ROW (members, 16) ROW (some, 8) ROW (rows, 8) ROW (in_place, 8) ROW (vectors, 8) ROW (stops, 4)
  ROW (fans_out, 8)
};

static void fill (void)
{
  for (int i = 0; i < SIZE / 4; i++)
    {
      uint32_t value = i * 2654435761u % 1000;
      memcpy (to + 4 * i, &value, 4);
      value = i * 40503u % 1000;
      memcpy (from + 4 * i, &value, 4);
    }
}

int main (int argc, char **argv)
{
  for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++)
    {
      uint64_t sum = 0;
      if (argc > 2 && strcmp (argv[2], kernels[k].name))
	continue;
      fill ();
      if (!strcmp (argv[1], "train"))
	for (int i = 0; i < 40; i++)
	  kernels[k].call (to, from, SIZE / 2 / kernels[k].bytes);
      for (int at = 0; at < 64; at += kernels[k].bytes > 8 ? 8 : kernels[k].bytes)
	for (long n = 0; n < 300; n += 1 + n / 9)
	  {
	    kernels[k].call (to + at, from + at % 24, n);
	    for (int i = 0; i < SIZE / 8; i += 3)
	      {
		uint64_t word;
		memcpy (&word, to + 8 * i, 8);
		sum = sum * 31 + word;
	      }
	  }
      printf ("%s %llx\n", kernels[k].name, (unsigned long long) sum);
    }
  return 0;
}
