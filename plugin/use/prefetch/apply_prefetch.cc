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

   Where an inner loop walks a list (list_walk.cc), its first node is looked at as any first
   address, and then its second one.

   One of a binary search is SEARCH: before it is loaded, both places are known that may be next
   (search_step.cc), and both get a prefetch.

   A second load from the same line, at a constant distance from one that has a
   prefetch, gets none.  Every decision is a remark (-fopt-info) and a line of
   the file of -fprofile-mem-remarks, with its numbers.

   Place: after aprefetch.  The vectoriser, which gives up on a loop with a prefetch in it,
   has run; ivopts, which makes the new address computations cheap, has not.  A function
   without loops does not come there and is handled after simduid.

   Before the vectoriser the same decision is made, too: of `if (a[b[i]]) ...' it would
   load one by one, at -O3 and with GCC 13 at -O2, what no prefetch can be for then.  So a
   loop where one gains much stays as it is, unless it was asked to be vectors.

   The prefetch is the built-in itself, in the loop: a function that only
   prefetches has no effect that GCC knows, and calls to it are removed.  */

#include "plugin/gcc-common.h"
#include "plugin/use/objects/apply_field_order.h"
#include "plugin/use/prefetch/apply_prefetch.h"
#include "plugin/use/match/loop_facts.h"
#include "plugin/options.h"
#include "plugin/use/prefetch/prefetch_plan.h"
#include "plugin/use/prefetch/prefetch_trials.h"
#include "plugin/use/remarks.h"
#include "plugin/use/match/site_marks.h"
#include "plugin/use/veto.h"

namespace memprof::plugin {

namespace {

/* What a prefetch must gain at least for its loop not to be made vectors of.  */
const double k_worth_no_vectors = 1.5;

const decide::Transformation k_prefetch = decide::Transformation::prefetch;

class prefetcher
{
public:
  explicit prefetcher (function *fun)
    : fun_ (fun), profile_ (current_marks.profile_of (fun)), facts_ (fun)
  {}
  ~prefetcher () { free_affine_expand_cache (&expansions_); }
  /* The number of prefetches inserted.  */
  unsigned run ();
  /* Keeps loops with a load that would get one from being made vectors of.  */
  void keep_loads ();

private:
  void consider (gimple *stmt, tree ref, const site_mark &mark);
  prefetch_plan *decide_in (class loop *loop, class loop *entry, gimple *stmt,
			    tree ref, const site_mark &mark, const list_walk &second = {});
  bool strided_p (prefetch_plan *plan);
  void describe_address (prefetch_plan *plan, decide::PrefetchCode *code);
  bool describe (prefetch_plan *plan, const site_mark &mark,
		 decide::PrefetchCode *code);
  template <typename Place>
  const decision_view *ask (unsigned ordinal, Place where, const decide::PrefetchCode &code,
			    decide::Transformation kind = k_prefetch) const;
  bool covered_p (prefetch_plan *plan);
  void refuse (const site_mark &mark, const decide::PrefetchCode &code);
  void refuse_lost_loads (hash_set<int_hash<unsigned, -1u, -2u>> &seen);
  bool measurable_p (prefetch_plan *plan);

  function *fun_;
  const function_profile *profile_;
  loop_facts facts_;
  hash_map<tree, name_expansion *> *expansions_ = nullptr;
  auto_delete_vec<prefetch_plan> plans_;	// that are carried out
  auto_delete_vec<tuned_nest> nests_;
  // Whether prefetches may be on trial.
  bool trials_ = false;
};

/* Whether a line next to what PLAN is about gets a prefetch in its loop already.  If only the ends
   of a part do, PLAN prefetches no more than its own line.  */

bool
prefetcher::covered_p (prefetch_plan *plan)
{
  for (const prefetch_plan *before : plans_)
    {
      if (before->loop != plan->loop || before->second != plan->second)
	continue;
      widest_int offset;
      if (!constant_distance_p (before->address, plan->address, &offset))
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

/* Fills in what *CODE says of the address.  */

void
prefetcher::describe_address (prefetch_plan *plan, decide::PrefetchCode *code)
{
  const look_ahead &ahead = plan->ahead;
  code->shape = ahead.shape ();
  code->obstacle = ahead.obstacle ();
  if (gimple *index = ahead.index ())
    {
      code->index_step = ahead.index_step ();
      code->staged = ahead.staged_p ();
      if (const site_mark *known
	  = current_marks.find (index, gimple_assign_rhs1 (index), true))
	code->index_ordinal = known->ordinal;
    }
}

/* Fills in *CODE, for the load with MARK.  False if the profile knows nothing of the loop around
   PLAN's.  A load that was in no loop when it was profiled is one of a function that is only
   inlined now, with other options or another profile of GCC: its loop is the one that calls.  */

bool
prefetcher::describe (prefetch_plan *plan, const site_mark &mark,
		      decide::PrefetchCode *code)
{
  const look_ahead &ahead = plan->ahead;
  describe_address (plan, code);
  code->instructions = facts_.instructions (plan->loop);
  code->waits
    = facts_.waits (plan->stmt, plan->entry ? plan->entry : plan->loop,
		    &code->chained);
  code->step = ahead.step ();
  const site_counts *around = plan->loop ? facts_.counts (plan->loop) : nullptr;
  code->entry = plan->entry;
  code->in_two_loops = plan->search.in_two_loops_p ();
  code->call = !plan->entry && !mark.counts.loop_iterations && around;
  code->trial = measurable_p (plan);
  plan->describe_list (plans_, code);
  if (around && (code->entry || code->call))
    {
      code->outer_invocations = around->loop_invocations;
      code->outer_iterations = around->loop_iterations;
    }
  return around || !plan->entry;
}

/* What is decided about the load at WHERE, site ORDINAL, of which the code is CODE, as a
   transformation of KIND.  */

template <typename Place>
const decision_view *
prefetcher::ask (unsigned ordinal, Place where, const decide::PrefetchCode &code,
		 decide::Transformation kind) const
{
  return profile_decide_prefetch (
    profile_, candidate_at (where, profile_expression (profile_, ordinal), kind), ordinal, code);
}

/* Decides on the load STMT of REF, which has MARK, as seen from LOOP, or on its first
   address in ENTRY, or its second one in the list SECOND.  Null if it is no candidate
   there.  */

prefetch_plan *
prefetcher::decide_in (class loop *loop, class loop *entry, gimple *stmt,
		       tree ref, const site_mark &mark, const list_walk &second)
{
  prefetch_plan *plan = new prefetch_plan (stmt, ref, loop, entry, second);
  const bool strided = strided_p (plan);
  if (strided)
    plan->ahead.make_strided ();
  else if (plan->search_p ())
    plan->ahead.make_search ();
  // What moved fields made a stream of single lines belongs to their order.
  const decide::Transformation kind = strided && moved_field_p (ref)
					? decide::Transformation::field_order
					: k_prefetch;
  decide::PrefetchCode code;
  if ((!strided && !plan->ahead.candidate_p ()) || switched_off_p (kind)
      || !describe (plan, mark, &code))
    {
      delete plan;
      return nullptr;
    }
  plan->address = byte_address (ref, &expansions_);
  plan->covered = code.covered = covered_p (plan);
  plan->decision = ask (mark.ordinal, stmt, code, kind);
  return plan;
}

/* Says why the load with MARK gets no prefetch: it is not in the code as CODE has it.  */

void
prefetcher::refuse (const site_mark &mark, const decide::PrefetchCode &code)
{
  if (!switched_off_p (k_prefetch))
    emit_remark (dump_user_location_t::from_location_t (mark.place),
		 *ask (mark.ordinal, mark.place, code));
}

void
prefetcher::consider (gimple *stmt, tree ref, const site_mark &mark)
{
  class loop *loop = gimple_bb (stmt)->loop_father;
  if (loop == current_loops->tree_root)
    loop = nullptr;
  auto_delete_vec<prefetch_plan> refused;
  bool decided = false;
  auto ask = [&] (class loop *around, class loop *entry, const list_walk &second) {
    prefetch_plan *plan = decide_in (around, entry, stmt, ref, mark, second);
    if (plan)
      {
	emit_remark (stmt, *plan->decision);
	(plan->decision->take ? plans_ : refused).safe_push (plan);
	decided = true;
      }
    return plan;
  };
  const prefetch_plan *plan = ask (loop, nullptr, {});
  class loop *outer = loop ? loop_outer (loop) : nullptr;
  // The first address of an affine access, or the first node of a list, may still depend on
  // a load outside.
  if ((!plan
       || ((plan->ahead.shape () == decide::Shape::strided
	    || plan->ahead.shape () == decide::Shape::linked)
	   && !plan->covered && !plan->decision->take))
      && outer && outer != current_loops->tree_root)
    {
      plan = ask (outer, loop, {});
      const list_walk walk = find_list_walk (loop);
      if (plan && plan->decision->take && walk.node && part_of_node_p (walk, ref))
	ask (outer, loop, walk);
    }
  if (!decided)
    {
      decide::PrefetchCode code;
      code.shape = decide::Shape::affine;
      refuse (mark, code);
    }
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

/* Whether a nest can measure PLAN, which remembers it.  */

bool
prefetcher::measurable_p (prefetch_plan *plan)
{
  if (trials_)
    plan->measurable = tuned_nest::around (plan->loop, facts_);
  return plan->measurable;
}

void
prefetcher::keep_loads ()
{
  auto_vec<gimple *> loads;
  list_marked_loads (fun_, &loads);
  for (gimple *stmt : loads)
    {
      class loop *loop = gimple_bb (stmt)->loop_father;
      if (loop == current_loops->tree_root || loop->inner
	  || loop->force_vectorize || loop->dont_vectorize)
	continue;
      tree ref = gimple_assign_rhs1 (stmt);
      prefetch_plan *plan = decide_in (loop, nullptr, stmt, ref,
				       *current_marks.find (stmt, ref, true));
      loop->dont_vectorize = plan && plan->decision->take
			     && plan->decision->gain >= k_worth_no_vectors;
      delete plan;
    }
}

unsigned
prefetcher::run ()
{
  trials_ = options.tune && number_of_loops (fun_) > 1;
  // The list first, and all decisions: inserting adds loads and blocks.
  auto_vec<gimple *> loads;
  list_marked_loads (fun_, &loads);
  hash_set<int_hash<unsigned, -1u, -2u>> seen;
  for (gimple *stmt : loads)
    {
      tree ref = gimple_assign_rhs1 (stmt);
      const site_mark *mark = current_marks.find (stmt, ref, true);
      seen.add (mark->ordinal);
      consider (stmt, ref, *mark);
    }
  refuse_lost_loads (seen);
  make_nests (plans_, &nests_);
  for (prefetch_plan *plan : plans_)
    insert_prefetch (plan);
  for (tuned_nest *nest : nests_)
    nest->measure ();
  if (!nests_.is_empty ())
    rewrite_into_loop_closed_ssa (NULL, TODO_update_ssa);
  return plans_.length ();
}

pass_data
data_of (const char *name)
{
  return { GIMPLE_PASS, name, OPTGROUP_LOOP, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, 0 };
}

class keep_loads_pass : public gimple_opt_pass
{
public:
  explicit keep_loads_pass (gcc::context *context)
    : gimple_opt_pass (data_of ("memprof_keep_loads"), context)
  {}

  bool
  gate (function *fun) final override
  { return current_marks.profile_of (fun) && flag_tree_loop_vectorize; }

  unsigned
  execute (function *fun) final override
  {
    prefetcher (fun).keep_loads ();
    return 0;
  }
};

class prefetch_pass : public gimple_opt_pass
{
public:
  /* WITH_LOOPS: this instance stands among the loop passes.  */
  prefetch_pass (gcc::context *context, bool with_loops)
    : gimple_opt_pass (data_of ("memprof_prefetch"), context), with_loops_ (with_loops)
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
  register_tuned_nests (plugin_name);
  insert_pass_after (plugin_name, new keep_loads_pass (g),
		     k_pass_before_vectors, 1);
  insert_pass_after (plugin_name, new prefetch_pass (g, true),
		     k_pass_loop_prefetch, 1);
  insert_pass_after (plugin_name, new prefetch_pass (g, false),
		     k_pass_after_loops, 1);
}

} // namespace memprof::plugin
