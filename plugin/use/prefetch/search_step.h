/* search_step.h - the two places that a binary search may look at next.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_SEARCH_STEP_H
#define MEMPROF_SEARCH_STEP_H

namespace memprof::plugin {

/* How the address of the load STMT of REF changes with the choice that depends on what it
   loads; see search_step.cc.  */
class search_step
{
public:
  search_step (gimple *stmt, tree ref, class loop *loop);

  /* Whether LOOP goes on with one of two addresses that are known before the load.  */
  bool search_p ();
  /* Whether LOOP is the inner one of two loops that search.  */
  bool in_two_loops_p () const { return whole_ != loop_; }
  /* Statements that compute both go to the end of *SEQ, for the place before the load.  */
  void emit (gimple_seq *seq, tree *first, tree *second);

private:
  friend class search_value;

  bool walk ();
  bool split_p ();
  tree next_reference (bool side, gimple_seq *seq);
  bool available_p (gimple *def) const;
  bool still_load_p (gassign *load) const;
  bool follows_load_p (tree lhs, tree rhs) const;
  bool decides_p (basic_block bb) const;
  bool join_at (basic_block bb);
  bool two_paths (basic_block bb);

  gimple *stmt_;
  tree ref_;
  class loop *loop_;
  // The same, or the loop around it, if the search is two loops.
  class loop *whole_;
  // The choice: the block where both paths meet, with an edge of each ...
  basic_block join_ = nullptr;
  edge paths_[2] = {};
  // ... or a comparison whose result is computed with.
  tree_code code_ = ERROR_MARK;
  tree lhs_ = NULL_TREE, rhs_ = NULL_TREE;
  // Some value of the next address is halved.
  bool halves_ = false;
  bool failed_ = false;
};

} // namespace memprof::plugin

#endif
