/* layouts_other.c - another unit of layouts.c.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#define OTHER_TWICE
#include "layouts.h"

long
external_fine (int a, long b)
{
  return a * b;
}

long
inside_other (const struct inside *p)
{
  return p->first * 100 + p->middle * 10 + p->last;
}

__attribute__ ((noipa)) long
other_twice (const struct twice *p)
{
  return p->low * 10L + p->number;
}
