/* seen_loads.h - loads from among the places that a loop has loaded from.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_SEEN_LOADS_H
#define MEMPROF_SEEN_LOADS_H

#include "plugin/use/prefetch/list_walk.h"

namespace memprof::plugin {

/* Whether LOAD, in each iteration of LOOP, loads from one object that stays while LOOP runs,
   before control comes to PLACE.  */
bool loads_one_object_p (class loop *loop, gimple *load, basic_block place);

/* The lowest and the highest address that LOAD has loaded from since LOOP was entered, as
   names of unsigned words that are known after LOAD.  */
struct seen_places
{
  tree low, high;
};
seen_places note_seen_places (class loop *loop, gimple *load);

/* A load from the first node of each list of WALK, which ENTRY, a loop in LOOP, goes through
   in each iteration of LOOP, if all first nodes are in one object that stays while LOOP runs;
   else null.  */
gassign *first_nodes_of_one_object (class loop *loop, class loop *entry, const list_walk &walk);

/* The lowest and the highest address from which WALK's next may be loaded, going by what SURE
   has loaded from first nodes in the iterations of LOOP before the present one.  HIGH is 0 in
   the first.  */
seen_places note_first_nodes (class loop *loop, class loop *entry, const list_walk &walk,
			      gassign *sure);

} // namespace memprof::plugin

#endif
