/* apply_prefetch.cc - prefetches for loads that the profile shows to miss.
   SPDX-License-Identifier: GPL-3.0-or-later

   For each load that has a site with a profile:

     1. look_ahead finds out how its address comes about: indirect, linked, or
        affine; of an affine one in an inner loop, how its first address does.
     2. loop_facts adds what an iteration costs and what waits for the value.
     3. consumers/decide says yes or no, and how far ahead.
     4. When all is decided, look_ahead computes the addresses, and a prefetch
	instruction for each goes before the load (for a first address: before
	the inner loop; after the index load when that is one for the next
	iteration), under a branch if that load may not be moved everywhere.

   A load that steps over lines which the loop does not load otherwise is STRIDED. One
   of a record whose fields were moved (apply_field_order.cc) belongs to that
   transformation, since it was that which made the stream one of single lines:

     sum += r[i].a + r[i].z;	    prefetch (&r[i + 64].a);  // a and z are
				    sum += r[i].a + r[i].z;   // neighbours now

   A second load from the same line, at a constant distance from one that has a
   prefetch, gets none.  Every decision is a remark (-fopt-info) and a line of
   the file of -fprofile-mem-remarks, with its numbers.

   Place: after aprefetch.  The vectoriser, which gives up on a loop with a
   prefetch in it, has run; ivopts, which makes the new address computations
   cheap, has not.  A function without loops does not come there and is handled
   after simduid.

   The prefetch is the built-in itself, in the loop: a function that only
   prefetches has no effect that GCC knows, and calls to it are removed.  */

#include "plugin/gcc-common.h"
#include "plugin/use/apply_field_order.h"
#include "plugin/use/apply_prefetch.h"
#include "plugin/use/builtin_decls.h"
#include "plugin/use/look_ahead.h"
#include "plugin/use/loop_facts.h"
#include "plugin/options.h"
#include "plugin/use/remarks.h"
#include "plugin/use/site_marks.h"
#include "plugin/use/accessed_subrange.h"
#include "plugin/use/veto.h"

namespace memprof::plugin {

namespace {

/* All caches of the target have lines of at least this many bytes.  */
const int k_line_bytes = 64;

/* What is decided about the load STMT of REF as seen from LOOP, or about its first
   address in ENTRY, which is in LOOP.  */

struct prefetch_plan
{
  prefetch_plan (gimple *load, tree read, class loop *from, class loop *inner)
    : stmt (load), ref (read), loop (from), entry (inner),
      ahead (load, read, from, inner)
  {}

  gimple *stmt;
  tree ref;
  class loop *loop, *entry;
  look_ahead ahead;
  aff_tree address;
  // STRIDED: what the loop accesses of each step; otherwise 0, 0.
  step_part part = {};
  // A line next to it gets a prefetch already.
  bool covered = false;
  const decision_view *decision = nullptr;
};

class prefetcher
{
public:
  explicit prefetcher (function *fun)
    : fun_ (fun), profile_ (current_marks.profile_of (fun)), facts_ (fun)
  {}
  ~prefetcher () { free_affine_expand_cache (&expansions_); }
  /* The number of prefetches inserted.  */
  unsigned run ();

private:
  void consider (gimple *stmt, tree ref, const site_mark &mark);
  prefetch_plan *decide_in (class loop *loop, class loop *entry, gimple *stmt,
			    tree ref, const site_mark &mark);
  bool strided_p (prefetch_plan *plan);
  bool describe (prefetch_plan *plan, decide::PrefetchCode *code);
  bool covered_p (prefetch_plan *plan);
  void refuse (const site_mark &mark, const decide::PrefetchCode &code);
  void refuse_lost_loads (hash_set<int_hash<unsigned, -1u, -2u>> &seen);

  function *fun_;
  const function_profile *profile_;
  loop_facts facts_;
  hash_map<tree, name_expansion *> *expansions_ = nullptr;
  auto_delete_vec<prefetch_plan> plans_;	// that are carried out
};

/* Whether a line next to what PLAN is about gets a prefetch in its loop already.  Of a part
   whose ends do, PLAN only asks for its own line.  */

bool
prefetcher::covered_p (prefetch_plan *plan)
{
  for (const prefetch_plan *before : plans_)
    {
      if (before->loop != plan->loop)
	continue;
      aff_tree difference = before->address;
      aff_combination_scale (&difference, -1);
      aff_combination_add (&difference, &plan->address);
      widest_int offset;
      if (!aff_combination_const_p (&difference)
	  || !difference.offset.is_constant (&offset))
	continue;
      const step_part &part = before->part;
      for (HOST_WIDE_INT asked : { part.first, part.last })
	if (wi::ltu_p (wi::abs (offset - asked), k_line_bytes))
	  return true;
      if (wi::ges_p (offset, part.first) && wi::les_p (offset, part.last))
	plan->part = {};
    }
  return false;
}

/* The state of memory at the end of the block before ENTRY, or at STMT.  */

tree
memory_state (gimple *stmt, class loop *entry)
{
  if (entry)
    for (gphi_iterator gsi = gsi_start_phis (entry->header); !gsi_end_p (gsi);
	 gsi_next (&gsi))
      if (virtual_operand_p (gimple_phi_result (gsi.phi ())))
	return PHI_ARG_DEF_FROM_EDGE (gsi.phi (), loop_preheader_edge (entry));
  return gimple_vuse (stmt);
}

/* What follows GUARD_PLACE in its block, up to LAST, is only performed if
   GUARD holds, which it nearly always does.  */

void
make_conditional (gcond *guard, gimple *guard_place, gimple *last)
{
  basic_block bb = gimple_bb (last);
  basic_block rest = split_block (bb, last)->dest;
  edge taken = split_block (bb, guard_place);
  gimple_stmt_iterator end = gsi_last_bb (bb);
  gsi_insert_after (&end, guard, GSI_NEW_STMT);
  edge skip = make_edge (bb, rest,
			 EDGE_FALSE_VALUE
			   | (taken->flags & EDGE_IRREDUCIBLE_LOOP));
  taken->flags &= ~EDGE_FALLTHRU;
  taken->flags |= EDGE_TRUE_VALUE;
  taken->probability = profile_probability::very_likely ();
  skip->probability = taken->probability.invert ();
  taken->dest->count = taken->count ();
  set_immediate_dominator (CDI_DOMINATORS, rest, bb);
}

/* Adds to *SEQ what asks for the line of ADDRESS + OFFSET, for reading; to be kept in all
   levels of the cache.  */

gcall *
add_prefetch (gimple_seq *seq, tree address, HOST_WIDE_INT offset)
{
  gimple_seq more = NULL;
  tree place
    = force_gimple_operand (fold_build_pointer_plus_hwi (address, offset), &more,
			    true, NULL_TREE);
  gimple_seq_add_seq (seq, more);
  gcall *call = gimple_build_call (prefetch_decl (), 3, place, integer_zero_node,
				   build_int_cst (integer_type_node, 3));
  gimple_seq_add_stmt (seq, call);
  return call;
}

void
insert (prefetch_plan *plan)
{
  look_ahead &ahead = plan->ahead;
  gimple_seq seq = NULL;
  tree vuse = ahead.rotated_p () ? gimple_vuse (ahead.index ())
				 : memory_state (plan->stmt, plan->entry);
  tree address
    = ahead.emit (plan->decision->distance, plan->decision->stride, vuse,
		  &seq);
  gcall *call = add_prefetch (&seq, address, plan->part.first);
  // Both ends, if they need not be in one line.
  if (plan->part.last - plan->part.first >= k_line_bytes / 4)
    call = add_prefetch (&seq, address, plan->part.last);
  location_t location = gimple_location (plan->stmt);
  for (gimple_stmt_iterator gsi = gsi_start (seq); !gsi_end_p (gsi);
       gsi_next (&gsi))
    gimple_set_location (gsi_stmt (gsi), location);
  if (ahead.rotated_p ())
    {
      gimple_stmt_iterator at = gsi_for_stmt (ahead.index ());
      gsi_insert_seq_after (&at, seq, GSI_SAME_STMT);
    }
  else if (plan->entry)
    gsi_insert_seq_on_edge_immediate (loop_preheader_edge (plan->entry), seq);
  else
    {
      gimple_stmt_iterator at = gsi_for_stmt (plan->stmt);
      gsi_insert_seq_before (&at, seq, GSI_SAME_STMT);
    }
  if (gcond *guard = ahead.guard ())
    {
      gimple_set_location (guard, location);
      make_conditional (guard, ahead.guard_place (), call);
    }
}

/* Whether PLAN steps over lines that its loop does not load otherwise.  */

bool
prefetcher::strided_p (prefetch_plan *plan)
{
  const look_ahead &ahead = plan->ahead;
  if (ahead.shape () != decide::Shape::affine || ahead.obstacle ()
      || HOST_WIDE_INT (absu_hwi (ahead.step ()))
	   < profile_min_strided_bytes (profile_))
    return false;
  plan->address = byte_address (plan->ref, &expansions_);
  return accessed_part (plan->loop, plan->address, ahead.step (), &expansions_,
			&plan->part);
}

/* Fills in *CODE.  False if the profile knows nothing of the loop around PLAN's.  */

bool
prefetcher::describe (prefetch_plan *plan, decide::PrefetchCode *code)
{
  const look_ahead &ahead = plan->ahead;
  code->shape = ahead.shape ();
  code->obstacle = ahead.obstacle ();
  code->instructions = facts_.instructions (plan->loop);
  code->waits
    = facts_.waits (plan->stmt, plan->entry ? plan->entry : plan->loop,
		    &code->chained);
  code->step = ahead.step ();
  if (plan->entry)
    {
      const site_counts *outer = facts_.counts (plan->loop);
      if (!outer)
	return false;
      code->entry = true;
      code->outer_invocations = outer->loop_invocations;
      code->outer_iterations = outer->loop_iterations;
    }
  if (gimple *index = ahead.index ())
    {
      code->index_step = ahead.index_step ();
      code->staged = ahead.staged_p ();
      if (const site_mark *known
	  = current_marks.find (index, gimple_assign_rhs1 (index), true))
	code->index_ordinal = known->ordinal;
    }
  return true;
}

/* Decides on the load STMT of REF, which has MARK, as seen from LOOP, or on its first
   address in ENTRY.  Null if it is no candidate there.  */

prefetch_plan *
prefetcher::decide_in (class loop *loop, class loop *entry, gimple *stmt,
		       tree ref, const site_mark &mark)
{
  prefetch_plan *plan = new prefetch_plan (stmt, ref, loop, entry);
  const bool strided = strided_p (plan);
  if (strided)
    plan->ahead.make_strided ();
  // What moved fields made a stream of single lines belongs to their order.
  const decide::Transformation kind = strided && moved_field_p (ref)
					? decide::Transformation::field_order
					: decide::Transformation::prefetch;
  decide::PrefetchCode code;
  if ((!strided && !plan->ahead.candidate_p ()) || switched_off_p (kind)
      || !describe (plan, &code))
    {
      delete plan;
      return nullptr;
    }
  plan->address = byte_address (ref, &expansions_);
  plan->covered = code.covered = covered_p (plan);
  plan->decision = profile_decide_prefetch (
    profile_,
    candidate_at (stmt, profile_expression (profile_, mark.ordinal), kind),
    mark.ordinal, code);
  emit_remark (stmt, *plan->decision);
  return plan;
}

/* Says why the load with MARK gets no prefetch: it is not in the code as CODE has it.  */

void
prefetcher::refuse (const site_mark &mark, const decide::PrefetchCode &code)
{
  if (switched_off_p (decide::Transformation::prefetch))
    return;
  const decision_view *decision = profile_decide_prefetch (
    profile_,
    candidate_at (mark.place, profile_expression (profile_, mark.ordinal),
		  decide::Transformation::prefetch),
    mark.ordinal, code);
  emit_remark (dump_user_location_t::from_location_t (mark.place),
	       *decision);
}

void
prefetcher::consider (gimple *stmt, tree ref, const site_mark &mark)
{
  class loop *loop = gimple_bb (stmt)->loop_father;
  if (loop == current_loops->tree_root)
    loop = nullptr;
  prefetch_plan *plan = decide_in (loop, nullptr, stmt, ref, mark);
  bool decided = plan;
  class loop *outer = loop ? loop_outer (loop) : nullptr;
  // The first address of an affine access, or the first node of a list, may still depend on
  // a load outside.
  if ((!plan
       || ((plan->ahead.shape () == decide::Shape::strided
	    || plan->ahead.shape () == decide::Shape::linked)
	   && !plan->covered && !plan->decision->take))
      && outer && outer != current_loops->tree_root)
    {
      delete plan;
      plan = decide_in (outer, loop, stmt, ref, mark);
      decided |= plan != nullptr;
    }
  if (!decided)
    {
      decide::PrefetchCode code;
      code.shape = decide::Shape::affine;
      refuse (mark, code);
    }
  if (plan && plan->decision->take)
    plans_.safe_push (plan);
  else
    delete plan;
}

/* Loads that have no statement any more.  SEEN: ordinals of the others.  */

void
prefetcher::refuse_lost_loads (hash_set<int_hash<unsigned, -1u, -2u>> &seen)
{
  for (const site_mark &mark : current_marks.loads ())
    if (mark.counts.executions && !seen.contains (mark.ordinal))
      {
	decide::PrefetchCode code;
	code.obstacle = "the code has no plain load of its own for it: it was "
			"removed, combined with others or made part of a "
			"vector, or a call does it";
	refuse (mark, code);
      }
}

unsigned
prefetcher::run ()
{
  // The list first, and all decisions: inserting adds loads and blocks.
  auto_vec<gimple *> loads;
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun_)
    for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
	 gsi_next (&gsi))
      if (tree ref = accessed_reference (gsi_stmt (gsi), true))
	if (TREE_CODE (gimple_assign_lhs (gsi_stmt (gsi))) == SSA_NAME
	    && !gimple_has_volatile_ops (gsi_stmt (gsi))
	    && current_marks.find (gsi_stmt (gsi), ref, true))
	  loads.safe_push (gsi_stmt (gsi));
  hash_set<int_hash<unsigned, -1u, -2u>> seen;
  for (gimple *stmt : loads)
    {
      tree ref = gimple_assign_rhs1 (stmt);
      if (const site_mark *mark = current_marks.find (stmt, ref, true))
	if (mark->counts.executions)
	  {
	    seen.add (mark->ordinal);
	    consider (stmt, ref, *mark);
	  }
    }
  refuse_lost_loads (seen);
  for (prefetch_plan *plan : plans_)
    insert (plan);
  return plans_.length ();
}

const pass_data prefetch_pass_data = { GIMPLE_PASS,
				       "memprof_prefetch",
				       OPTGROUP_LOOP,
				       TV_NONE,
				       PROP_ssa | PROP_cfg,
				       0,
				       0,
				       0,
				       0 };

class prefetch_pass : public gimple_opt_pass
{
public:
  /* WITH_LOOPS: this instance stands among the loop passes.  */
  prefetch_pass (gcc::context *context, bool with_loops)
    : gimple_opt_pass (prefetch_pass_data, context), with_loops_ (with_loops)
  {}

  bool
  gate (function *fun) final override
  {
    return current_marks.profile_of (fun)
	   && (with_loops_ || number_of_loops (fun) <= 1);
  }

  unsigned
  execute (function *fun) final override
  {
    if (!with_loops_)
      loop_optimizer_init (AVOID_CFG_MODIFICATIONS);
    unsigned inserted = prefetcher (fun).run ();
    if (!with_loops_)
      loop_optimizer_finalize ();
    else if (inserted)
      scev_reset ();
    return 0;
  }

private:
  bool with_loops_;
};

} // anonymous namespace

void
register_prefetch_pass (const char *plugin_name)
{
  insert_pass_after (plugin_name, new prefetch_pass (g, true),
		     k_pass_loop_prefetch, 1);
  insert_pass_after (plugin_name, new prefetch_pass (g, false),
		     k_pass_after_loops, 1);
}

} // namespace memprof::plugin
