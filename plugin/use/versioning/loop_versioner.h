/* loop_versioner.h - one loop: can it be versioned, on what check, and doing it.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LOOP_VERSIONER_H
#define MEMPROF_LOOP_VERSIONER_H

#include "plugin/use/bridge.h"
#include "plugin/use/address/invariant_loads.h"
#include "plugin/use/match/loop_memory.h"

namespace memprof::plugin {

class loop_versioner
{
public:
  /* LOOP, and the innermost loop in it, perhaps itself.  */
  loop_versioner (class loop *loop, class loop *innermost);
  ~loop_versioner ();

  /* False: no store of the loop is in the way of anything, as far as the
     compiler sees, or nothing of it can be described.  */
  bool candidate_p () const { return !checks_.is_empty (); }

  const char *obstacle () const { return obstacle_; }
  unsigned checks () const { return checks_.length (); }
  unsigned hoisted () const { return hoisted_; }
  unsigned moved () const { return moved_; }
  unsigned lanes () const { return lanes_; }
  /* Accesses of the innermost loop that the next iteration of the loop around
     it repeats, and that two iterations done at once share; 0 when they cannot
     be done at once.  */
  unsigned shared () const { return shared_; }
  /* The pairs of sites that the checks are about.  */
  const vec<decide::SitePair> &pairs () const { return pairs_; }
  /* All accesses; the stores that are in the way.  */
  const vec<memory_ref> &refs () const { return memory_.refs (); }
  const memory_ref *first_store () const { return first_store_; }

  /* Makes two loops of it.  */
  void version ();

private:
  struct check
  {
    byte_range a, b;
  };

  bool analyse ();
  bool find_checks (hash_set<gimple *> *without);
  void count_gains ();
  void count_shared ();
  void add_check (const memory_ref &store, const memory_ref &other,
		  const byte_range &a, const byte_range &b);
  tree emit_condition (gimple_seq *seq);
  void mark_disjoint ();
  void mark_one (memory_ref &ref, unsigned short clique,
		 hash_map<tree, tree> *copies);
  void ask_for_vectors ();

  class loop *loop_, *innermost_;
  loop_memory memory_;
  invariant_loads invariants_;
  loop_counts *counts_ = nullptr;
  bool copied_ = false;
  const char *obstacle_ = nullptr;
  const memory_ref *first_store_ = nullptr;
  auto_vec<check> checks_;
  auto_vec<decide::SitePair> pairs_;
  unsigned hoisted_ = 0, moved_ = 0, lanes_ = 1, shared_ = 0;
  bool group_checks_ = false;
  hash_set<gimple *> checked_;
};

/* Whether the user lets GCC make vectors.  */
bool vectors_wanted_p ();

/* Vector elements with which GCC can probably execute the innermost loop LOOP
   once the accesses of MEMORY do not meet; 1: none.  */
unsigned likely_lanes (class loop *loop, const loop_memory &memory);

} // namespace memprof::plugin

#endif
