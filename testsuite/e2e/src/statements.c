/* statements.c - one function per kind of statement that accesses memory.
   SPDX-License-Identifier: GPL-3.0-or-later

   Prints numbers that every build must print.  Used by gen/levels.sh.  */
#include <alloca.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf back;
static int counts[8];
static struct { unsigned a : 5, b : 11, c : 20; } bits;
static volatile int watched;
static _Complex double number;
typedef int v4 __attribute__ ((vector_size (16)));
static v4 left[8], right[8];
static const char digits[] = "0123456789";

__attribute__ ((noinline)) static void
jump (int k)
{
  counts[k & 7]++;
  if (k > 3)
    longjmp (back, k);
}

static int
set_jump (int *p, int n)
{
  int i = 0;
  int *q = p;
  if (setjmp (back))
    {
      q++;
      i = 5;
      if (*q > 3)
        return -1;
    }
  for (; i < n; i++)
    {
      *q += i;
      q = p + (i & 3);
      int k = *q;
      /* A longjmp may bring back what q was at setjmp, or not.  */
      if (k > 3)
        q = p;
      jump (k);
    }
  return *q;
}

static int
exchange (int *p)
{
  int expected = 2;
  int done = __atomic_compare_exchange_n (p, &expected, 7, 0, 5, 5);
  return done + __atomic_fetch_add (p, 1, 0)
         + __sync_val_compare_and_swap (p, 8, 9)
         + __sync_bool_compare_and_swap (p, 100, 1);
}

static int
strings (char *d, const char *s, int n)
{
  char *copy = strdup (s);
  strcpy (d, s);
  strcat (d, s);
  strncpy (d + 20, s, n);
  int r = strlen (d) + strnlen (s, n) + (strchr (s, 'l') != 0)
          + (memchr (d, 'z', 20) != 0) + (strcmp (d, s) > 0);
  r += sprintf (d, "%d", n) + snprintf (d, 4, "%d", n * 1000);
  free (copy);
  return r;
}

static int
computed_goto (int *p, int n)
{
  static void *const table[] = { &&a, &&b, &&c };
  int i = 0;
  goto *table[p[0] % 3];
a:
  p[1]++;
  if (++i > n)
    return p[1];
  goto *table[p[i] % 3];
b:
  p[2]++;
  if (++i > n)
    return p[2];
  goto *table[p[i] % 3];
c:
  p[3] += p[4];
  if (++i > n)
    return p[3];
  goto *table[p[i] % 3];
}

static int
early_exits (int *p, int n)
{
  int s = 0;
  for (int i = 0; i < n; i++)
    switch (p[i])
      {
      case 1: s += p[0]; break;
      case 2: return s;
      case 3: continue;
      case 4: goto out;
      default: s ^= p[i];
      }
out:
  return s;
}

static int
find (const int *p, const int *q, int n)
{
  for (int i = 0; i < n; i++)
    {
      if (p[i] == 7)
        return i;
      if (q[i] < p[i])
        return -i;
    }
  return n;
}

static int
assembly (int *p)
{
  int r;
  __asm__ ("" : "=r"(r) : "0"(3), "m"(p[0]));
  __asm__ volatile ("" : "+m"(p[1]));
  __asm__ ("" : "=m"(p[2]));
  return r;
}

static int
on_stack (int n)
{
  int a[n];
  char *c = alloca (n);
  struct { char b[300]; } s = { 0 };
  memset (c, 1, n);
  for (int i = 0; i < n; i++)
    a[i] = c[i] + i;
  s.b[n] = 3;
  return a[n - 1] + s.b[n];
}

static int
parts (_Complex double *p, int n)
{
  double r = 0;
  for (int i = 0; i < n; i++)
    {
      r += __real__ p[i];
      number = p[i];
      bits.a = i;
      bits.b += i;
      bits.c = bits.b;
      watched = i;
    }
  for (int i = 0; i < 8; i++)
    left[i] += right[i];
  return r + __imag__ number + bits.c + bits.a + left[1][2];
}

static int
wrapping (unsigned char *p, int n)
{
  unsigned char s = 0, k = 250;
  for (int i = 0; i < n; i++)
    s += p[k++];
  while (n-- > 0)
    s += digits[n % 10] + p[n];
  return s;
}

static int
nested (int **rows, int n)
{
  int s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += rows[i][j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      if (rows[i][j] & 1)
        s++;
  return s;
}

int
main (void)
{
  int a[10] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
  int b[10] = { 9, 9, 9, 9, 9, 9, 9, 9, 9, 9 };
  int two = 2;
  char text[100] = "", bytes[300] = { 1 };
  int *rows[3] = { a, a + 1, a + 2 };
  _Complex double numbers[3] = { 1, 2, 3 };
  printf ("%d %d\n", set_jump (a, 9), exchange (&two));
  printf ("%d %d\n", strings (text, "hello", 7), computed_goto (a, 5));
  printf ("%d %d\n", early_exits (a, 10), find (a, b, 10));
  printf ("%d %d\n", assembly (a), on_stack (9));
  printf ("%d %d\n", parts (numbers, 3),
          wrapping ((unsigned char *) bytes, 20));
  printf ("%d %d\n", nested (rows, 3), a[1]);
  return 0;
}
