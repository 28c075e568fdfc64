/* loop_versioner.cc - one loop: can it be versioned, on what check, and doing it.
   SPDX-License-Identifier: GPL-3.0-or-later

   Analysis leaves the code as it was.  Whether the bases and bounds of a loop
   are known before it depends on loads that are only invariant if the
   check succeeds, so

     1. copies of these loads are put before the loop, and the loop made to
        use them;
     2. GCC's analysis of this loop gives counts and ranges;
     3. the loop gets its own loads back.  If nothing comes of it, the copies
        are removed.

   A load that a store with an unknown range may overwrite stays in the loop;
   then the analysis is repeated without it.

   The check.  Every store's range against each hoisted load's bytes, and every
   store's range against the ranges of other groups.  Pairs that GCC knows not
   to meet in any iteration need none.  It is right by induction: as long as no
   store has changed a hoisted load's bytes, addresses and counts are those that
   were checked; so no store comes to change them.

   A nest of loops is treated as one: ranges cover all of its iterations, and one
   check stands before it.

   The two loops.

     if (check)  fast: hoisted loads replaced; references marked to be disjoint
     else        slow: the loop as it was

   The mark is GCC's own for restrict: references of one clique and different
   bases do not alias.  It says nothing about when; so it must not be used
   between two entries of the loop, when bases may have changed places.  What
   GCC does with an enclosing loop sees the slow copy there as well, whose
   references have no mark.  That would not hold if GCC found out that the check
   always succeeds and removed the slow copy: within another loop, the check's
   result goes through an empty asm, which GCC does not look into.  */

#include "plugin/gcc-common.h"
#include "plugin/use/versioning/loop_versioner.h"
#include "plugin/options.h"
#include "plugin/sites/quiet_copy.h"

namespace memprof::plugin {

namespace {

/* More would cost more than a short loop takes, and much code.  */
const unsigned k_max_checks = 40;

/* What GCC keeps about loops and values has names in it that may be gone.  */

void
forget_analysis ()
{
  scev_reset ();
  free_numbers_of_iterations_estimates (cfun);
}

} // anonymous namespace

loop_versioner::loop_versioner (class loop *loop, class loop *innermost)
  : loop_ (loop), innermost_ (innermost), memory_ (loop), invariants_ (loop)
{
  obstacle_ = memory_.obstacle ();
  bool stores = false;
  for (const memory_ref &ref : memory_.refs ())
    stores |= ref.store;
  if (obstacle_ || !stores)
    return;
  if (!can_duplicate_loop_p (loop) || optimize_loop_nest_for_size_p (loop))
    {
      obstacle_ = "the compiler does not copy this loop";
      return;
    }
  if (!analyse ())
    checks_.truncate (0);
}

loop_versioner::~loop_versioner ()
{
  if (copied_)
    invariants_.remove_copies ();
  delete counts_;
}

bool
loop_versioner::analyse ()
{
  hash_set<gimple *> without;
  for (;;)
    {
      invariants_.find (&without);
      invariants_.copy ();
      invariants_.use_copies ();
      copied_ = true;
      for (memory_ref &ref : memory_.refs ())
	{
	  ref.hoisted = !ref.store && invariants_.contains (ref.stmt);
	  if (ref.hoisted
	      && !ref.range.find_fixed (
		invariants_.copied_ref (as_a<gassign *> (ref.stmt)), loop_))
	    gcc_unreachable (); // of a register's type
	}
      forget_analysis ();
      delete counts_;
      counts_ = new loop_counts;
      bool counted = counts_->find (loop_);
      if (counted)
	memory_.find_ranges (*counts_);
      unsigned before = without.elements ();
      bool found = counted && find_checks (&without);
      if (found)
	lanes_ = likely_lanes (innermost_, memory_);
      invariants_.use_originals ();
      forget_analysis ();
      if (found)
	{
	  count_gains ();
	  count_shared ();
	  return true;
	}
      invariants_.remove_copies ();
      copied_ = false;
      if (!counted || without.elements () == before)
	return false;
    }
}

void
loop_versioner::add_check (const memory_ref &store, const memory_ref &other,
			   const byte_range &a, const byte_range &b)
{
  if (!first_store_)
    first_store_ = &store;
  checked_.add (store.stmt);
  checked_.add (other.stmt);
  if (store.ordinal < 0 || other.ordinal < 0)
    {
      if (!seeded (fault::volatile_access))
	obstacle_ = "an access has no site in the profile";
    }
  else
    pairs_.safe_push ({ unsigned (store.ordinal), unsigned (other.ordinal) });
  // Near ranges of the same pair of groups become one.
  for (check &c : checks_)
    for (bool swapped : { false, true })
      {
	check merged = c;
	if (merged.a.merge (swapped ? b : a) && merged.b.merge (swapped ? a : b))
	  {
	    c = merged;
	    return;
	  }
      }
  checks_.safe_push ({ a, b });
}

/* False: some hoisted load has to stay in the loop, now in *WITHOUT, or there is
   nothing to check.  */

bool
loop_versioner::find_checks (hash_set<gimple *> *without)
{
  checks_.truncate (0);
  pairs_.truncate (0);
  obstacle_ = nullptr;
  first_store_ = nullptr;
  group_checks_ = false;
  checked_.empty ();
  for (const memory_ref &other : memory_.refs ())
    {
      for (const memory_ref &store : memory_.refs ())
	{
	  if (!store.store || &store == &other)
	    continue;
	  if (other.hoisted)
	    {
	      if (!memory_.may_meet_p (store, other, true))
		continue;
	      if (!store.ranged)
		without->add (other.stmt);
	      else if (!seeded (fault::unchecked_loads) || !first_store_)
		add_check (store, other, store.range, other.range);
	    }
	  else if (other.ranged && store.ranged && store.group != other.group
		   && (!other.store || store.group < other.group)
		   && memory_.may_meet_p (store, other,
					  seeded (fault::store_types)))
	    {
	      add_check (store, other, store.range, other.range);
	      group_checks_ = true;
	    }
	}
    }
  if (!without->is_empty () )
    for (const memory_ref &other : memory_.refs ())
      if (other.hoisted && without->contains (other.stmt))
	return false;
  if (checks_.length () > k_max_checks)
    obstacle_ = "too many address ranges would have to be compared";
  return !checks_.is_empty ();
}

/* What leaves the innermost loop: loads that a store kept in it, and stores that
   stay at one place while nothing else can be there.  */

void
loop_versioner::count_gains ()
{
  hoisted_ = moved_ = 0;
  bool all_ranged = group_checks_;
  for (const memory_ref &ref : memory_.refs ())
    all_ranged &= ref.hoisted || ref.ranged;
  for (const memory_ref &ref : memory_.refs ())
    {
      if (gimple_bb (ref.stmt)->loop_father != innermost_
	  || !checked_.contains (ref.stmt))
	continue;
      bool still = ref.ranged && all_ranged && ref.range.still_p (innermost_);
      if (ref.store)
	moved_ += still;
      else
	hoisted_ += ref.hoisted || still;
    }
  // The load of a sum leaves with its store.
  hoisted_ -= MIN (hoisted_, moved_);
}

/* What unrolling the loop around the innermost one and fusing its copies saves:
   c[i][j] += a[i][k] * b[k][j] loads and stores c[i][j] once for two k.  */

void
loop_versioner::count_shared ()
{
  shared_ = 0;
  class loop *around = loop_outer (innermost_);
  if (loop_ == innermost_ || innermost_->inner || around->inner != innermost_
      || innermost_->next || !group_checks_ || lanes_ < 2)
    return;
  for (const memory_ref &ref : memory_.refs ())
    {
      bool inside = gimple_bb (ref.stmt)->loop_father == innermost_;
      // A store beside the inner loop has its place before or after it.
      if (!ref.hoisted && (!ref.ranged || (ref.store && !inside)))
	{
	  shared_ = 0;
	  return;
	}
      if (inside && ref.ranged && !ref.range.still_p (innermost_)
	  && ref.range.still_p (around))
	shared_++;
    }
}

/* The check's result as an operand, computed in *SEQ.  */

tree
loop_versioner::emit_condition (gimple_seq *seq)
{
  tree all = NULL_TREE;
  auto_vec<tree> conditions;
  for (tree condition : counts_->conditions ())
    all = emit_and (all, emit_expression (condition, seq), seq);
  auto_vec<tree> equal;
  invariants_.conditions (&equal);
  if (seeded (fault::turned_loads))
    equal.truncate (0);
  for (unsigned i = 0; i < equal.length (); i += 2)
    all = emit_and (all,
		    emit_expression (fold_build2 (EQ_EXPR, boolean_type_node,
						  equal[i], equal[i + 1]),
				     seq),
		    seq);
  struct done
  {
    byte_range range;
    tree low, length;
  };
  auto_vec<done> ranges;
  auto computed = [&] (const byte_range &range) {
    for (unsigned i = 0; i < ranges.length (); i++)
      if (ranges[i].range.same_p (range))
	return i;
    done d = { range, NULL_TREE, NULL_TREE };
    range.emit (seq, &conditions, &d.low, &d.length);
    ranges.safe_push (d);
    return ranges.length () - 1;
  };
  for (const check &c : checks_)
    {
      unsigned i = computed (c.a), j = computed (c.b);
      all = emit_and (all,
		      emit_disjoint (ranges[i].low, ranges[i].length,
				     ranges[j].low, ranges[j].length, seq),
		      seq);
    }
  for (tree condition : conditions)
    all = emit_and (all, condition, seq);
  if (seeded (fault::always_fast))
    return boolean_true_node;
  return all;
}

/* VALUE, a boolean, such that GCC knows nothing about it.  */

static tree
opaque (tree value, gimple_seq *seq)
{
  tree type = unsigned_char_type_node;
  tree byte = emit_expression (fold_convert (type, value), seq);
  tree result = make_ssa_name (type);
  vec<tree, va_gc> *in = NULL, *out = NULL;
  vec_safe_push (out, build_tree_list (build_tree_list (NULL_TREE,
							build_string (2, "=r")),
				       result));
  vec_safe_push (in, build_tree_list (build_tree_list (NULL_TREE,
						       build_string (1, "0")),
				      byte));
  gasm *empty = gimple_build_asm_vec ("", in, out, NULL, NULL);
  SSA_NAME_DEF_STMT (result) = empty;
  gimple_seq_add_stmt (seq, empty);
  return result;
}

void
loop_versioner::version ()
{
  gimple_seq seq = NULL;
  tree condition = emit_condition (&seq);
  if (loop_outer (loop_) != current_loops->tree_root)
    condition = seeded (fault::seen_checks) ? boolean_true_node
						   : opaque (condition, &seq);
  gimple_stmt_iterator at = gsi_last_bb (loop_preheader_edge (loop_)->src);
  gsi_insert_seq_after (&at, seq, GSI_NEW_STMT);
  // The copies stay.
  copied_ = false;

  initialize_original_copy_tables ();
  basic_block test;
  class loop *slow
    = loop_version (loop_,
		    build2 (NE_EXPR, boolean_type_node, condition,
			    build_zero_cst (TREE_TYPE (condition))),
		    &test, profile_probability::likely (),
		    profile_probability::unlikely (),
		    profile_probability::likely (),
		    profile_probability::unlikely (), true);
  free_original_copy_tables ();
  gcc_assert (slow);
  suppress_warnings (slow);
  // At once: the slow loop must not see what is done to the fast one.
  update_ssa (TODO_update_ssa);
  invariants_.use_copies ();
  mark_disjoint ();
  ask_for_vectors ();
  forget_analysis ();
}

/* Marks REF of the fast loop as disjoint from other groups.  A pointer from
   outside of the loop gets a name of its own: loop motion takes references
   through the same name for the same, and drops the mark.  */

void
loop_versioner::mark_one (memory_ref &ref, unsigned short clique,
			  hash_map<tree, tree> *copies)
{
  tree *base = ref.store ? gimple_assign_lhs_ptr (ref.stmt)
			 : gimple_assign_rhs1_ptr (ref.stmt);
  while (handled_component_p (*base))
    base = &TREE_OPERAND (*base, 0);
  if (TREE_CODE (*base) != MEM_REF)
    return;
  MR_DEPENDENCE_CLIQUE (*base) = clique;
  MR_DEPENDENCE_BASE (*base) = ref.group + 1;
  tree pointer = TREE_OPERAND (*base, 0);
  if (TREE_CODE (pointer) != SSA_NAME
      || !expr_invariant_in_loop_p (loop_, pointer))
    return;
  bool known;
  tree &copy = copies->get_or_insert (pointer, &known);
  if (!known)
    {
      copy = duplicate_ssa_name (pointer, NULL);
      gassign *assign = gimple_build_assign (copy, pointer);
      SSA_NAME_DEF_STMT (copy) = assign;
      gsi_insert_on_edge_immediate (loop_preheader_edge (loop_), assign);
    }
  TREE_OPERAND (*base, 0) = copy;
  update_stmt (ref.stmt);
}

void
loop_versioner::mark_disjoint ()
{
  if (!group_checks_ || cfun->last_clique == USHRT_MAX
      || memory_.groups () >= USHRT_MAX)
    return;
  unsigned short clique = ++cfun->last_clique;
  hash_map<tree, tree> copies;
  for (memory_ref &ref : memory_.refs ())
    if (ref.ranged)
      mark_one (ref, clique, &copies);
}

bool
vectors_wanted_p ()
{
  // The default at -O2, so that it is off where the user says so.
  return optimize >= 2 && flag_tree_loop_vectorize;
}

/* At -O2 GCC makes vectors only of loops with a suitable constant count; for
   this one the profile says that it is worth more.  */

void
loop_versioner::ask_for_vectors ()
{
  if (!vectors_wanted_p () || lanes_ < 2)
    return;
  innermost_->force_vectorize = true;
  cfun->has_force_vectorize_loops = true;
}

} // namespace memprof::plugin
