/* invariant_loads.h - loads of a loop that would always load the same.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_INVARIANT_LOADS_H
#define MEMPROF_INVARIANT_LOADS_H

#include "plugin/use/address/value_graph.h"

namespace memprof::plugin {

/* The loads of a loop that give the same value in each iteration unless a store
   of the loop changes it, and what is computed from them.  */
class invariant_loads : value_fold<int>
{
public:
  explicit invariant_loads (class loop *loop) : value_fold (loop, CHANGING), loop_ (loop) {}

  /* Finds the loads; the loads of WITHOUT stay in the loop.  */
  void find (hash_set<gimple *> *without);
  const vec<gassign *> &loads () const { return loads_; }
  bool contains (gimple *stmt);

  /* Puts copies before the loop, after everything else there.  */
  void copy ();
  /* Pairs of values, known after the copies, that must be equal for the set to be
     invariant.  */
  void conditions (vec<tree> *pairs);
  /* The copy of LOAD's reference.  */
  tree copied_ref (gassign *load);
  /* Takes the copies away again.  */
  void remove_copies ();
  /* Makes the loop use the copies, or its own loads again.  */
  void use_copies ();
  void use_originals ();

private:
  struct member
  {
    tree name;
    gassign *stmt; // null: NAME is the result of a PHI of a loop header
    // The copy's value is what the first iteration computes, even when a store
    // of the loop changes it later.
    bool first_right;
    tree copied; // before the loop
    gassign *link; // replaces STMT in the loop: NAME = the name of the copy
    tree renamed;  // the result of the PHI while the link defines NAME
  };

  /* What a value means: its number in members_; or FIXED before the loop; or CHANGING.  */
  static constexpr int CHANGING = -1, FIXED = INT_MAX;
  int constant (tree) final { return FIXED; }
  int outside (tree) final { return FIXED; }
  int carried (gphi *phi) final;
  int load (gassign *assign) final;
  int operation (gassign *assign) final;

  tree outside_copy (tree value);
  tree agreed (tree value);

  bool room_p () const;
  bool operands_fixed_p (gassign *assign, bool *first_right);
  int add (tree name, gassign *stmt, bool first_right);
  bool certain_p (gimple *stmt);
  bool loaded_p (tree ref) const;
  bool unwritten_before_p (gassign *load);

  class loop *loop_;
  hash_set<gimple *> *without_ = nullptr;
  auto_vec<gassign *> loads_;
  auto_vec<member> members_; // operands first
  hash_map<tree, tree> agreed_;
  auto_vec<gimple *> inserted_; // before the loop
};

} // namespace memprof::plugin

#endif
