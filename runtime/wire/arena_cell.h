/* arena_cell.h - what a rebuilt program tells libmemprof_arena of an allocation call.
   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

   A call that the profile picks is __mprt_hot_malloc (size, &cell) instead of malloc (size).
   The plugin writes the cell, the library counts in it.  */

#ifndef MEMPROF_WIRE_ARENA_CELL_H
#define MEMPROF_WIRE_ARENA_CELL_H

#include <stdint.h>

/* One per allocation call in the program, or for several.  SITE: its number, zero at first.
   FIRST: the byte of a slab that its first object of one line begins at, 0 or 32 (arena.h says
   why), or MPRT_SHARED, if the objects are of a shared arena, MPRT_SHARED_HALF if that begins
   in the middle of a line.  PLAIN: a bit for each of the first 64 objects that is to be
   malloc's, and those after them are, too; 0: none is, and CALLS is not used; all: the objects
   are malloc's, and its heap has huge pages.  */
struct mprt_site_cell
{
  uint16_t site, first;
  uint32_t calls;
  uint64_t plain;
};

#define MPRT_SHARED 0xffff
#define MPRT_SHARED_HALF 0xfffe

#endif
