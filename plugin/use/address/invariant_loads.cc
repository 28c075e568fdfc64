/* invariant_loads.cc - loads of a loop that would always load the same.
   SPDX-License-Identifier: GPL-3.0-or-later

   Before:                             The fast copy:

     for (i = 0; i < this->n; i++)       p = this->p; n = this->n; k = p[3];
       this->p[i] ^= this->p[3];         for (i = 0; i < n; i++)
					   p[i] ^= k;

   A load belongs to the set when its address is fixed outside of the loop or
   computed from loads of the set; so do the operations between them.  Each is
   copied before the loop, where the copy must be harmless in all cases,
   also when the loads turn out not to be invariant and the loop runs as it was:

   1. It does not fault.  The loop, once entered, performs the load for certain:
      its block is on each path to each exit and to the next iteration, and no
      inner loop before it can run for ever.  Or it performs another load of the same
      bytes for certain.
   2. Its address is the one that the loop uses in the first iteration.  If the
      address was loaded, too (this->p[3]), no store of that iteration may come
      first and change the pointer: `this->p = q; x = this->p[3]' would read
      through a pointer that the program never follows.

   Whether the value stays the same is not a question here: that is what the
   check finds out.

   GCC may have turned a load round: a PHI has the value loaded before the loop
   in the first iteration, and the value that the one before loaded at its end
   in all others, or a constant in the first one. It has one value if both are the
   same, which becomes a condition of the check (and is known to GCC in most cases).
   Numbers are compared as bits: zeros of both signs are equal, but not the same.  */

#include "plugin/gcc-common.h"
#include "plugin/use/address/invariant_loads.h"
#include "plugin/use/address/movable_reference.h"
#include "plugin/use/address/value_copy.h"
#include "plugin/options.h"

namespace memprof::plugin {

namespace {

/* Operations from a load to the address of the next load.  */
const unsigned k_max_depth = 12;
const unsigned k_max_members = 48;

/* Whether values of TYPE can be compared as bits, so that equal ones are the same.  */

bool
comparable_p (tree type)
{
  return INTEGRAL_TYPE_P (type) || POINTER_TYPE_P (type)
	 // No long double, some bits of which mean nothing.
	 || (SCALAR_FLOAT_TYPE_P (type)
	     && (TYPE_PRECISION (type) == 32 || TYPE_PRECISION (type) == 64));
}

/* VALUE as something that is equal only to the same.  */

tree
bits_of (tree value)
{
  tree type = TREE_TYPE (value);
  if (!SCALAR_FLOAT_TYPE_P (type) || seeded (fault::equal_zeros))
    return value;
  tree bits = build_nonstandard_integer_type (TYPE_PRECISION (type), 1);
  return fold_build1 (VIEW_CONVERT_EXPR, bits, value);
}

} // anonymous namespace

/* Whether STMT is performed in the first iteration, if the loop is entered and
   nothing before it faults.  */

bool
invariant_loads::certain_p (gimple *stmt)
{
  basic_block bb = gimple_bb (stmt);
  if (seeded (fault::uncertain_loads))
    return true;
  if (!dominated_by_p (CDI_DOMINATORS, loop_->latch, bb))
    return false;
  auto_vec<edge> exits = get_loop_exit_edges (loop_);
  for (edge e : exits)
    if (!dominated_by_p (CDI_DOMINATORS, e->src, bb))
      return false;
  for (class loop *inner : loops_list (cfun, 0))
    if (inner != loop_ && flow_loop_nested_p (loop_, inner)
	&& !dominated_by_p (CDI_DOMINATORS, inner->header, bb)
	&& !(flow_bb_inside_loop_p (inner, bb)
	     && dominated_by_p (CDI_DOMINATORS, inner->latch, bb))
	&& !finite_loop_p (inner))
      return false;
  return true;
}

/* Whether no store of the loop comes before LOAD, in the same iteration, that
   may be to the same bytes.  */

bool
invariant_loads::unwritten_before_p (gassign *load)
{
  for (tree state = gimple_vuse (load);;)
    {
      gimple *def = SSA_NAME_DEF_STMT (state);
      if (!gimple_bb (def) || !flow_bb_inside_loop_p (loop_, gimple_bb (def)))
	return true;
      if (gimple_code (def) == GIMPLE_PHI)
	return gimple_bb (def) == loop_->header;
      if (stmt_may_clobber_ref_p (def, gimple_assign_rhs1 (load), false))
	return false;
      state = gimple_vuse (def);
    }
}

/* Whether a load of the set is of REF, too.  */

bool
invariant_loads::loaded_p (tree ref) const
{
  for (gassign *load : loads_)
    if (operand_equal_p (gimple_assign_rhs1 (load), ref, 0))
      return true;
  return false;
}

/* Whether another value may belong to the set.  */

bool
invariant_loads::room_p () const
{
  return depth () <= k_max_depth + 1 && members_.length () < k_max_members;
}

int
invariant_loads::add (tree name, gassign *stmt, bool first_right)
{
  members_.safe_push ({ name, stmt, first_right, NULL_TREE, nullptr, NULL_TREE });
  return members_.length () - 1;
}

int
invariant_loads::carried (gphi *phi)
{
  class loop *loop = gimple_bb (phi)->loop_father;
  tree name = gimple_phi_result (phi);
  if (!room_p () || gimple_phi_num_args (phi) != 2 || !comparable_p (TREE_TYPE (name)))
    return CHANGING;
  tree next = PHI_ARG_DEF_FROM_EDGE (phi, loop_latch_edge (loop));
  const int first = meaning (PHI_ARG_DEF_FROM_EDGE (phi, loop_preheader_edge (loop)));
  if (first == CHANGING || TREE_CODE (next) != SSA_NAME)
    return CHANGING;
  const int again = meaning (next);
  return again == CHANGING || again == FIXED
	   ? CHANGING
	   : add (name, nullptr, first == FIXED || members_[first].first_right);
}

/* Whether all that ASSIGN is computed from has one value in all iterations, if the set's loads
   have.  Clears *FIRST_RIGHT if some copy is not what the first iteration computes.  */

bool
invariant_loads::operands_fixed_p (gassign *assign, bool *first_right)
{
  ssa_op_iter it;
  tree use;
  FOR_EACH_SSA_TREE_OPERAND (use, assign, it, SSA_OP_USE)
    {
      const int operand = meaning (use);
      if (operand == CHANGING)
	return false;
      *first_right &= operand == FIXED || members_[operand].first_right;
    }
  return true;
}

int
invariant_loads::operation (gassign *assign)
{
  bool first_right = true;
  return room_p ()
	     && (!gimple_has_volatile_ops (assign) || seeded (fault::volatile_access))
	     && (!gimple_could_trap_p (assign) || seeded (fault::traps))
	     && operands_fixed_p (assign, &first_right)
	   ? add (gimple_assign_lhs (assign), assign, first_right)
	   : CHANGING;
}

int
invariant_loads::load (gassign *assign)
{
  bool first_right = true;
  tree ref = gimple_assign_rhs1 (assign);
  if (!room_p () || gimple_vdef (assign) || !gimple_assign_load_p (assign)
      || (gimple_has_volatile_ops (assign) && !seeded (fault::volatile_access))
      || without_->contains (assign) || load_obstacle (ref) != REFERENCE_MOVABLE
      || !(certain_p (assign) || loaded_p (ref))
      || !operands_fixed_p (assign, &first_right)
      // The address must be right for the first iteration.
      || (!first_right && !seeded (fault::first_iteration)))
    return CHANGING;
  loads_.safe_push (assign);
  return add (gimple_assign_lhs (assign), assign, unwritten_before_p (assign));
}

void
invariant_loads::find (hash_set<gimple *> *without)
{
  without_ = without;
  loads_.truncate (0);
  members_.truncate (0);
  forget ();
  basic_block *body = get_loop_body_in_dom_order (loop_);
  for (unsigned i = 0; i < loop_->num_nodes; i++)
    for (gimple_stmt_iterator gsi = gsi_start_bb (body[i]); !gsi_end_p (gsi);
	 gsi_next (&gsi))
      {
	gassign *stmt = dyn_cast<gassign *> (gsi_stmt (gsi));
	if (stmt && gimple_vuse (stmt) && gimple_assign_load_p (stmt))
	  meaning (gimple_assign_lhs (stmt));
      }
  // What is computed from them, so that it is known before the loop.
  if (!loads_.is_empty ())
    for (unsigned i = 0; i < loop_->num_nodes; i++)
      {
	for (gphi_iterator gsi = gsi_start_phis (body[i]); !gsi_end_p (gsi);
	     gsi_next (&gsi))
	  if (!virtual_operand_p (gimple_phi_result (gsi.phi ())))
	    meaning (gimple_phi_result (gsi.phi ()));
	for (gimple_stmt_iterator gsi = gsi_start_bb (body[i]); !gsi_end_p (gsi);
	     gsi_next (&gsi))
	  if (is_gimple_assign (gsi_stmt (gsi)) && !gimple_vuse (gsi_stmt (gsi)))
	    meaning (gimple_assign_lhs (gsi_stmt (gsi)));
      }
  free (body);
}

bool
invariant_loads::contains (gimple *stmt)
{
  const int *number = known (gimple_get_lhs (stmt));
  return number && *number != CHANGING;
}

/* What NAME, the result of a PHI, is in the first iteration, and in others.  */

static void
phi_values (tree name, tree *first, tree *next)
{
  gphi *phi = as_a<gphi *> (SSA_NAME_DEF_STMT (name));
  class loop *loop = gimple_bb (phi)->loop_father;
  *first = PHI_ARG_DEF_FROM_EDGE (phi, loop_preheader_edge (loop));
  *next = PHI_ARG_DEF_FROM_EDGE (phi, loop_latch_edge (loop));
}

/* The copy of VALUE before the loop.  */

tree
invariant_loads::outside_copy (tree value)
{
  const int *number = TREE_CODE (value) == SSA_NAME ? known (value) : nullptr;
  return number && *number != CHANGING && *number != FIXED ? members_[*number].copied : value;
}

void
invariant_loads::copy ()
{
  agreed_.empty ();
  tree memory = memory_at_entry (loop_);
  gimple_stmt_iterator at = gsi_last_bb (loop_preheader_edge (loop_)->src);
  for (member &m : members_)
    {
      if (!m.stmt)
	{
	  tree first, next;
	  phi_values (m.name, &first, &next);
	  m.copied = outside_copy (first);
	  next = outside_copy (next);
	  if (TREE_CODE (next) == SSA_NAME && next != m.copied)
	    agreed_.put (next, m.copied);
	  continue;
	}
      gassign *copy = copy_of (m.stmt, [this] (tree name) { return outside_copy (name); });
      if (gimple_vuse (m.stmt))
	gimple_set_vuse (copy, memory);
      m.copied = gimple_assign_lhs (copy);
      // The program may not compute it.
      gimple_seq several = defined_everywhere (copy);
      for (gimple_stmt_iterator gsi = gsi_start (several); !gsi_end_p (gsi);
	   gsi_next (&gsi))
	inserted_.safe_push (gsi_stmt (gsi));
      gsi_insert_seq_after (&at, several, GSI_CONTINUE_LINKING);
    }
}

/* Of several values that must be equal for the set to be invariant always the
   same one, so that GCC and we see that they are.  */

tree
invariant_loads::agreed (tree value)
{
  tree *first = TREE_CODE (value) == SSA_NAME ? agreed_.get (value) : nullptr;
  return first ? *first : value;
}

void
invariant_loads::conditions (vec<tree> *pairs)
{
  for (member &m : members_)
    if (!m.stmt)
      {
	tree first, next;
	phi_values (m.name, &first, &next);
	first = outside_copy (first);
	next = outside_copy (next);
	if (first != next)
	  {
	    pairs->safe_push (bits_of (first));
	    pairs->safe_push (bits_of (next));
	  }
      }
}

tree
invariant_loads::copied_ref (gassign *load)
{
  return gimple_assign_rhs1 (SSA_NAME_DEF_STMT (outside_copy (gimple_assign_lhs (load))));
}

void
invariant_loads::remove_copies ()
{
  while (!inserted_.is_empty ())
    {
      gimple *stmt = inserted_.pop ();
      gimple_stmt_iterator gsi = gsi_for_stmt (stmt);
      gsi_remove (&gsi, true);
      release_defs (stmt);
    }
}

/* A PHI keeps its place, under another name, while the link has its own.  */

void
invariant_loads::use_copies ()
{
  for (member &m : members_)
    {
      gimple *def = SSA_NAME_DEF_STMT (m.name);
      m.link = gimple_build_assign (m.name, agreed (outside_copy (m.name)));
      if (m.stmt)
	{
	  gimple_stmt_iterator gsi = gsi_for_stmt (m.stmt);
	  gsi_replace (&gsi, m.link, false);
	}
      else
	{
	  gphi *phi = as_a<gphi *> (def);
	  m.renamed = make_ssa_name (TREE_TYPE (m.name), phi);
	  gimple_phi_set_result (phi, m.renamed);
	  gimple_stmt_iterator gsi = gsi_after_labels (gimple_bb (phi));
	  gsi_insert_before (&gsi, m.link, GSI_SAME_STMT);
	}
      SSA_NAME_DEF_STMT (m.name) = m.link;
    }
}

void
invariant_loads::use_originals ()
{
  for (member &m : members_)
    {
      gimple_stmt_iterator gsi = gsi_for_stmt (m.link);
      gimple *original = m.stmt;
      if (m.stmt)
	gsi_replace (&gsi, m.stmt, false);
      else
	{
	  gsi_remove (&gsi, true);
	  gphi *phi = as_a<gphi *> (SSA_NAME_DEF_STMT (m.renamed));
	  gimple_phi_set_result (phi, m.name);
	  release_ssa_name (m.renamed);
	  original = phi;
	}
      SSA_NAME_DEF_STMT (m.name) = original;
    }
}

} // namespace memprof::plugin
