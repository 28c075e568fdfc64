/* unit_rows.h - the rows of a unit's tables, until they are written.
   SPDX-License-Identifier: GPL-3.0-or-later

   Shared by unit_tables.cc, which adds rows, and unit_writer.cc.  */

#ifndef MEMPROF_UNIT_ROWS_H
#define MEMPROF_UNIT_ROWS_H

#include "plugin/tables/string_pool.h"
#include "plugin/tables/type_table.h"
#include "runtime/wire/site_table.h"

namespace memprof::plugin::unit_tables {

struct unit_rows
{
  string_pool strings;
  auto_vec<mprt_function> functions;
  auto_vec<mprt_loop> loops;
  auto_vec<mprt_inlined> frames;
  auto_vec<mprt_header_call> calls;
  hash_map<tree, unsigned> frame_of;	/* of BLOCKs of the current function */
  auto_vec<mprt_site> sites;
  auto_vec<mprt_alloc_site> alloc_sites;
  auto_vec<mprt_local> locals;
  auto_vec<mprt_callee> callees;
  type_table types;
};

extern unit_rows rows;

/* The variable with a byte for each allocation site, whose address names the site.  */
tree alloc_site_names ();

} // namespace memprof::plugin::unit_tables

#endif
