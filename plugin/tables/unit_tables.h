/* unit_tables.h - the tables in which a unit describes itself to the backend.
   SPDX-License-Identifier: GPL-3.0-or-later

   Rows of runtime/wire/site_table.h.  A function's rows are added while its
   pass runs; the tables are written at the end of the unit.  */

#ifndef MEMPROF_UNIT_TABLES_H
#define MEMPROF_UNIT_TABLES_H

#include "plugin/sites/function_key.h"
#include "runtime/wire/site_table.h"

namespace memprof::plugin {

class descriptor_table;

namespace unit_tables {

/* Starts the row of a function.  Its sites and loops follow.  */
void begin_function (function *fun, const function_key &key);

/* The row of the function that was begun last.  */
unsigned this_function ();

/* Rows that the next site and the next loop will have.  */
unsigned next_site ();
unsigned next_loop ();

/* Whether SITES more would be too many for the records.  */
bool full_p (unsigned sites);

void add_loop (location_t where, unsigned parent_row);
void add_site (const access_site &site, unsigned loop_row);

/* Sample mode: there are loop samples of SITE, which is in the current function.  */
void mark_sampled (const access_site &site);

/* Returns the row of the local variable DECL (or what alloca returned, if
   null) of the current function.  */
unsigned add_local (tree decl, location_t where);

/* Returns the row of the function DECL, which code of the unit calls or, with
   MPRT_CALLEE_DEFINED, which has no row of its own.  */
unsigned add_callee (tree decl, unsigned flags);

/* Adds CALL of the current function, of one of a system header.  */
void add_header_call (gcall *call);

/* Adds allocating CALL; the result is the constant address that names it.  */
tree add_alloc_site (gcall *call, const char *allocator);

/* Adds an obstacle to moving the fields of the record TYPE, as in type_table.h.
   */
void add_obstacle (tree type, const char *kind, const char *detail,
		   location_t where, bool each = false);

/* Sample mode: WEIGHT says how many first entries of the current function are still to come.  */
void add_entry_weight (tree weight);

/* Adds the descriptors of the current function.  */
void add_descriptors (descriptor_table &descriptors);

/* For plugin_init.  AT_END is called once the tables of a unit are written, while
   assembly can still be added.  */
void register_callbacks (const char *plugin_name, void (*at_end) ());

/* Whether FUN is the constructor or destructor made here.  */
bool own_function_p (function *fun);

} // namespace unit_tables

} // namespace memprof::plugin

#endif
