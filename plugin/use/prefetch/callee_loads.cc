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
	of its loads that has a site and is in no loop, as an expression: parameters, constants,
	operations, and loads of what memory holds when the function is entered.
     2. When the caller is compiled, call_site.cc writes the expression before the call,
	with the arguments in place of the parameters.
     3. From there on it is a load of the loop like any other: look_ahead.cc finds that
	its address comes from keys[j], and consumers/decide decides.  What the present
	iteration does not need of the code of step 2 is removed.

   Where paths join, the address is taken from the path that was executed most, by the
   counts of sites on the path, else by GCC's guess: if a call takes another path, a prefetch is
   wasted.  A load that the address takes (row[k]) must not fault.  So it is written down
   only if

     - each call performs it, or each call for which branches on arguments go to a certain
       side: these conditions are written down as well (callee_condition);
     - nothing was stored before it in the function;
     - such a call returns: no calls, volatile accesses or endless loops on its path.  Paths
       that the profile never saw do not count: their opposite is a condition, too.

   quiet_path.cc finds out the last, and which stores are on that path; sure_loads.cc, whether one
   of the stores may change the index of a later iteration.  Not done: loads in loops of the callee,
   callees that are compiled after their callers, or that another module may replace.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/use/prefetch/callee_loads.h"
#include "plugin/use/address/movable_reference.h"
#include "plugin/use/address/reference_parts.h"
#include "plugin/use/address/value_graph.h"
#include "plugin/use/match/site_marks.h"

namespace memprof::plugin {

namespace {

/* More is no address computation but work; all loads of a function together.  */
const unsigned k_max_callee_values = 96;
const unsigned k_max_callee_loads = 16;

tree kept; /* a list of the expressions */

const ggc_root_tab roots[] = { { &kept, 1, sizeof (tree),
				 &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
			       LAST_GGC_ROOT_TAB };

tree
keep (tree t)
{
  kept = tree_cons (NULL_TREE, t, kept);
  return t;
}

/* For walk_tree: a load in an expression.  */

tree
find_load (tree *tp, int *walk_subtrees, void *)
{
  *walk_subtrees = TREE_CODE (*tp) != ADDR_EXPR;
  return TREE_CODE (*tp) == MEM_REF ? *tp : NULL_TREE;
}

bool
loaded_p (tree expression)
{
  return walk_tree_without_duplicates (&expression, find_load, nullptr);
}

/* Writes down the loads of one function.  */

class summary : value_fold<tree>
{
public:
  summary (function *fun, loop_facts *facts, callee_loads *result)
    : value_fold (loops_for_fn (fun)->tree_root, NULL_TREE, k_max_callee_values), fun_ (fun),
      facts_ (facts), result_ (result)
  {}
  void add (gimple *stmt, unsigned ordinal);
  double instructions ();

private:
  // What a value is as an expression; null: it has none.
  tree constant (tree value) final { return is_gimple_ip_invariant (value) ? value : NULL_TREE; }
  // Of a whole function, only parameters are outside, and variables without a value.
  tree outside (tree name) final
  {
    const int number = parameter_number (fun_, name);
    return number < 0 ? NULL_TREE : result_->parameters[number] = SSA_NAME_VAR (name);
  }
  tree choice (gphi *phi) final;
  tree load (gassign *load) final;
  tree operation (gassign *assign) final;

  tree built (tree_code code, tree type, tree a, tree b = NULL_TREE, tree c = NULL_TREE);
  tree part (tree t);
  tree address (tree ref);
  bool conditions_of (basic_block bb, bool *conditional);
  bool unused_p (basic_block bb);
  bool unused_path_p (edge e);
  void leave_unused_paths ();
  const uint64_t *executions (basic_block bb);

  function *fun_;
  loop_facts *facts_;
  callee_loads *result_;
  callee_load *load_ = nullptr; // that is written down
};

/* Whether A and B are the same operation on the same operands.  */

bool
same_operation_p (tree a, tree b)
{
  if (TREE_CODE (a) != TREE_CODE (b) || TREE_TYPE (a) != TREE_TYPE (b))
    return false;
  for (int i = 0; i < TREE_OPERAND_LENGTH (a); i++)
    {
      tree x = TREE_OPERAND (a, i), y = TREE_OPERAND (b, i);
      if (x != y
	  && !(is_gimple_ip_invariant (x) && is_gimple_ip_invariant (y)
	       && operand_equal_p (x, y, 0)))
	return false;
    }
  return true;
}

/* An operation on one to three expressions; null: there are too many.  Equal ones are one, so that
   loads whose addresses take the same value can be seen to be neighbours.  */

tree
summary::built (tree_code code, tree type, tree a, tree b, tree c)
{
  tree result = c	? build3 (code, type, a, b, c)
		: b ? build2 (code, type, a, b)
		    : build1 (code, type, a);
  for (tree other : result_->expressions)
    if (same_operation_p (other, result))
      return other;
  if (result_->expressions.length () >= k_max_callee_values)
    return NULL_TREE;
  result_->expressions.safe_push (keep (result));
  return result;
}

tree
summary::operation (gassign *assign)
{
  const tree_code code = gimple_assign_rhs_code (assign);
  tree first = gimple_assign_rhs1 (assign), type = TREE_TYPE (gimple_assign_lhs (assign));
  if (code == ADDR_EXPR)
    return address (TREE_OPERAND (first, 0));
  if (gimple_assign_single_p (assign))
    return meaning (first);
  if (gimple_could_trap_p (assign) || gimple_num_ops (assign) > 4)
    return NULL_TREE;
  tree operands[3] = {};
  for (unsigned i = 1; i < gimple_num_ops (assign); i++)
    if (!(operands[i - 1] = meaning (gimple_op (assign, i))))
      return NULL_TREE;
  return built (code, type, operands[0], operands[1], operands[2]);
}

/* An upper bound of the executions of BB, from the counts of sites; null: no site has a count.  */

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
summary::unused_path_p (edge e)
{
  basic_block fork = get_immediate_dominator (CDI_DOMINATORS, e->dest);
  for (basic_block bb = e->src; bb != fork;
       bb = get_immediate_dominator (CDI_DOMINATORS, bb))
    if (unused_p (bb))
      return true;
  return false;
}

/* The value of PHI on the path that was executed most.  */

tree
summary::choice (gphi *phi)
{
  if (gimple_bb (phi)->loop_father != loops_for_fn (fun_)->tree_root)
    return NULL_TREE;
  edge best = nullptr, e;
  int64_t most = 0;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, gimple_bb (phi)->preds)
    {
      const uint64_t *count = executions (e->src);
      int64_t here = unused_path_p (e) ? -1 : count ? int64_t (*count) : 0;
      if (!best || here > most || (here == most && best->count () < e->count ()))
	{
	  best = e;
	  most = here;
	}
    }
  return meaning (PHI_ARG_DEF_FROM_EDGE (phi, best));
}

tree
summary::load (gassign *assign)
{
  tree ref = gimple_assign_rhs1 (assign);
  bool conditional = false;
  if (!gimple_assign_load_p (assign) || !SSA_NAME_IS_DEFAULT_DEF (gimple_vuse (assign))
      || gimple_has_volatile_ops (assign) || stmt_could_throw_p (fun_, assign)
      || load_obstacle (ref) != REFERENCE_MOVABLE
      || byte_addressable (ref) != ref
      || !is_gimple_reg_type (TREE_TYPE (ref))
      || !conditions_of (gimple_bb (assign), &conditional))
    return NULL_TREE;
  tree from = address (ref), type = TYPE_MAIN_VARIANT (TREE_TYPE (ref));
  if (!from)
    return NULL_TREE;
  tree any = plain_reference (type, from);
  tree loaded = built (MEM_REF, TREE_TYPE (any), from, TREE_OPERAND (any, 1));
  return loaded && conditional ? built (NON_LVALUE_EXPR, type, loaded) : loaded;
}

/* T is part of a reference: a name, or an expression of names.  */

tree
summary::part (tree t)
{
  if (TREE_CODE (t) == SSA_NAME || !EXPR_P (t))
    return meaning (t);
  tree operands[2] = {};
  if (!UNARY_CLASS_P (t) && !BINARY_CLASS_P (t))
    return NULL_TREE;
  for (int i = 0; i < TREE_OPERAND_LENGTH (t); i++)
    if (!(operands[i] = part (TREE_OPERAND (t, i))))
      return NULL_TREE;
  return built (TREE_CODE (t), TREE_TYPE (t), operands[0], operands[1]);
}

/* The address of REF: base + offset + constant.  */

tree
summary::address (tree ref)
{
  poly_int64 bits_long, bit;
  tree offset;
  machine_mode mode;
  int is_unsigned, reversed, is_volatile;
  if (address_obstacle (ref) != REFERENCE_MOVABLE)
    return NULL_TREE;
  tree base = get_inner_reference (byte_addressable (ref), &bits_long, &bit, &offset,
				   &mode, &is_unsigned, &reversed, &is_volatile);
  HOST_WIDE_INT byte, more = 0;
  if (!bit.is_constant (&byte) || byte % BITS_PER_UNIT
      || (TREE_CODE (base) == MEM_REF
	  && !mem_ref_offset (base).force_shwi ().is_constant (&more)))
    return NULL_TREE;
  byte = byte / BITS_PER_UNIT + more;
  tree sum = TREE_CODE (base) == MEM_REF ? meaning (TREE_OPERAND (base, 0))
	     : DECL_P (base) && decl_address_ip_invariant_p (base)
	       ? build_fold_addr_expr (base)
	       : NULL_TREE;
  if (sum && offset)
    {
      tree bytes = part (offset);
      if (bytes)
	bytes = built (NOP_EXPR, sizetype, bytes);
      sum = bytes ? built (POINTER_PLUS_EXPR, ptr_type_node, sum, bytes) : NULL_TREE;
    }
  return sum && byte ? built (POINTER_PLUS_EXPR, ptr_type_node, sum, size_int (byte)) : sum;
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
      gcond *branch = branch_of (above);
      if (branch && single_pred_p (bb) && single_pred (bb) == above)
	{
	  tree left = gimple_cond_lhs (branch), right = gimple_cond_rhs (branch);
	  if (!INTEGRAL_TYPE_P (TREE_TYPE (left)) && !POINTER_TYPE_P (TREE_TYPE (left)))
	    return false;
	  callee_condition condition
	    = { branch, gimple_cond_code (branch), meaning (left), meaning (right),
		(single_pred_edge (bb)->flags & EDGE_TRUE_VALUE) != 0 };
	  if (!condition.left || !condition.right || loaded_p (condition.left)
	      || loaded_p (condition.right))
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

/* Adds conditions that keep to paths that were executed, where arguments decide that.  */

void
summary::leave_unused_paths ()
{
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun_)
    {
      gcond *branch = branch_of (bb);
      // A path that is not used has no branch that decides which paths are.
      if (!branch || bb->loop_father != loops_for_fn (fun_)->tree_root || unused_p (bb))
	continue;
      edge if_true, if_false;
      extract_true_false_edges_from_block (bb, &if_true, &if_false);
      bool ignored;
      for (edge side : { if_true, if_false })
	if (single_pred_p (side->dest)
	    && unused_p ((side == if_true ? if_false : if_true)->dest))
	  conditions_of (side->dest, &ignored);
    }
}

void
summary::add (gimple *stmt, unsigned ordinal)
{
  tree ref = gimple_assign_rhs1 (stmt);
  callee_load *load = new callee_load{};
  load_ = load;
  // Conditions belong to one load, so what took one is looked at again.
  forget ();
  load->address = address (ref);
  if (!load->address)
    {
      delete load;
      return;
    }
  load->ordinal = ordinal;
  load->type = keep (TREE_TYPE (byte_addressable (ref)));
  load->waits = facts_->waits (stmt, nullptr, &load->chained);
  load->quiet = quiet_path_p (fun_, load->conditions, &load->stores);
  if (!load->quiet)
    {
      leave_unused_paths ();
      load->stores.truncate (0);
      load->quiet = quiet_path_p (fun_, load->conditions, &load->stores);
    }
  if (!load->quiet && loaded_p (load->address))
    {
      delete load;
      return;
    }
  keep (load->address);
  for (const callee_condition &condition : load->conditions)
    keep (condition.left), keep (condition.right);
  result_->loads.safe_push (load);
}

/* Instructions of a call, by GCC's guess, without blocks that were never executed.  */

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
remember_callee (function *fun, loop_facts *facts, const function_profile *profile,
		 const vec<gimple *> &marked)
{
  cgraph_node *node = cgraph_node::get (fun->decl);
  if (!node || node->get_availability () <= AVAIL_INTERPOSABLE
      || stdarg_p (TREE_TYPE (fun->decl)))
    return;
  callee_loads *result = new callee_loads;
  result->profile = profile;
  result->parameters.safe_grow_cleared (list_length (DECL_ARGUMENTS (fun->decl)), true);
  calculate_dominance_info (CDI_DOMINATORS);
  calculate_dominance_info (CDI_POST_DOMINATORS);
  summary made (fun, facts, result);
  for (gimple *stmt : marked)
    if (gimple_bb (stmt)->loop_father == loops_for_fn (fun)->tree_root
	&& result->loads.length () < k_max_callee_loads)
      made.add (stmt, current_marks.find (stmt, gimple_assign_rhs1 (stmt), true)->ordinal);
  for (tree parameter : result->parameters)
    keep (parameter);
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
