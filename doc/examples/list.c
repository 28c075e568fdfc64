/* list.c - builds a linked list and adds up its values.
   SPDX-License-Identifier: GPL-3.0-or-later

   list.memprof.json is its profile:
     gcc -specs=$(memprof --specs) -O2 -g -fprofile-mem-generate list.c -o list
     ./list  */

#include <stdio.h>
#include <stdlib.h>

struct node { struct node *next; long value; };

__attribute__ ((noinline)) struct node *
build (int n)
{
  struct node *head = NULL;
  for (int i = 0; i < n; i++)
    {
      struct node *p = malloc (sizeof *p);
      p->next = head;
      p->value = i;
      head = p;
    }
  return head;
}

__attribute__ ((noinline)) long
sum (const struct node *p)
{
  long s = 0;
  for (; p; p = p->next)
    s += p->value;
  return s;
}

int
main (void)
{
  printf ("%ld\n", sum (build (1000)));
  return 0;
}
