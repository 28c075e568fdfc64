/* cg.c - conjugate gradients with a sparse matrix in rows.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: cg [ROWS [ITERATIONS]]

   Symmetric, ROWS rows, a heavy diagonal and eight entries at random columns on
   each side; the product gathers from the vector.  */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct matrix
{
  int rows;
  int *first;			/* of each row in `column' and `value' */
  int *column;
  double *value;
};

static void *
allocate (size_t count, size_t size)
{
  void *p = calloc (count, size);
  if (!p)
    exit (1);
  return p;
}

static struct matrix
make_matrix (int n)
{
  enum { SIDE = 8 };
  struct matrix m = { n, allocate (n + 2, sizeof (int)), NULL, NULL };
  size_t pairs = (size_t) n * SIDE;
  int *from = allocate (pairs, sizeof *from), *to = allocate (pairs, sizeof *to);
  uint64_t x = 88172645463325252u;
  for (size_t e = 0; e < pairs; e++)
    {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      from[e] = (int) (e / SIDE);
      to[e] = (int) ((x >> 20) % n);
      m.first[from[e] + 2]++;
      m.first[to[e] + 2]++;
    }
  for (int i = 0; i < n; i++)
    m.first[i + 2] += m.first[i + 1] + 1;
  m.column = allocate (2 * pairs + n, sizeof *m.column);
  m.value = allocate (2 * pairs + n, sizeof *m.value);
  for (int i = 0; i < n; i++)
    {
      int at = m.first[i + 1]++;
      m.column[at] = i;
      m.value[at] = 100;
    }
  for (size_t e = 0; e < pairs; e++)
    {
      int a = m.first[from[e] + 1]++, b = m.first[to[e] + 1]++;
      m.column[a] = to[e];
      m.column[b] = from[e];
      m.value[a] = m.value[b] = -1;
    }
  free (from);
  free (to);
  return m;
}

static void
multiply (const struct matrix *m, const double *x, double *y)
{
  for (int i = 0; i < m->rows; i++)
    {
      double sum = 0;
      for (int e = m->first[i]; e < m->first[i + 1]; e++)
	sum += m->value[e] * x[m->column[e]];
      y[i] = sum;
    }
}

static double
dot (int n, const double *a, const double *b)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* A += FACTOR * B  */
static void
add (int n, double *a, double factor, const double *b)
{
  for (int i = 0; i < n; i++)
    a[i] += factor * b[i];
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 300000, rounds = argc > 2 ? atoi (argv[2]) : 120;
  if (n < 1 || n > 50000000)
    return 2;
  struct matrix m = make_matrix (n);
  double *x = allocate (n, sizeof *x), *r = allocate (n, sizeof *r);
  double *p = allocate (n, sizeof *p), *ap = allocate (n, sizeof *ap);
  for (int i = 0; i < n; i++)
    p[i] = r[i] = (i % 10) - 4.5;
  double rr = dot (n, r, r);
  for (int k = 0; k < rounds && rr > 1e-200; k++)
    {
      multiply (&m, p, ap);
      double alpha = rr / dot (n, p, ap);
      add (n, x, alpha, p);
      add (n, r, -alpha, ap);
      double next = dot (n, r, r), beta = next / rr;
      for (int i = 0; i < n; i++)
	p[i] = r[i] + beta * p[i];
      rr = next;
    }
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * (i % 7);
  printf ("%.6e\n", sum);
  return 0;
}
