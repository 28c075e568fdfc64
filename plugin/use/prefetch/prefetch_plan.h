/* prefetch_plan.h - a prefetch that is decided on, and how it is inserted.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_PREFETCH_PLAN_H
#define MEMPROF_PREFETCH_PLAN_H

#include "plugin/use/prefetch/accessed_subrange.h"
#include "plugin/use/prefetch/look_ahead.h"
#include "plugin/use/prefetch/search_step.h"
#include "plugin/use/prefetch/tuned_nest.h"

namespace memprof::plugin {

/* All caches of the target have lines of at least this many bytes.  */
constexpr int k_line_bytes = 64;

/* What is decided about the load STMT of REF as seen from LOOP.  With ENTRY, a loop in LOOP: about
   the first address of the load in ENTRY; with NEXT, the list that ENTRY walks: about its second
   address.  */

struct prefetch_plan
{
  prefetch_plan (gimple *load, tree read, class loop *from, class loop *inner,
		 const list_walk &next = {})
    : stmt (load), ref (read), loop (from), entry (inner), second (next.node),
      ahead (load, read, from, inner, next), search (load, read, from)
  {}

  /* Whether the load is one of a binary search.  */
  bool search_p ();
  /* Fills in what *CODE says of a list, with TAKEN to be carried out.  */
  void describe_list (const vec<prefetch_plan *> &taken, decide::PrefetchCode *code) const;

  /* Whether the distance can be half of that decided, and twice that.  */
  bool several_distances_p () const;
  /* How far it looks ahead; with FACTOR, what a trial multiplies that by.  */
  distance_ahead distance (tree factor) const;

  gimple *stmt;
  tree ref;
  class loop *loop, *entry;
  bool second;
  look_ahead ahead;
  search_step search;
  aff_tree address;
  // STRIDED: what the loop accesses of each step; otherwise 0, 0.
  step_part part = {};
  // A line next to it gets a prefetch already.
  bool covered = false;
  const decision_view *decision = nullptr;
  // The outermost loop of the nest that can measure it; null: there is none.
  class loop *measurable = nullptr;
  // The nest that it is on trial in; null: it is not.
  tuned_nest *nest = nullptr;

private:
  HOST_WIDE_INT nearest () const;
};

/* Inserts the prefetch of PLAN, which has been taken.  */
void insert_prefetch (prefetch_plan *plan);

} // namespace memprof::plugin

#endif
