/* value_graph.h - how an address is understood: the graph of the values that it is computed from.
   SPDX-License-Identifier: GPL-3.0-or-later

   In SSA form each value has one definition, so the values that an address is computed from are
   a graph, which GCC keeps already.  For the load of a[...] in

     for (i = 0; i < n; i++)		     the address
       x = a[b[i] < 0 ? 0 : b[i] & m];		|
					    a + t4 * 8		OPERATION
					    /	   |
			   OUTSIDE	   a	   t4		CHOICE of 0 and t3
						   |
						   t3 = t2 & m	OPERATION
						   |
						   t2 = *t1	LOAD
						   |
					    t1 = b + i * 4	OPERATION
					    /	   |
			   OUTSIDE	   b	   i = PHI	CARRIED, here an induction variable

   Seen from a loop, a value is of one of seven kinds:

     CONSTANT	a number, or the address of a variable: it has no definition
     OUTSIDE	defined outside of the loop (parameters are): known before the loop
     CARRIED	a PHI at the header of a loop: the first iteration has one value, each later
		iteration one from the iteration before
     CHOICE	any other PHI: which of several paths was taken decides
     OPERATION	computed from other values: arithmetic, conversions, parts of an address
     LOAD	loaded from an address, which is computed from other values
     OPAQUE	anything else: what a call returns or an asm sets, a value that is live across
		an abnormal edge, or one value too many

   A value_fold gives each value a meaning, from the meanings of the values that it is computed
   from.  A class that derives from it says what each kind of definition means:

     look_ahead		how the value moves from iteration to iteration: not at all, by a
			constant, or as something loaded moves
     ahead_code		the value some iterations later, as code (look_ahead_code.cc)
     search_value	the value after one side or the other of a choice (search_step.cc)
     invariant_loads	whether the value stays the same while the loop's loads do

   Each value is looked at once.  A circle of definitions, which goes through a CARRIED value,
   ends where it closes: there the value means what the user says that a pending value means.

   Code for another iteration or another place is made by copying definitions: see value_copy.h.

   Not done: stores.  Whether a load gets what an earlier store wrote is for the user to find out.  */

#ifndef MEMPROF_VALUE_GRAPH_H
#define MEMPROF_VALUE_GRAPH_H

namespace memprof::plugin {

enum class opaque_reason
{
  abnormal,  // live across an abnormal edge: the value cannot be used elsewhere
  too_many,  // the graph has more values of the loop than the user wants to see
  unknown    // a call, an asm: no statement that can be followed or copied
};

template <typename Meaning>
class value_fold
{
public:
  /* What VALUE means: an SSA name or a constant.  */
  Meaning meaning (tree value);

protected:
  /* Seen from LOOP (null: all values are OUTSIDE), of at most MOST values.  UNKNOWN is the meaning
     of what the user says nothing about.  */
  value_fold (class loop *loop, Meaning unknown, unsigned most = UINT_MAX)
    : region_ (loop), most_ (most), unknown_ (unknown)
  {}

  virtual Meaning constant (tree value) = 0;
  virtual Meaning outside (tree name) = 0;
  virtual Meaning carried (gphi *) { return unknown_; }
  virtual Meaning choice (gphi *) { return unknown_; }
  virtual Meaning operation (gassign *assign) = 0;
  virtual Meaning load (gassign *assign) = 0;
  virtual Meaning opaque (tree, opaque_reason) { return unknown_; }

  /* What NAME means while its definition is being looked at.  */
  virtual Meaning pending (tree) { return unknown_; }
  /* A value that was looked at before is met again.  */
  virtual void met_again (gimple *) {}
  /* NAME means MEANING, which the user may still change.  */
  virtual Meaning found (tree, Meaning meaning) { return meaning; }
  /* Whether NAME counts as OUTSIDE.  */
  virtual bool outside_p (tree name) { return !inside_p (name); }
  bool inside_p (tree name) const
  {
    basic_block bb = gimple_bb (SSA_NAME_DEF_STMT (name));
    return region_ && bb && flow_bb_inside_loop_p (region_, bb);
  }

  /* The meaning of NAME if it was looked at; else null.  */
  Meaning *known (tree name) { return known_.get (name); }
  void assume (tree name, Meaning meaning) { known_.put (name, meaning); }
  void forget () { known_.empty (), inside_ = 0; }

  /* Definitions that are being looked at, the present one included.  */
  unsigned depth () const { return depth_; }
  hash_map<tree, Meaning> &all () { return known_; }

private:
  Meaning of_definition (tree name, gimple *def);

  class loop *region_;
  unsigned most_, inside_ = 0, depth_ = 0;
  Meaning unknown_;
  hash_map<tree, Meaning> known_;
};

template <typename Meaning>
Meaning
value_fold<Meaning>::meaning (tree value)
{
  if (TREE_CODE (value) != SSA_NAME)
    return constant (value);
  gimple *def = SSA_NAME_DEF_STMT (value);
  if (Meaning *before = known (value))
    {
      met_again (def);
      return *before;
    }
  assume (value, pending (value));
  depth_++;
  const Meaning result = found (value, of_definition (value, def));
  depth_--;
  assume (value, result);
  return result;
}

template <typename Meaning>
Meaning
value_fold<Meaning>::of_definition (tree name, gimple *def)
{
  if (SSA_NAME_OCCURS_IN_ABNORMAL_PHI (name))
    return opaque (name, opaque_reason::abnormal);
  if (outside_p (name))
    return outside (name);
  if (++inside_ > most_)
    return opaque (name, opaque_reason::too_many);
  if (gphi *phi = dyn_cast<gphi *> (def))
    return gimple_bb (phi) == gimple_bb (phi)->loop_father->header ? carried (phi) : choice (phi);
  if (gassign *assign = dyn_cast<gassign *> (def))
    return gimple_vuse (assign) ? load (assign) : operation (assign);
  return opaque (name, opaque_reason::unknown);
}

/* The branch at the end of BB; null: BB does not end in one.  */
gcond *branch_of (basic_block bb);

/* The branch whose two paths meet at the CHOICE PHI, with nothing else between; null: PHI is none
   of that kind.  The paths come in on *ON_TRUE and *ON_FALSE.  */
gcond *chosen_by (gphi *phi, edge *on_true, edge *on_false);

/* The state of memory when LOOP is entered; null: LOOP stores nothing.  */
tree memory_at_entry (class loop *loop);

/* Whether HOLDS (statement) for all statements of LOOP.  */

template <typename Function>
bool
all_statements_p (class loop *loop, Function holds)
{
  bool all = true;
  basic_block *blocks = get_loop_body (loop);
  for (unsigned i = 0; i < loop->num_nodes && all; i++)
    for (gimple_stmt_iterator gsi = gsi_start_bb (blocks[i]); all && !gsi_end_p (gsi);
	 gsi_next (&gsi))
      all = holds (gsi_stmt (gsi));
  free (blocks);
  return all;
}

/* Whether HOW finds a definition that it looks for, among those of LOOP from which NAMES are
   computed: for each, HOW says whether it is FOUND, and whether to go on to what it is computed
   from (FOLLOW).  NAMES becomes the list of what was followed.  */
enum class on_the_way
{
  found,
  follow,
  stop
};

template <typename How>
bool
computed_from_p (class loop *loop, vec<tree> &names, How how, unsigned most = UINT_MAX)
{
  hash_set<tree> seen;
  for (unsigned i = 0; i < names.length () && i < most; i++)
    {
      gimple *def = SSA_NAME_DEF_STMT (names[i]);
      basic_block bb = gimple_bb (def);
      if (!bb || !flow_bb_inside_loop_p (loop, bb))
	continue;
      const on_the_way here = how (def);
      if (here == on_the_way::found)
	return true;
      ssa_op_iter it;
      tree operand;
      if (here == on_the_way::follow)
	FOR_EACH_SSA_TREE_OPERAND (operand, def, it, SSA_OP_USE)
	  if (!seen.add (operand))
	    names.safe_push (operand);
    }
  return false;
}

} // namespace memprof::plugin

#endif
