/* hand.h - an instrumented program written by hand.
   SPDX-License-Identifier: GPL-3.0-or-later

   What the plugin would emit for a translation unit with one function, one
   site that loads and one that stores, each in a basic block of its own.

     STORE (p); LOAD (p);        one record each
     hand_records                how many this process's code has written  */

#ifndef MEMPROF_E2E_RT_HAND_H
#define MEMPROF_E2E_RT_HAND_H

#include <stdint.h>
#include <stdlib.h>
#include "runtime/wire/record.h"
#include "runtime/wire/ring.h"
#include "runtime/wire/site_table.h"

extern __thread struct { volatile uint64_t cursor, limit; } __mprt_room
  __attribute__ ((tls_model ("initial-exec")));
extern __thread uint64_t __mprt_alloc_site
  __attribute__ ((tls_model ("initial-exec")));
void *__mprt_slow (void *);
void __mprt_unit (const struct mprt_unit *);
void __mprt_unit_unload (const struct mprt_unit *);

static const uint64_t hand_descriptors[16] __attribute__ ((aligned (64))) = {
  MPRT_DESC (MPRT_DESC_BLOCK, 0, 1, 2, MPRT_NO_LOOP),
  MPRT_ENTRY (0, 1, 0, MPRT_OP_LOAD, 8), 0, 0, 0, 0, 0, 0,
  MPRT_DESC (MPRT_DESC_BLOCK, 0, 1, 2, MPRT_NO_LOOP),
  MPRT_ENTRY (1, 1, 0, MPRT_OP_STORE, 8), 0, 0, 0, 0, 0, 0
};

/* Offsets: 0 "", 1 "hand.c", 8 "f", 10 "long", 15 "GNU C17 12.2.0",
   30 "malloc".  */
#define HAND_STRINGS "\0hand.c\0f\0long\0GNU C17 12.2.0\0malloc"

static const struct
{
  struct mprt_blob blob;
  struct mprt_function functions[1];
  struct mprt_site sites[2];
  struct mprt_alloc_site alloc_sites[1];
  char strings[40];
} hand_blob = {
  { MPRT_BLOB_MAGIC, MPRT_ABI, 1, 0, 2, 1, 0, 0, 40, 1, 15, 0, 0, 1, 0, 0, 0, 0 },
  { { 1, 8, 8, 10, 0x1234, 0, 0, 0, 0, 2, 0 } },
  { { 0, MPRT_OP_LOAD, 0, 11, 3, 8, MPRT_NONE, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0 },
    { 0, MPRT_OP_STORE, 0, 12, 3, 8, MPRT_NONE, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0 } },
  { { 0, 1, 13, 5, 30, 10 } },
  HAND_STRINGS
};

static const struct mprt_desc_table hand_tables[1] = { { hand_descriptors, 16 } };
static const unsigned char hand_alloc_sites[1] = { 0 };

#ifndef HAND_BACKEND
#define HAND_BACKEND 0
#endif

static const struct mprt_unit hand_unit = {
  MPRT_ABI, &hand_blob, sizeof hand_blob, hand_tables, 1, 0, 0,
  hand_alloc_sites, 1, HAND_BACKEND
};

__attribute__ ((constructor (101))) static void
hand_load (void)
{
  __mprt_unit (&hand_unit);
}

__attribute__ ((destructor (101))) static void
hand_unload (void)
{
  __mprt_unit_unload (&hand_unit);
}

static __attribute__ ((always_inline, unused)) inline void
hand_record (const uint64_t *descriptor, const volatile void *address)
{
  uint64_t cursor = __mprt_room.cursor;
  if (__builtin_expect (cursor >= __mprt_room.limit, 0))
    cursor = (uint64_t) __mprt_slow ((void *) cursor);
  uint64_t *record = (uint64_t *) cursor;
  record[1] = (uint64_t) address;
  __asm__ volatile ("" : : : "memory");
  record[0] = (uint64_t) descriptor | 2;
  __asm__ volatile ("" : : : "memory");
  __mprt_room.cursor = cursor + 16;
}

#define LOAD(p) hand_record (hand_descriptors, (p))
#define STORE(p) hand_record (hand_descriptors + 8, (p))

#endif
