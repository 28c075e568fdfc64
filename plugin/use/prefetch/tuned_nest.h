/* tuned_nest.h - a nest of loops whose prefetches are on trial.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_TUNED_NEST_H
#define MEMPROF_TUNED_NEST_H

#include "plugin/use/match/loop_facts.h"

namespace memprof::plugin {

/* A nest that gets a copy, counters and calls of the library runtime/tune; see tuned_nest.cc.  */
class tuned_nest
{
public:
  /* The nest around LOOP that a trial is about, by the counts of FACTS; null: there is none that
     is long enough and can be copied.  */
  static class loop *around (class loop *loop, loop_facts &facts);

  /* The nest LOOP, whose iterations of COUNTED, a loop in it, are counted.  */
  tuned_nest (class loop *loop, class loop *counted) : loop_ (loop), counted_ (counted) {}

  class loop *loop () const { return loop_; }
  /* Copies the nest; PLACES are those of its prefetches.  FALLBACK: the level without the library; PREDICTED: how many times faster the
     best prefetch makes its loop; DISTANCES: whether there is more than one level.  */
  void version (unsigned fallback, double predicted, bool distances, const vec<location_t> &places);
  /* What prefetches of the nest look ahead by; 0: they are off.  */
  tree factor () const { return factor_; }
  /* Adds counters and calls.  After all prefetches are inserted.  */
  void measure ();

private:
  void choose_setting ();
  void look_again ();
  void count ();
  void leave (edge exit);
  void begin_slice (gimple_seq *seq, tree answer);

  class loop *loop_, *counted_;
  tree cell_ = NULL_TREE, state_ = NULL_TREE;
  unsigned fallback_ = 0;
  // Registers that are not in SSA form yet.
  tree setting_ = NULL_TREE, factor_ = NULL_TREE, left_ = NULL_TREE, start_ = NULL_TREE;
};

/* At the end of a unit: the link takes the library in if there was a nest.  */
void register_tuned_nests (const char *plugin_name);

} // namespace memprof::plugin

#endif
