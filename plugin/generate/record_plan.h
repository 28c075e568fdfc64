/* record_plan.h - which accesses of a function share a record.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_RECORD_PLAN_H
#define MEMPROF_RECORD_PLAN_H

#include "plugin/generate/loop_events.h"

namespace memprof::plugin {

struct local_births;

/* Appends the block records of all blocks of FUN outside of ranged loops, and marks what
   they report of loops in BOUNDS.  Takes the BIRTHS of local variables out if a record
   reports them, too.  Row FIRST_SITE belongs to the first site of the function.  */
void plan_block_records (function *fun, const auto_vec<access_site> &sites,
			 unsigned first_site, const vec<loop_plan> &loops,
			 loop_bounds &bounds,
			 local_births &births, edge_places &places,
			 auto_delete_vec<block_record> &records);

} // namespace memprof::plugin

#endif
