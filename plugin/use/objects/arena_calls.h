/* arena_calls.h - calls of the library of arenas (runtime/arena), and what they become without it.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_ARENA_CALLS_H
#define MEMPROF_ARENA_CALLS_H

namespace memprof::plugin {

/* Whether the target has what these calls need, and no sanitizer has a malloc of its own.  */
bool arena_calls_possible_p ();

/* Which allocation function of those that the library replaces CALL calls; -1: none.  */
int allocation_row (gcall *call);

/* The bytes that CALL of row ROW allocates: the argument, or, if *COUNT is not null, the argument
   times *COUNT.  */
tree bytes_wanted (gcall *call, unsigned row, tree *count);

/* CALL of row ROW gets its memory as CELL says.  */
void give_cell (gcall *call, unsigned row, tree cell);

/* The malloc in the wrapper that CALL calls gets its memory as CELL says, if the wrapper is rebuilt,
   too.  */
void leave_hint (gcall *call, tree cell);

/* CALL of row ROW, in a wrapper, gets its memory as its caller's hint says.  False: there is no
   such function.  */
bool take_hint (gcall *call, unsigned row);

/* The library shall watch malloc's heap.  */
void watch_heap ();

/* The library shall have memory for small objects.  */
void use_slabs ();

/* Adds the symbol NAME to the unit, which makes the linker take in the part of the library that defines
   it.  */
void want_library (const char *name);

/* For plugin_init: what is written at the end of the unit.  */
void register_arena_calls (const char *plugin_name);

} // namespace memprof::plugin

#endif
