/* record_plan.h - which accesses of a function share a record.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_RECORD_PLAN_H
#define MEMPROF_RECORD_PLAN_H

#include "plugin/generate/edge_places.h"
#include "plugin/generate/planned_record.h"

namespace memprof::plugin {

/* What planning needs to know about the loops of a function; by number.  */
struct loop_plan
{
  bool events;			/* enter, iteration and exit are reported */
  bool ranged;			/* one range record describes it */
  bool nested;			/* a record of a nest tells of its iterations */
  bool calls;			/* holds a call: may be left through it */
  unsigned row;			/* in the loop table of the unit */
};

class loop_bounds;
struct local_births;

/* Row FIRST_SITE belongs to the first site of the function.  Appends the block records of all blocks
   outside of ranged loops, and tells BOUNDS what they say about loops.  Takes
   the BIRTHS of local variables out if they say that, too.  */
void plan_block_records (function *fun, const auto_vec<access_site> &sites,
			 unsigned first_site, const vec<loop_plan> &loops,
			 loop_bounds &bounds,
			 local_births &births, edge_places &places,
			 auto_delete_vec<block_record> &records);

} // namespace memprof::plugin

#endif
