/* callee_loads.cc - loads of a function whose addresses follow from its arguments.
   SPDX-License-Identifier: GPL-3.0-or-later

   Problem: the load that misses is in one function, the loop that knows what comes
   next is in another, and GCC does not inline the one into the other:

     double look_up (grid *g, const int *row, int k)      for (j = 0; j < n; j++)
     {                                                      sum += look_up (g, row,
       point *p = &g->points[k * g->size + row[k]];                       keys[j]);
       return p->value;
     }

   In look_up () the load is in no loop, and in the loop there is no load.  GCC compiles
   functions before their callers where it can, so:

     1. When look_up () is compiled, remember_callee () writes down the address of each
	of its loads that has a site and is in no loop, as values: parameters, constants,
	operations, and loads of what memory holds when the function is entered.
     2. When the caller is compiled, call_site.cc writes these values before the call,
	with the arguments in place of the parameters.
     3. From there on it is a load of the loop like any other: look_ahead.cc finds that
	its address comes from keys[j], and consumers/decide decides.  What the present
	iteration does not need of the code of step 2 is removed.

   Where ways join, the address is that of the way that was executed most, by the
   counts of sites on it, else by GCC's guess: if it is another one, a prefetch is
   wasted.  A load that the address takes (row[k]) must not fault.  So it is written down
   only if

     - each call performs it, or each call for which branches on arguments go a certain
       way: these conditions are written down as well (callee_condition);
     - nothing was stored before it in the function;
     - such a call returns: no calls, volatile accesses or endless loops on its way. Ways
       that the profile never saw do not count: their opposite is a condition, too.

   The last, and the stores on that way, are quiet_way.cc's; sure_loads.cc asks whether one
   of them may change the index of a later iteration. Not done: loads in loops of the callee,
   callees that are compiled after their callers, or that another module may replace.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/use/prefetch/callee_loads.h"
#include "plugin/use/address/movable_reference.h"
#include "plugin/use/address/reference_parts.h"
#include "plugin/use/match/site_marks.h"

namespace memprof::plugin {

namespace {

/* More is no address computation but work; all loads of a function together.  */
const unsigned k_max_callee_values = 96;
const unsigned k_max_callee_loads = 16;

tree kept; /* a list of the types and constants in them */

const ggc_root_tab roots[] = { { &kept, 1, sizeof (tree),
				 &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
			       LAST_GGC_ROOT_TAB };

tree
keep (tree t)
{
  if (t)
    kept = tree_cons (NULL_TREE, t, kept);
  return t;
}

/* Writes down the loads of one function.  */

class summary
{
public:
  summary (function *fun, loop_facts *facts, callee_loads *result)
    : fun_ (fun), facts_ (facts), result_ (result)
  {}
  void add (gimple *stmt, unsigned ordinal);
  double instructions ();

private:
  int push (callee_value value);
  int constant (tree t);
  int operation (tree_code code, tree type, int a, int b = -1, int c = -1);
  int value_of (tree t);
  int value_of_name (tree name);
  int value_of_choice (gphi *phi);
  int value_of_load (gassign *load);
  int value_of_tree (tree t);
  int address_of_reference (tree ref);
  bool conditions_of (basic_block bb, bool *conditional);
  bool unused_p (basic_block bb);
  bool unused_way_p (edge e);
  void leave_unused_ways ();
  const uint64_t *executions (basic_block bb);

  function *fun_;
  loop_facts *facts_;
  callee_loads *result_;
  hash_map<tree, int> known_;
  callee_load *load_ = nullptr; // that is written down
};

/* Equal values are written down once, so that the loads that take the same one can be
   seen to be neighbours.  */

bool
equal_p (const callee_value &a, const callee_value &b)
{
  if (a.kind != b.kind || a.code != b.code || a.type != b.type
      || a.conditional != b.conditional)
    return false;
  for (int i = 0; i < 3; i++)
    if (a.operands[i] != b.operands[i])
      return false;
  return a.constant == b.constant
	 || (a.constant && b.constant && operand_equal_p (a.constant, b.constant, 0));
}

int
summary::push (callee_value value)
{
  if (result_->values.length () >= k_max_callee_values)
    return -1;
  if (value.kind == callee_value::OPERATION)
    for (int operand : value.operands)
      if (operand >= 0)
	value.loaded |= result_->values[operand].loaded;
  for (unsigned i = 0; i < result_->values.length (); i++)
    if (equal_p (result_->values[i], value))
      return i;
  keep (value.type);
  keep (value.constant);
  result_->values.safe_push (value);
  return result_->values.length () - 1;
}

int
summary::operation (tree_code code, tree type, int a, int b, int c)
{
  return push ({ callee_value::OPERATION, code, type, NULL_TREE, { a, b, c }, false, false });
}

int
summary::constant (tree t)
{
  return push ({ callee_value::CONSTANT, ERROR_MARK, TREE_TYPE (t), t,
		 { -1, -1, -1 }, false, false });
}

int
summary::value_of (tree t)
{
  if (TREE_CODE (t) != SSA_NAME) return is_gimple_ip_invariant (t) ? constant (t) : -1;
  if (int *known = known_.get (t))
    return *known;
  known_.put (t, -1); // ends recursion
  int result = SSA_NAME_OCCURS_IN_ABNORMAL_PHI (t) ? -1 : value_of_name (t);
  known_.put (t, result);
  return result;
}

int
summary::value_of_name (tree name)
{
  if (SSA_NAME_IS_DEFAULT_DEF (name))
    {
      int number = parameter_number (fun_, name);
      return number < 0 ? -1
			: push ({ callee_value::PARAMETER, ERROR_MARK, TREE_TYPE (name),
				  NULL_TREE, { number, -1, -1 }, false, false });
    }
  gimple *def = SSA_NAME_DEF_STMT (name);
  if (gphi *phi = dyn_cast<gphi *> (def))
    return value_of_choice (phi);
  gassign *assign = dyn_cast<gassign *> (def);
  if (!assign)
    return -1;
  if (gimple_vuse (assign))
    return gimple_assign_load_p (assign) ? value_of_load (assign) : -1;
  if (gimple_assign_rhs_code (assign) == ADDR_EXPR)
    return address_of_reference (TREE_OPERAND (gimple_assign_rhs1 (assign), 0));
  if (gimple_assign_single_p (assign))
    return value_of (gimple_assign_rhs1 (assign));
  if (gimple_could_trap_p (assign) || gimple_num_ops (assign) > 4)
    return -1;
  int operands[3] = { -1, -1, -1 };
  for (unsigned i = 1; i < gimple_num_ops (assign); i++)
    if ((operands[i - 1] = value_of (gimple_op (assign, i))) < 0)
      return -1;
  return operation (gimple_assign_rhs_code (assign), TREE_TYPE (name),
		    operands[0], operands[1], operands[2]);
}

/* How often BB was executed at most, as far as sites tell.  */

const uint64_t *
summary::executions (basic_block bb)
{
  for (; bb; bb = get_immediate_dominator (CDI_DOMINATORS, bb))
    if (const uint64_t *count = facts_->executions (bb))
      return count;
  return nullptr;
}

/* Whether all sites that are reached through BB only were never executed, and there are some.  */

bool
summary::unused_p (basic_block bb)
{
  bool some = false;
  basic_block other;
  FOR_EACH_BB_FN (other, fun_)
    if (dominated_by_p (CDI_DOMINATORS, other, bb))
      if (const uint64_t *count = facts_->executions (other))
	{
	  if (*count)
	    return false;
	  some = true;
	}
  return some;
}

/* The same for some block between the branch that leads to where E ends, and E.  */

bool
summary::unused_way_p (edge e)
{
  basic_block fork = get_immediate_dominator (CDI_DOMINATORS, e->dest);
  for (basic_block bb = e->src; bb != fork;
       bb = get_immediate_dominator (CDI_DOMINATORS, bb))
    if (unused_p (bb))
      return true;
  return false;
}

/* The value of PHI on the way that was executed most.  */

int
summary::value_of_choice (gphi *phi)
{
  if (gimple_bb (phi)->loop_father != loops_for_fn (fun_)->tree_root)
    return -1;
  edge best = nullptr, e;
  int64_t most = 0;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, gimple_bb (phi)->preds)
    {
      const uint64_t *count = executions (e->src);
      int64_t here = unused_way_p (e) ? -1 : count ? int64_t (*count) : 0;
      if (!best || here > most || (here == most && best->count () < e->count ()))
	{
	  best = e;
	  most = here;
	}
    }
  return value_of (PHI_ARG_DEF_FROM_EDGE (phi, best));
}

int
summary::value_of_load (gassign *load)
{
  tree ref = gimple_assign_rhs1 (load);
  bool conditional = false;
  if (!SSA_NAME_IS_DEFAULT_DEF (gimple_vuse (load))
      || gimple_has_volatile_ops (load) || stmt_could_throw_p (fun_, load)
      || load_obstacle (ref) != REFERENCE_MOVABLE
      || byte_addressable (ref) != ref
      || !is_gimple_reg_type (TREE_TYPE (ref))
      || !conditions_of (gimple_bb (load), &conditional))
    return -1;
  int address = address_of_reference (ref);
  if (address < 0)
    return -1;
  return push ({ callee_value::LOAD, ERROR_MARK, TYPE_MAIN_VARIANT (TREE_TYPE (ref)),
		 NULL_TREE, { address, -1, -1 }, conditional, true });
}

/* T is part of a reference: a name, or an expression of names.  */

int
summary::value_of_tree (tree t)
{
  if (TREE_CODE (t) == SSA_NAME || !EXPR_P (t))
    return value_of (t);
  if (!UNARY_CLASS_P (t) && !BINARY_CLASS_P (t))
    return -1;
  int operands[2] = { -1, -1 };
  for (int i = 0; i < TREE_OPERAND_LENGTH (t); i++)
    if ((operands[i] = value_of_tree (TREE_OPERAND (t, i))) < 0)
      return -1;
  return operation (TREE_CODE (t), TREE_TYPE (t), operands[0], operands[1]);
}

int
summary::address_of_reference (tree ref)
{
  poly_int64 bits_long, bit;
  HOST_WIDE_INT byte;
  tree offset;
  machine_mode mode;
  int is_unsigned, reversed, is_volatile;
  if (address_obstacle (ref) != REFERENCE_MOVABLE)
    return -1;
  tree base = get_inner_reference (byte_addressable (ref), &bits_long, &bit, &offset,
				   &mode, &is_unsigned, &reversed, &is_volatile);
  HOST_WIDE_INT constant_bit;
  if (!bit.is_constant (&constant_bit) || constant_bit % BITS_PER_UNIT)
    return -1;
  byte = constant_bit / BITS_PER_UNIT;
  int address = -1;
  if (TREE_CODE (base) == MEM_REF)
    {
      HOST_WIDE_INT more;
      if (!mem_ref_offset (base).force_shwi ().is_constant (&more))
	return -1;
      byte += more;
      address = value_of (TREE_OPERAND (base, 0));
    }
  else if (DECL_P (base) && decl_address_ip_invariant_p (base))
    address = constant (build_fold_addr_expr (base));
  if (address < 0)
    return -1;
  auto add = [&] (int bytes) {
    return bytes < 0 ? -1 : operation (POINTER_PLUS_EXPR, ptr_type_node, address, bytes);
  };
  if (offset)
    {
      int bytes = value_of_tree (offset);
      if (bytes < 0)
	return -1;
      address = add (operation (NOP_EXPR, sizetype, bytes));
    }
  if (byte && address >= 0)
    address = add (constant (size_int (byte)));
  return address;
}

/* Whether each execution of FUN_ comes to BB for which the conditions of LOAD_ hold; adds
   them, and sets *CONDITIONAL if there are any.  */

bool
summary::conditions_of (basic_block bb, bool *conditional)
{
  basic_block entry = single_succ (ENTRY_BLOCK_PTR_FOR_FN (fun_));
  if (bb->loop_father != loops_for_fn (fun_)->tree_root)
    return false;
  while (bb != entry)
    {
      basic_block above = get_immediate_dominator (CDI_DOMINATORS, bb);
      gimple *last = last_statement (above);
      gcond *branch = last ? dyn_cast<gcond *> (last) : nullptr;
      if (branch && single_pred_p (bb) && single_pred (bb) == above)
	{
	  tree left = gimple_cond_lhs (branch), right = gimple_cond_rhs (branch);
	  if (!INTEGRAL_TYPE_P (TREE_TYPE (left)) && !POINTER_TYPE_P (TREE_TYPE (left)))
	    return false;
	  callee_condition condition
	    = { branch, gimple_cond_code (branch), value_of (left), value_of (right),
		(single_pred_edge (bb)->flags & EDGE_TRUE_VALUE) != 0 };
	  if (condition.left < 0 || condition.right < 0
	      || result_->values[condition.left].loaded
	      || result_->values[condition.right].loaded)
	    return false;
	  *conditional = true;
	  const callee_condition *known = nullptr;
	  for (const callee_condition &other : load_->conditions)
	    if (other.branch == branch)
	      known = &other;
	  if (known && known->holds != condition.holds)
	    return false;
	  if (!known)
	    load_->conditions.safe_push (condition);
	}
      else if (!dominated_by_p (CDI_POST_DOMINATORS, above, bb))
	return false;
      bb = above;
    }
  return true;
}

/* Adds conditions that keep to ways that were executed, where arguments decide that.  */

void
summary::leave_unused_ways ()
{
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun_)
    {
      gimple *last = last_statement (bb);
      gcond *branch = last ? dyn_cast<gcond *> (last) : nullptr;
      // A way that is not used has no branch that decides which ways are.
      if (!branch || bb->loop_father != loops_for_fn (fun_)->tree_root || unused_p (bb))
	continue;
      edge if_true, if_false;
      extract_true_false_edges_from_block (bb, &if_true, &if_false);
      bool ignored;
      for (edge way : { if_true, if_false })
	if (single_pred_p (way->dest)
	    && unused_p ((way == if_true ? if_false : if_true)->dest))
	  conditions_of (way->dest, &ignored);
    }
}

void
summary::add (gimple *stmt, unsigned ordinal)
{
  tree ref = gimple_assign_rhs1 (stmt);
  callee_load *load = new callee_load{};
  load_ = load;
  // Conditions belong to one load, so what took one is visited again.
  known_.empty ();
  load->address = address_of_reference (ref);
  if (load->address < 0)
    {
      delete load;
      return;
    }
  load->ordinal = ordinal;
  load->type = keep (TREE_TYPE (byte_addressable (ref)));
  load->waits = facts_->waits (stmt, nullptr, &load->chained);
  load->quiet = quiet_way_p (fun_, load->conditions, &load->stores);
  if (!load->quiet)
    {
      leave_unused_ways ();
      load->stores.truncate (0);
      load->quiet = quiet_way_p (fun_, load->conditions, &load->stores);
    }
  if (!load->quiet && result_->values[load->address].loaded)
    delete load;
  else
    result_->loads.safe_push (load);
}

/* Instructions of a call: those of blocks that were executed, by GCC's guess.  */

double
summary::instructions ()
{
  double sum = 0;
  basic_block entry = ENTRY_BLOCK_PTR_FOR_FN (fun_), bb;
  FOR_EACH_BB_FN (bb, fun_)
    {
      const uint64_t *count = executions (bb);
      if (count && !*count)
	continue;
      double share = 1;
      if (bb->count.initialized_p () && entry->count.nonzero_p ())
	share = bb->count.to_sreal_scale (entry->count).to_double ();
      for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
	   gsi_next (&gsi))
	sum += share * estimate_num_insns (gsi_stmt (gsi), &eni_time_weights);
    }
  return sum;
}

} // anonymous namespace

void
remember_callee (function *fun, loop_facts *facts,
		 const function_profile *profile)
{
  cgraph_node *node = cgraph_node::get (fun->decl);
  if (!node || node->get_availability () <= AVAIL_INTERPOSABLE
      || stdarg_p (TREE_TYPE (fun->decl)))
    return;
  callee_loads *result = new callee_loads;
  result->profile = profile;
  result->parameters = list_length (DECL_ARGUMENTS (fun->decl));
  calculate_dominance_info (CDI_DOMINATORS);
  calculate_dominance_info (CDI_POST_DOMINATORS);
  summary made (fun, facts, result);
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    if (bb->loop_father == loops_for_fn (fun)->tree_root)
      for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
	   gsi_next (&gsi))
	if (tree ref = accessed_reference (gsi_stmt (gsi), true))
	  if (const site_mark *mark
	      = current_marks.find (gsi_stmt (gsi), ref, true))
	    if (mark->counts.executions
		&& TREE_CODE (gimple_assign_lhs (gsi_stmt (gsi))) == SSA_NAME
		&& result->loads.length () < k_max_callee_loads)
	      made.add (gsi_stmt (gsi), mark->ordinal);
  result->instructions = made.instructions ();
  free_dominance_info (CDI_POST_DOMINATORS);
  if (result->loads.is_empty ())
    delete result;
  else
    publish_callee (fun->decl, result);
}

void
register_callee_loads (const char *plugin_name)
{
  register_callback (plugin_name, PLUGIN_REGISTER_GGC_ROOTS, nullptr,
		     const_cast<ggc_root_tab *> (roots));
}

} // namespace memprof::plugin
