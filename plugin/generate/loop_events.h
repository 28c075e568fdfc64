/* loop_events.h - reports where loops begin and end.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LOOP_EVENTS_H
#define MEMPROF_LOOP_EVENTS_H

#include "plugin/generate/edge_places.h"
#include "plugin/generate/planned_record.h"
#include "plugin/sites/source_place.h"

namespace memprof::plugin {

/* What planning needs to know about the loops of a function; by number.  */
struct loop_plan
{
  bool events;			/* enter, iteration and exit are reported */
  bool ranged;			/* one range record describes it */
  bool nested;			/* a nest record represents its iterations */
  bool calls;			/* holds a call: may be left through it */
  unsigned row;			/* in the loop table of the unit */
};

/* The row of LOOP in records, MPRT_NO_LOOP outside of loops.  */
inline uint32_t
loop_row (const vec<loop_plan> &loops, class loop *loop)
{
  return loop_outer (loop) ? loops[loop->num].row : MPRT_NO_LOOP;
}

/* Fills LOOPS, by loop number, and adds the loops to the tables of the unit.  */
void plan_loops (function *fun, const auto_vec<access_site> &sites,
		 const auto_delete_vec<range_record> &ranges,
		 auto_vec<loop_plan> &loops);

/* Where loops with events begin and end.  Block records report that if they
   can; the rest gets records of its own.  */
class loop_bounds
{
public:
  void find (function *fun, const vec<loop_plan> &loops);

  /* The loop that ends where BB starts, on every path to it, or
     null.  */
  class loop *
  ended_at_start (basic_block bb)
  {
    class loop **loop = at_start_.get (bb);
    return loop ? *loop : nullptr;
  }

  /* The loop that ends on E, and not at the start of the block after it.  */
  class loop *
  ended_on (edge e)
  {
    unsigned *number = number_.get (e);
    return number ? exits_[*number].loop : nullptr;
  }

  /* The loop that begins at the end of BB, or null.  */
  class loop *
  begun_at_end (basic_block bb)
  {
    class loop **loop = at_end_.get (bb);
    return loop ? *loop : nullptr;
  }

  /* A block record says that a loop ends on E.  */
  void
  set_reported (edge e)
  {
    exits_[*number_.get (e)].reported = true;
  }

private:
  friend void plan_loop_events (function *, const vec<loop_plan> &,
				const loop_bounds &, edge_places &,
				auto_vec<struct loop_event> &);

  struct exit_edge
  {
    edge e;
    class loop *loop;
    bool reported;
  };

  void find_exits (function *fun, const vec<loop_plan> &loops);
  void find_begins (function *fun, const vec<loop_plan> &loops);

  hash_map<basic_block, class loop *> at_start_, at_end_;
  hash_map<edge, unsigned> number_;
  auto_vec<exit_edge> exits_;
  auto_vec<class loop *> begins_;	/* those that no block can report */
};

/* A place where a loop or a function begins or ends, or where control comes back
   to a loop.  */
struct loop_event
{
  gimple *place;
  mprt_op op;			/* ENTER, EXIT, FUNCTION_ENTER, _EXIT */
  bool resume;			/* RESUME instead */
  class loop *loop;		/* RESUME and FUNCTION: or the function's root */
  bool frame;			/* the record names the function's frame */
  bool room;			/* as in block_record */
  tree returned;		/* FUNCTION_EXIT: a pointer, or null */
};

/* Pointers that the record of a FUNCTION_ENTER holds, at most.  */
const unsigned k_most_arguments = 7;

/* A place that everything in FUN lies after, if functions are reported, or
   null.  To be called before any other place is made.  */
gimple *function_start (function *fun, edge_places &places);

/* Says that FUN begins at START, if that is not null, and where it returns.  To
   be called last.  */
void plan_function_events (function *fun, gimple *start, edge_places &places,
			   auto_vec<loop_event> &events);

/* Finds the places of events that no block record has reported.  Must follow
   the planning of block records: the store of a call on its fallthrough edge
   comes before the loop ends.  */
void plan_loop_events (function *fun, const vec<loop_plan> &loops,
		       const loop_bounds &bounds, edge_places &places,
		       auto_vec<loop_event> &events);

} // namespace memprof::plugin

#endif
