/* seen_loads.h - loads from among the places that a loop has loaded from.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_SEEN_LOADS_H
#define MEMPROF_SEEN_LOADS_H

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

} // namespace memprof::plugin

#endif
