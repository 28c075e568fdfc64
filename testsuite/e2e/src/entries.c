/* entries.c - a table of entries, keys and texts, by GET.  SPDX-License-Identifier: GPL-3.0-or-later  */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct entry { struct entry *next; long *key; char *text; long value; };
enum { N = 20000 }; long *make_key (long value);
int main (int argc, char **argv)
{
  struct entry **all = malloc (N * sizeof *all);
  for (int i = 0; i < N; i++)
    {
      struct entry *e = GET (sizeof *e);
      e->text = GET (200);
      memset (e->text, i, 200);
      e->key = make_key (i);
      e->value = i;
      all[i] = e;
    }
  if (argc > 1)
    printf ("%ld\n", (char *) all[7]->key - (char *) all[7]);
  long sum = 0;
  for (unsigned i = 0, x = 1; i < 10 * N; i++, x = x * 1664525 + 1013904223)
    {
      struct entry *e = all[(x >> 8) % N];
      sum = sum * 3 + e->value + e->key[1];
    }
  for (int i = 0; i < N; i++)
    {
      sum += all[i]->text[i % 200];
      free (all[i]->text);
      free (all[i]->key);
      free (all[i]);
    }
  printf ("%ld\n", sum);
  return 0;
}
