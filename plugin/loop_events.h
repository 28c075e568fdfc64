/* loop_events.h - reports where loops begin and end.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LOOP_EVENTS_H
#define MEMPROF_LOOP_EVENTS_H

#include "record_emit.h"

namespace memprof::plugin {

/* Fills LOOPS, by loop number, and adds the loops to the site table.  */
void plan_loops (function *fun, const auto_vec<access_site> &sites,
		 const auto_delete_vec<range_record> &ranges,
		 auto_vec<loop_plan> &loops);

/* A place where a loop begins or ends, or where control comes back to it.  */
struct loop_event
{
  gimple *place;
  mprt_desc_kind kind;
  class loop *loop;		/* RESUME: or the function's root */
  bool frame;			/* the record names the function's frame */
  bool room;			/* as in block_record */
};

/* Finds the places.  Must follow the planning of block records: the store of a
   call on its fallthrough edge comes before the loop ends.  */
void plan_loop_events (function *fun, const vec<loop_plan> &loops,
		       edge_places &places, auto_vec<loop_event> &events);

} // namespace memprof::plugin

#endif
