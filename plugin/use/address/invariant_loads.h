/* invariant_loads.h - loads of a loop that would always load the same.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_INVARIANT_LOADS_H
#define MEMPROF_INVARIANT_LOADS_H

namespace memprof::plugin {

/* The loads of a loop that give the same value in each iteration unless a store
   of the loop changes it, and what is computed from them.  */
class invariant_loads
{
public:
  explicit invariant_loads (class loop *loop) : loop_ (loop) {}

  /* Finds them; those of WITHOUT are left in the loop.  */
  void find (hash_set<gimple *> *without);
  const vec<gassign *> &loads () const { return loads_; }
  bool contains (gimple *stmt) const;

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
    gassign *copy;
    gassign *link; // stands for STMT in the loop: its name = the copy's
    tree renamed;  // what the PHI's result is called meanwhile
  };

  tree outside (tree value);
  tree agreed (tree value);

  bool fixed_p (tree name, bool *first_right, unsigned depth);
  bool try_add (gimple *stmt, unsigned depth);
  bool try_add_phi (gphi *phi, unsigned depth);
  bool certain_p (gimple *stmt);
  bool loaded_p (tree ref) const;
  bool unwritten_before_p (gassign *load);
  static tree replace_names (tree *tp, int *walk_subtrees, void *data);

  class loop *loop_;
  hash_set<gimple *> *without_ = nullptr;
  auto_vec<gassign *> loads_;
  auto_vec<member> members_; // operands first
  hash_map<gimple *, int> index_; // in members_, or -1
  hash_map<tree, tree> copies_;
  hash_map<tree, tree> agreed_;
  auto_vec<gimple *> inserted_; // before the loop
};

} // namespace memprof::plugin

#endif
