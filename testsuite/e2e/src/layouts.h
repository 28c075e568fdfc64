/* layouts.h - what layouts.c shares with its other unit and its library.
   SPDX-License-Identifier: GPL-3.0-or-later  */

struct inside { char tag; int first; long middle; int last; };
struct shared { char tag; int first; long middle; int last; };
#ifndef OTHER_TWICE
struct twice { char tag; int first; long middle; int last; };
#else
struct twice { char name; int number, low, high, rest; };
#endif

long external_fine (int a, long b);
long inside_other (const struct inside *p);
long other_twice (const struct twice *p);
long library_shared (const struct shared *p);

struct plugged { char tag; int first; long middle; int last; };
struct plug_ops { long (*value) (const struct plugged *); };
void *library_ops (void);
