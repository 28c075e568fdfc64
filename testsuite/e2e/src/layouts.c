/* layouts.c - everything that may stand against moving the fields of a record.
   SPDX-License-Identifier: GPL-3.0-or-later

   Each case has a type of its own and prints a line that depends on where the
   fields lie.  field-order-obstacles.sh builds with another order of fields for every
   type that the compiler holds to be safe: the output must stay the same, and
   changes when one kind of obstacle is overlooked.  The cases `fine' are safe.  */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "layouts.h"

#define FIELDS char tag; int first; long middle; int last
#define CASE static __attribute__ ((noinline, noclone)) long

/* A hash that depends on the place of each byte.  */
CASE
bytes_at (const unsigned char *bytes, size_t n)
{
  long sum = 7;
  for (size_t i = 0; i < n; i++)
    sum = sum * 31 + bytes[i];
  return sum;
}

#define FILL(p)                                                               \
  (memset ((p), 0, sizeof *(p)), (p)->tag = 't', (p)->first = 11,             \
   (p)->middle = 222, (p)->last = 3333)

struct fine { FIELDS; char name[24]; struct fine *next; };
static struct fine fine_zero, *fine_list;

CASE
fine_value (struct fine f)
{
  f.middle++;
  return f.first + f.middle;
}

static struct fine
fine_made (int n)
{
  struct fine f = { 0 };
  f.first = n;
  f.middle = 5L * n;
  return f;
}

CASE
fine (void)
{
  long sum = fine_zero.middle;
  for (int i = 0; i < 10; i++)
    {
      struct fine *f = malloc (sizeof *f);
      FILL (f);
      snprintf (f->name, sizeof f->name, "number %d", i);
      f->next = fine_list;
      fine_list = f;
    }
  struct fine *array = calloc (4, sizeof *array);
  memcpy (array, fine_list, sizeof *array);
  array[1] = fine_made (4);
  memmove (array + 2, array, 2 * sizeof *array);
  for (struct fine *f = fine_list; f; f = f->next)
    sum += f->first * f->middle + f->last + f->tag + strlen (f->name);
  for (int i = 0; i < 4; i++)
    sum += fine_value (array[i]) * (i + 1) + (array + i == array + 2);
  array = realloc (array, 8 * sizeof *array);
  sum += array[3].middle + external_fine (fine_list->first, fine_list->middle);
  free (array);
  return sum;
}

struct from_wrapper { FIELDS; };
static void *
allocate (size_t n)
{
  void *p = malloc (n);
  if (!p)
    abort ();
  return p;
}

CASE
sum_wrapped (const struct from_wrapper *p)
{
  return p->first + 3 * p->middle + 5 * p->last + p->tag;
}
CASE
fine_from (void)
{
  struct from_wrapper *p = allocate (sizeof *p);
  FILL (p);
  long sum = sum_wrapped (p);
  free (p);
  return sum;
}

CASE
fine_inside (void)
{
  struct inside *p = malloc (sizeof *p);
  FILL (p);
  long sum = inside_other (p);
  free (p);
  return sum;
}

struct cast { FIELDS; };
CASE
case_cast (void)
{
  struct cast *p = malloc (sizeof *p);
  FILL (p);
  return bytes_at ((const unsigned char *) p, sizeof *p) + p->first;
}

struct to_void { FIELDS; };
CASE
bytes_of_void (const void *p, size_t n)
{
  return bytes_at (p, n);
}
CASE
case_void_pointer (void)
{
  struct to_void *p = malloc (sizeof *p);
  FILL (p);
  return bytes_of_void (p, sizeof *p) + p->first;
}

struct neighbours { int a, b, c, d; };
CASE
second (const int *p)
{
  return p[1];
}
CASE
case_field_address (void)
{
  struct neighbours *p = malloc (sizeof *p);
  p->a = 1;
  p->b = 20;
  p->c = 300;
  p->d = 4000;
  return second (&p->b) + p->a;
}

struct partly { FIELDS; };
size_t part_size = 12;
CASE
case_bytes (void)
{
  struct partly *p = malloc (sizeof *p);
  unsigned char buffer[12] = { 0 };
  FILL (p);
  memcpy (buffer, p, part_size);
  return bytes_at (buffer, sizeof buffer) + p->first;
}

CASE
case_external (void)
{
  struct shared *p = malloc (sizeof *p);
  FILL (p);
  return library_shared (p) + p->first;
}

struct returned { FIELDS; };
static struct returned *returned_memory;
static union { unsigned char bytes[24]; long align; } raw;
static __attribute__ ((noinline, noclone)) void *
get_raw (void)
{
  for (int i = 0; i < 24; i++)
    raw.bytes[i] = i * 3;
  return raw.bytes;
}
CASE
case_from (void)
{
  struct returned *p = get_raw ();
  returned_memory = p;
  return p->first + p->middle * 3 + p->last * 7 + p->tag;
}

struct initialised { FIELDS; };
CASE
case_initialiser (void)
{
  static struct initialised x = { .middle = 222 };
  x.first++;
  return x.middle + x.first;
}

struct measured { FIELDS; } *measured_one;
CASE
case_offsetof (void)
{
  struct measured *p = measured_one = malloc (sizeof *p);
  FILL (p);
  return offsetof (struct measured, first) * p->first;
}

typedef struct { FIELDS; } by_hand;
by_hand *by_hand_one;
CASE
case_offset_by_hand (void)
{
  by_hand *p = by_hand_one = malloc (sizeof *p);
  FILL (p);
  return (long) (uintptr_t) &((by_hand *) 0)->first * p->first;
}

struct a_part { FIELDS; };
union whole { struct a_part part; unsigned char bytes[24]; };
CASE
fill_part (struct a_part *p)
{
  p->first = 11;
  p->middle = 222;
  return p->first;
}
CASE
case_part (void)
{
  union whole w;
  memset (&w, 0, sizeof w);
  return fill_part (&w.part) + bytes_at (w.bytes, sizeof w.bytes);
}

struct argument { FIELDS; };
static __attribute__ ((noinline, noclone)) long
variable (int n, ...)
{
  va_list list;
  va_start (list, n);
  long sum = bytes_at (va_arg (list, unsigned char *), n);
  va_end (list);
  return sum;
}
CASE
case_variadic (void)
{
  struct argument *p = malloc (sizeof *p);
  FILL (p);
  return variable (sizeof *p, p) + p->first;
}

struct in_asm { FIELDS; };
CASE
case_asm (void)
{
  struct in_asm *p = malloc (sizeof *p);
  FILL (p);
  long x = p->first;
#ifdef __x86_64__
  __asm__ ("movslq 4(%1), %0" : "=r" (x) : "r" (p) : "memory");
#elif defined __aarch64__
  __asm__ ("ldrsw %0, [%1, 4]" : "=r" (x) : "r" (p) : "memory");
#endif
  return x;
}

CASE
case_definitions (void)
{
  struct twice *p = malloc (sizeof *p);
  FILL (p);
  return other_twice (p) + p->first;
}

/* Registers of a device, which knows them by their places; here another name for the
   same memory does.  */
struct in_device { FIELDS; };
volatile struct in_device device __attribute__ ((used));
extern unsigned char device_bytes[];  /* --defsym */
CASE
case_volatile (void)
{
  device.tag = 't';
  device.first = 11;
  device.middle = 222;
  device.last = 3333;
  return bytes_at (device_bytes, sizeof device) + device.first;
}

/* What has no length would lie where the last field comes.  */
struct open { FIELDS; char rest[]; } *open_one;
CASE
case_fixed (void)
{
  struct open *p = open_one = malloc (2 * sizeof *p);
  FILL (p);
  p->rest[0] = 'r';
  p->rest[1] = 's';
  return p->last + p->first + p->rest[0];
}

/* The same bytes under another name of the pointer.  */
struct in_union { FIELDS; };
union pointers { struct in_union *record; unsigned char *bytes; };
CASE
case_union (void)
{
  union pointers u;
  u.record = malloc (sizeof *u.record);
  FILL (u.record);
  return bytes_at (u.bytes, sizeof *u.record) + u.record->first;
}

struct pointed { FIELDS; };
size_t pointer_size = sizeof (void *);
CASE
case_pointer_bytes (void)
{
  struct pointed *p = malloc (sizeof *p);
  const unsigned char *bytes;
  FILL (p);
  memcpy (&bytes, &p, pointer_size);
  return bytes_at (bytes, sizeof *p) + p->first;
}

CASE
case_indirect (void)
{
  const struct plug_ops *ops = library_ops ();
  struct plugged *p = malloc (sizeof *p);
  FILL (p);
  return ops->value (p) + p->first;
}

struct ordered { char tag; int low; long high; };
CASE
ordered_low (const struct ordered *p)
{
  return p->low + p->tag;
}
CASE
case_address_order (void)
{
  struct ordered *p = malloc (sizeof *p);
  p->tag = 't', p->low = 11, p->high = 222;
  return ordered_low (p) + 2 * ((char *) &p->low < (char *) &p->high);
}

struct in_assembler { FIELDS; };
struct in_assembler assembler_one;
#ifdef __x86_64__
__asm__ (".text\n.globl second_word\nsecond_word:\n\tmovslq 4+assembler_one(%rip), %rax\n\tret");
#elif defined __aarch64__
__asm__ (".text\n.globl second_word\nsecond_word:\n\tadrp x0, assembler_one\n"
	 "\tadd x0, x0, :lo12:assembler_one\n\tldrsw x0, [x0, 4]\n\tret");
#else
long second_word (void) { return assembler_one.first; }
#endif
long second_word (void);
CASE
case_asm_name (void)
{
  FILL (&assembler_one);
  return second_word () + assembler_one.last;
}

/* Reversed, it would reach beyond its memory.  */
struct too_short { FIELDS; };
CASE
short_first (const struct too_short *p)
{
  return p->first + p->tag;
}
CASE
case_size (void)
{
  struct too_short *p = malloc (sizeof *p - sizeof p->last + part_size);
  p->tag = 1, p->first = 2;
  return short_first (p);
}

struct tail { FIELDS; char text[4]; };
CASE
tail_first (const struct tail *p)
{
  return p->first + p->text[0];
}
CASE
case_tail (void)
{
  struct tail *p = malloc (2 * sizeof *p);
  FILL (p);
  p->text[0] = 'x';
  return tail_first (p);
}

/* Nothing but the debugger would notice these.  */
struct packed_one { FIELDS; } __attribute__ ((packed)) packed;
struct bits { FIELDS; unsigned x : 3, y : 5; } bits;
CASE
others (void)
{
  FILL (&packed);
  FILL (&bits);
  bits.x = 2;
  return packed.middle + bits.x + bits.middle;
}

#define PRINT(f) printf (#f " %ld\n", f ())
int
main (void)
{
  PRINT (fine);
  PRINT (fine_from);
  PRINT (fine_inside);
  PRINT (case_cast);
  PRINT (case_void_pointer);
  PRINT (case_field_address);
  PRINT (case_bytes);
  PRINT (case_external);
  PRINT (case_from);
  PRINT (case_initialiser);
  PRINT (case_offsetof);
  PRINT (case_offset_by_hand);
  PRINT (case_part);
  PRINT (case_variadic);
  PRINT (case_asm);
  PRINT (case_definitions);
  PRINT (case_volatile);
  PRINT (case_fixed);
  PRINT (case_union);
  PRINT (case_pointer_bytes);
  PRINT (case_indirect);
  PRINT (case_address_order);
  PRINT (case_asm_name);
  PRINT (case_size);
  PRINT (case_tail);
  PRINT (others);
  return 0;
}
