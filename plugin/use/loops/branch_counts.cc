/* branch_counts.cc - the branches of a function get the probabilities that were measured.
   SPDX-License-Identifier: GPL-3.0-or-later

   Before, as GCC guesses:	     After:

     <bb 3> [89 %]:		       <bb 3> [89 %]:
       c = *s;			         c = *s;
       if (c == quote)		         if (c == quote)
	 goto <bb 4>; [34 %]	           goto <bb 4>; [0.5 %]
       else			         else
	 goto <bb 5>; [66 %]	           goto <bb 5>; [99.5 %]

   1. The function's edges, the blocks of its sites and the entries of its loops are listed.
   2. consumers/decide finds the executions of edges and blocks, and says which branches get probabilities.
   3. Branches and blocks get what it found.
   4. Loops of two iterations are aligned, too.  GCC aligns those of four, and guesses nine where it does not know:
      the innermost loop of Ptrdist's ks, of 3.8 iterations, would begin anywhere, and takes 1.3 times as long.

   Place: where sites are matched, which is after inlining and before the loop optimisers.  Counts stay those of
   one function, which GCC calls guessed: nothing is said about other functions, so that none becomes cold.  They are
   hints, and no pass computes something else for them.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/use/loops/branch_counts.h"
#include "plugin/use/loops/hot_function.h"
#include "plugin/use/match/site_marks.h"
#include "plugin/use/remarks.h"

namespace memprof::plugin {

namespace {

const int64_t k_whole = 1 << 28, k_largest_count = 1 << 30;
/* Blocks that may lie between two of one class.  */
const unsigned k_most_steps = 32;

const char *
obstacle_of (function *fun)
{
  if (flag_branch_probabilities || flag_auto_profile)
    return "GCC has a profile of its own";
  if (profile_status_for_fn (fun) != PROFILE_GUESSED)
    return "GCC guesses no probabilities";
  if (optimize_function_for_size_p (fun))
    return "it is compiled for size";
  return nullptr;
}

/* Whether control leaves BB by an exception, a computed jump or longjmp: then GCC's probabilities stay.  */

bool
leaves_unseen_p (basic_block bb)
{
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, bb->succs)
    if (e->flags & (EDGE_ABNORMAL | EDGE_EH))
      return true;
  return false;
}

/* Whether a loop is entered by ENTRY, and by no other edge.  */

bool
only_entry_p (edge entry)
{
  class loop *loop = entry->dest->loop_father;
  edge e;
  edge_iterator ei;
  if (entry->dest != loop->header)
    return false;
  FOR_EACH_EDGE (e, ei, loop->header->preds)
    if (flow_bb_inside_loop_p (loop, e->src) == (e == entry))
      return false;
  return true;
}

double
probability_of (edge e)
{
  return e->probability.initialized_p () ? e->probability.to_reg_br_prob_base () / double (REG_BR_PROB_BASE) : 0;
}

class branches
{
public:
  branches (function *fun, const auto_vec<access_site> &sites);
  decide::BranchCode code ();
  void set (const double *probabilities, const double *block_counts);

private:
  void find_classes ();
  void add_edges (basic_block bb);
  void add (edge e, unsigned from, unsigned to);
  void add_entries (const auto_vec<access_site> &sites);

  function *fun_;
  const char *obstacle_; // nothing is listed
  auto_vec<edge> edges_; // null: half of an abnormal one
  auto_vec<decide::FlowEdge> flow_;
  auto_vec<decide::BlockSite> sites_;
  auto_vec<decide::LoopEntry> entries_;
  auto_vec<unsigned> classes_; // of the blocks, and
  auto_vec<double> guesses_;   // what GCC guesses
};

branches::branches (function *fun, const auto_vec<access_site> &sites)
  : fun_ (fun), obstacle_ (obstacle_of (fun))
{
  if (obstacle_)
    return;
  basic_block bb;
  add_edges (ENTRY_BLOCK_PTR_FOR_FN (fun));
  FOR_EACH_BB_FN (bb, fun)
    add_edges (bb);
  for (const access_site &site : sites)
    sites_.safe_push ({ unsigned (gimple_bb (site.stmt)->index), site.ordinal });
  add_entries (sites);
  guesses_.safe_grow_cleared (last_basic_block_for_fn (fun));
  FOR_ALL_BB_FN (bb, fun)
    guesses_[bb->index] = bb->count.initialized_p () ? double (bb->count.to_gcov_type ()) : 0;
  find_classes ();
}

/* A block before which another one is always executed, in the same loop, and that is always executed after it, is
   of its class.  */

void
branches::find_classes ()
{
  calculate_dominance_info (CDI_DOMINATORS);
  calculate_dominance_info (CDI_POST_DOMINATORS);
  classes_.safe_grow_cleared (last_basic_block_for_fn (fun_));
  for (unsigned i = 0; i < classes_.length (); i++)
    classes_[i] = i;
  // Blocks before the ones that they dominate, so that each finds the first of its class.
  for (basic_block bb : get_all_dominated_blocks (CDI_DOMINATORS, ENTRY_BLOCK_PTR_FOR_FN (fun_)))
    {
      basic_block after = bb;
      for (unsigned steps = 0; steps < k_most_steps && after; steps++)
	{
	  after = get_immediate_dominator (CDI_POST_DOMINATORS, after);
	  if (after && after != EXIT_BLOCK_PTR_FOR_FN (fun_) && after->loop_father == bb->loop_father
	      && dominated_by_p (CDI_DOMINATORS, after, bb))
	    {
	      classes_[after->index] = classes_[bb->index];
	      break;
	    }
	}
    }
  free_dominance_info (CDI_POST_DOMINATORS);
}

/* The edges that are the only way into a loop; nothing where no site is in the loop itself.  */

void
branches::add_entries (const auto_vec<access_site> &sites)
{
  hash_map<class loop *, unsigned> first_site;
  for (const access_site &site : sites)
    {
      bool seen;
      unsigned &ordinal = first_site.get_or_insert (gimple_bb (site.stmt)->loop_father, &seen);
      if (!seen)
	ordinal = site.ordinal;
    }
  for (unsigned i = 0; i < edges_.length (); i++)
    if (edges_[i] && only_entry_p (edges_[i]))
      if (const unsigned *ordinal = first_site.get (edges_[i]->dest->loop_father))
	entries_.safe_push ({ i, *ordinal });
}

void
branches::add_edges (basic_block bb)
{
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, bb->succs)
    if (e->flags & EDGE_ABNORMAL)
      {
	add (nullptr, bb->index, EXIT_BLOCK);
	add (nullptr, ENTRY_BLOCK, e->dest->index);
      }
    else if (!(e->flags & EDGE_EH))
      add (e, bb->index, e->dest->index);
}

void
branches::add (edge e, unsigned from, unsigned to)
{
  edges_.safe_push (e);
  flow_.safe_push ({ from, to, e ? probability_of (e) : 0 });
}

decide::BranchCode
branches::code ()
{
  decide::BranchCode code;
  code.obstacle = obstacle_;
  code.classes = classes_.address ();
  code.guesses = guesses_.address ();
  code.block_count = guesses_.length ();
  code.edge_count = edges_.length ();
  code.site_count = sites_.length ();
  code.entry_count = entries_.length ();
  code.edges = flow_.address ();
  code.sites = sites_.address ();
  code.entries = entries_.address ();
  return code;
}

/* As GCC's guesses, the counts are of this function alone, and the largest is 2^30.  No block is impossible.  */

void
branches::set (const double *probabilities, const double *block_counts)
{
  for (unsigned i = 0; i < edges_.length (); i++)
    if (edges_[i] && probabilities[i] >= 0 && !leaves_unseen_p (edges_[i]->src))
      edges_[i]->probability
	= profile_probability::always ().apply_scale (int64_t (probabilities[i] * k_whole), k_whole);
  double most = 1;
  for (unsigned i = 0; i < guesses_.length (); i++)
    most = MAX (most, block_counts[i]);
  const profile_count of_program = ENTRY_BLOCK_PTR_FOR_FN (fun_)->count.ipa ();
  basic_block bb;
  FOR_ALL_BB_FN (bb, fun_)
    {
      const int64_t count = int64_t (block_counts[bb->index] / most * k_largest_count);
      bb->count = profile_count::from_gcov_type (MAX (count, 1)).guessed_local ().combine_with_ipa_count (of_program);
    }
  update_max_bb_count ();
}

/* The current function's options, with shorter loops aligned if the command line does not say which.  */

tree
options_of_short_loops ()
{
  gcc_options wanted = global_options, named = global_options_set;
  if (!named.x_param_align_loop_iterations)
    wanted.x_param_align_loop_iterations = 1;
  return build_optimization_node (&wanted, &named);
}

} // anonymous namespace

void
set_branch_counts (function *fun, const auto_vec<access_site> &sites)
{
  branches all (fun, sites);
  const location_t where = DECL_SOURCE_LOCATION (fun->decl);
  const decision_view *decision
    = profile_decide_branch_counts (current_marks.profile_of (fun),
				    definition_candidate (where, current_function_name (),
							  decide::Transformation::branch_counts),
				    all.code ());
  emit_remark (dump_user_location_t::from_location_t (where), *decision);
  if (!decision->take || seeded (fault::guessed_branches))
    return;
  all.set (decision->probabilities, decision->block_counts);
  set_optimization (fun, options_of_short_loops ());
}

} // namespace memprof::plugin
