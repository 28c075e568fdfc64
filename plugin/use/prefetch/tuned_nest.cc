/* tuned_nest.cc - a nest of loops whose prefetches are on trial.
   SPDX-License-Identifier: GPL-3.0-or-later

   What the library does is in runtime/tune/tune.h.  The nest, before and after:

				      if (--entries == 0)
					entries = __mprt_tune_again (&cell);
     for (i...)			      if (cell.state == PLAIN)
       {				the nest as it was
				      else
					{
					  factor = (1 << (cell.state - 1)) >> 1;
					  left = 1 << 20, start = 0;
					  if (cell.state == TRYING)
					    setting, factor, left from __mprt_tune_enter (&cell),
					    start = __mprt_tune_clock ();
					  for (i...)
					    {
					      if (--left == 0)
						the same from __mprt_tune_slice (&cell, setting, start);
					      if (factor)
						prefetch (&a[b[i + 8 * factor]]);
	 sum += a[b[i]];		      sum += a[b[i]];
       }				    }
					  if (start)
					    __mprt_tune_leave (&cell, setting, start, left);
					}

   So a nest that is not worth it costs a load, a counter and two branches for each entry, and one that
   is a counter for each iteration, too.  `entries' belongs to the thread: nothing is written that threads
   share.

   Which nest.  The innermost loop with the prefetch, if its entries are long; otherwise the first one
   around it whose entries are, in iterations of the innermost loop.

   The functions are weak, so that a link without our specs succeeds: then the state is always TRYING,
   the level is what was decided here, and none of them is called.  */

#include "plugin/gcc-common.h"
#include "plugin/use/objects/arena_calls.h"
#include "plugin/use/prefetch/tuned_nest.h"
#include "plugin/sites/quiet_copy.h"
#include "plugin/sites/runtime_decls.h"
#include "runtime/wire/tune_cell.h"

namespace memprof::plugin {

namespace {

/* Iterations of an entry, at least, that a trial is about, and with which no larger nest
   is looked for.  */
const uint64_t k_least_iterations = 64, k_many_iterations = 4096;
/* Statements of a nest and exits from it, at most.  */
const unsigned k_most_statements = 400, k_most_exits = 8;
/* Words of a cell.  */
const unsigned k_cell_words = sizeof (mprt_tune_cell) / 8;
/* Bytes of a line: no two cells share one.  */
const unsigned k_cell_align = 64;
/* Entries before the first look at the clock in a thread.  */
const unsigned k_first_entries = 1024;
/* Iterations of an entry that is not tried between two looks at the clock.  */
const unsigned k_rest_iterations = 1 << 20;

/* Declarations of the library's functions and of `entries', made when they are first needed.  */
enum declared { ENTER, CLOCK, SLICE, LEAVE, AGAIN, ENTRIES, DECLARED };
tree declarations[DECLARED];

const ggc_root_tab roots[] = { { &declarations, DECLARED, sizeof (tree), &gt_ggc_mx_tree_node,
				 &gt_pch_nx_tree_node },
			       LAST_GGC_ROOT_TAB };

tree
word_type ()
{
  return build_nonstandard_integer_type (64, 1);
}

tree
half_type ()
{
  return build_nonstandard_integer_type (32, 1);
}

/* The function NAME of TYPE.  It accesses nothing that the program does.  */

tree
declare (const char *name, tree type)
{
  tree decl = build_fn_decl (name, type);
  TREE_NOTHROW (decl) = 1;
  DECL_IS_NOVOPS (decl) = 1;
  DECL_ARTIFICIAL (decl) = 1;
  DECL_VISIBILITY (decl) = VISIBILITY_DEFAULT;
  DECL_VISIBILITY_SPECIFIED (decl) = 1;
  for (const char *attribute : { "leaf", "cold" })
    DECL_ATTRIBUTES (decl)
      = tree_cons (get_identifier (attribute), NULL_TREE, DECL_ATTRIBUTES (decl));
  declare_weak (decl);
  return decl;
}

void
declare_all ()
{
  if (declarations[ENTER])
    return;
  tree word = word_type (), half = half_type (), cell = ptr_type_node;
  declarations[ENTER]
    = declare ("__mprt_tune_enter", build_function_type_list (word, cell, NULL_TREE));
  declarations[CLOCK] = declare ("__mprt_tune_clock", build_function_type_list (word, NULL_TREE));
  declarations[SLICE]
    = declare ("__mprt_tune_slice", build_function_type_list (word, cell, half, word, NULL_TREE));
  declarations[LEAVE]
    = declare ("__mprt_tune_leave",
	       build_function_type_list (void_type_node, cell, half, word, word, NULL_TREE));
  declarations[AGAIN]
    = declare ("__mprt_tune_again", build_function_type_list (half, cell, NULL_TREE));
  tree entries
    = make_table_variable (IDENTIFIER_POINTER (create_tmp_var_name ("__mprt_entries")), half, 4);
  TREE_READONLY (entries) = 0;
  TREE_ADDRESSABLE (entries) = 0;
  set_decl_tls_model (entries, TLS_MODEL_INITIAL_EXEC);
  define_table_variable (entries, build_int_cst (half, k_first_entries));
  declarations[ENTRIES] = entries;
}

/* PLACES as "FILE:LINE, FILE:LINE", each once; to be freed.  */

char *
places_text (const vec<location_t> &places)
{
  char *text = xstrdup ("");
  auto_vec<expanded_location> written;
  for (location_t place : places)
    {
      const expanded_location at = expand_location (place);
      const char *file = at.file ? at.file : "?";
      bool again = false;
      for (const expanded_location &other : written)
	again |= other.line == at.line && other.file == at.file;
      if (again)
	continue;
      written.safe_push (at);
      char *longer = xasprintf ("%s%s%s:%d", text, *text ? ", " : "", file, at.line);
      free (text);
      text = longer;
    }
  return text;
}

/* A variable of struct mprt_tune_cell, for the nest with prefetches at PLACES.  */

tree
make_cell (const vec<location_t> &places, bool distances, unsigned fallback, double predicted)
{
  tree word = word_type ();
  tree type = build_array_type_nelts (word, k_cell_words);
  tree cell = make_table_variable (IDENTIFIER_POINTER (create_tmp_var_name ("__mprt_tune_cell")), type,
				   k_cell_align);
  TREE_READONLY (cell) = 0;
  char *text = places_text (places);
  tree name = build_string_literal (strlen (text) + 1, text);
  free (text);
  const uint64_t levels = distances ? MPRT_TUNE_LEVELS : 2;
  vec<constructor_elt, va_gc> *words = nullptr;
  CONSTRUCTOR_APPEND_ELT (words, size_int (0), build_int_cstu (word, levels << 32));
  CONSTRUCTOR_APPEND_ELT (words, size_int (1), fold_convert (word, name));
  CONSTRUCTOR_APPEND_ELT (words, size_int (2),
			  build_int_cstu (word, fallback | uint64_t (predicted * 1000) << 32));
  define_table_variable (cell, build_constructor (type, words));
  return cell;
}

/* Appends RESULT = LEFT CODE RIGHT, of LEFT's type, to *SEQ; returns RESULT.  */

tree
append (gimple_seq *seq, tree_code code, tree left, HOST_WIDE_INT right)
{
  tree result = make_ssa_name (TREE_TYPE (left));
  gimple_seq_add_stmt (seq, gimple_build_assign (result, code, left,
						 build_int_cst (TREE_TYPE (left), right)));
  return result;
}

/* Appends a copy of VARIABLE, which is returned.  */

tree
value_of (gimple_seq *seq, tree variable)
{
  tree value = make_ssa_name (TREE_TYPE (variable));
  gimple_seq_add_stmt (seq, gimple_build_assign (value, variable));
  return value;
}

/* Appends a call of WHICH with ARGUMENTS; returns its value.  */

tree
append_call (gimple_seq *seq, declared which, std::initializer_list<tree> arguments)
{
  auto_vec<tree> all;
  for (tree argument : arguments)
    all.safe_push (argument);
  tree decl = declarations[which], type = TREE_TYPE (TREE_TYPE (decl));
  gcall *call = gimple_build_call_vec (decl, all);
  tree value = NULL_TREE;
  if (!VOID_TYPE_P (type))
    {
      value = make_ssa_name (type);
      gimple_call_set_lhs (call, value);
    }
  gimple_call_set_nothrow (call, true);
  gimple_seq_add_stmt (seq, call);
  return value;
}

/* The factor at LEVEL, appended to *SEQ: 0, 1, 2, 4.  */

tree
factor_at (gimple_seq *seq, tree level)
{
  tree half = half_type (), power = make_ssa_name (half);
  gimple_seq_add_stmt (seq, gimple_build_assign (power, LSHIFT_EXPR, build_one_cst (half), level));
  return append (seq, RSHIFT_EXPR, power, 1);
}

/* Adds SEQ at the end of BB, and a block after it that is executed rarely, if LEFT CODE RIGHT.  */

basic_block
add_rare_block (basic_block bb, gimple_seq seq, tree_code code, tree left, tree right)
{
  gimple *last = gimple_seq_last_stmt (seq);
  gimple_stmt_iterator at = gsi_last_bb (bb);
  gsi_insert_seq_after (&at, seq, GSI_NEW_STMT);
  gcond *condition = gimple_build_cond (code, left, right, NULL_TREE, NULL_TREE);
  return insert_cond_bb (bb, last, condition, profile_probability::very_unlikely ());
}

void
add_statements (basic_block bb, gimple_seq seq)
{
  gimple_stmt_iterator at = gsi_start_bb (bb);
  gsi_insert_seq_before (&at, seq, GSI_NEW_STMT);
}

bool
copyable_p (class loop *loop)
{
  if (!can_duplicate_loop_p (loop) || optimize_loop_nest_for_size_p (loop)
      || (loop_preheader_edge (loop)->flags & EDGE_IRREDUCIBLE_LOOP))
    return false;
  basic_block *body = get_loop_body (loop);
  unsigned statements = 0;
  for (unsigned i = 0; i < loop->num_nodes; i++)
    for (gimple_stmt_iterator gsi = gsi_start_bb (body[i]); !gsi_end_p (gsi); gsi_next (&gsi))
      statements += !is_gimple_debug (gsi_stmt (gsi));
  free (body);
  return statements <= k_most_statements && get_loop_exit_edges (loop).length () <= k_most_exits;
}

void
finish_unit (void *, void *)
{
  if (declarations[ENTER] && !seen_error ())
    want_library ("__mprt_tune_wanted");
}

} // anonymous namespace

class loop *
tuned_nest::around (class loop *loop, loop_facts &facts)
{
  const site_counts *counts = loop ? facts.counts (loop) : nullptr;
  if (!counts || !targetm.have_tls || POINTER_SIZE != 64)
    return nullptr;
  const uint64_t iterations = counts->loop_iterations;
  class loop *found = nullptr;
  for (; loop != current_loops->tree_root && copyable_p (loop); loop = loop_outer (loop))
    {
      counts = facts.counts (loop);
      if (!counts || !counts->loop_invocations)
	break;
      const uint64_t each = iterations / counts->loop_invocations;
      if (each >= k_least_iterations)
	found = loop;
      if (each >= k_many_iterations)
	break;
    }
  return found;
}

void
tuned_nest::version (unsigned fallback, double predicted, bool distances, const vec<location_t> &places)
{
  declare_all ();
  fallback_ = fallback;
  cell_ = build_fold_addr_expr (make_cell (places, distances, fallback, predicted));
  setting_ = create_tmp_reg (half_type (), "tune_setting");
  factor_ = create_tmp_reg (half_type (), "tune_factor");
  left_ = create_tmp_reg (word_type (), "tune_left");
  start_ = create_tmp_reg (word_type (), "tune_start");

  gimple_seq seq = NULL;
  tree half = half_type ();
  // Offset 0 with this type: it may alias everything.
  state_ = make_ssa_name (half);
  gimple_seq_add_stmt (&seq, gimple_build_assign (state_, build2 (MEM_REF, half, cell_,
								  build_zero_cst (ptr_type_node))));
  look_again ();
  gimple_stmt_iterator at = gsi_last_bb (loop_preheader_edge (loop_)->src);
  gsi_insert_seq_after (&at, seq, GSI_NEW_STMT);
  initialize_original_copy_tables ();
  basic_block test;
  const profile_probability even = profile_probability::even ();
  // Both may be the hot one: neither gets smaller counts, by which GCC lays out code.
  const profile_probability all = profile_probability::always ();
  class loop *plain
    = loop_version (loop_, build2 (NE_EXPR, boolean_type_node, state_,
				   build_int_cst (half, MPRT_TUNE_PLAIN)),
		    &test, even, even, all, all, true);
  free_original_copy_tables ();
  gcc_assert (plain);
  suppress_warnings (plain);
  mark_virtual_operands_for_renaming (cfun);
  update_ssa (TODO_update_ssa);
}

/* Now and then an entry asks for another trial.  */

void
tuned_nest::look_again ()
{
  tree entries = declarations[ENTRIES];
  basic_block before = split_edge (loop_preheader_edge (loop_));
  gimple_seq seq = NULL, more = NULL;
  tree less = append (&seq, PLUS_EXPR, value_of (&seq, entries), -1);
  gimple_seq_add_stmt (&seq, gimple_build_assign (entries, less));
  basic_block rare = add_rare_block (before, seq, EQ_EXPR, less, build_zero_cst (TREE_TYPE (less)));
  gimple_seq without = NULL;
  gimple_seq_add_stmt (&without, gimple_build_assign (entries, build_int_cst (half_type (), k_first_entries)));
  basic_block with_library
    = add_rare_block (rare, without, NE_EXPR, build_fold_addr_expr (declarations[AGAIN]), null_pointer_node);
  tree count = append_call (&more, AGAIN, { cell_ });
  gimple_seq_add_stmt (&more, gimple_build_assign (entries, count));
  add_statements (with_library, more);
}

/* Appends to *SEQ what begins the slice of ANSWER.  */

void
tuned_nest::begin_slice (gimple_seq *seq, tree answer)
{
  tree half = half_type (), setting = make_ssa_name (half);
  tree low = append (seq, BIT_AND_EXPR, answer, (1 << MPRT_TUNE_SETTING_BITS) - 1);
  gimple_seq_add_stmt (seq, gimple_build_assign (setting, NOP_EXPR, low));
  gimple_seq_add_stmt (seq, gimple_build_assign (setting_, setting));
  tree level = append (seq, BIT_AND_EXPR, setting, (1 << MPRT_TUNE_LEVEL_BITS) - 1);
  gimple_seq_add_stmt (seq, gimple_build_assign (factor_, factor_at (seq, level)));
  tree left = append (seq, RSHIFT_EXPR, answer, MPRT_TUNE_SETTING_BITS);
  gimple_seq_add_stmt (seq, gimple_build_assign (left_, left));
  gimple_seq_add_stmt (seq, gimple_build_assign (start_, append_call (seq, CLOCK, {})));
}

/* At an entry of the nest with prefetches.  */

void
tuned_nest::choose_setting ()
{
  tree half = half_type (), word = word_type ();
  basic_block before = split_edge (loop_preheader_edge (loop_));
  gimple_seq seq = NULL, rarely = NULL, more = NULL;
  // While it is tried there is none, and this is not used.
  tree level = append (&seq, BIT_AND_EXPR, append (&seq, PLUS_EXPR, state_, -1),
		       2 * MPRT_TUNE_LEVELS - 1);
  gimple_seq_add_stmt (&seq, gimple_build_assign (factor_, factor_at (&seq, level)));
  gimple_seq_add_stmt (&seq, gimple_build_assign (setting_, build_zero_cst (half)));
  gimple_seq_add_stmt (&seq, gimple_build_assign (left_, build_int_cst (word, k_rest_iterations)));
  gimple_seq_add_stmt (&seq, gimple_build_assign (start_, build_zero_cst (word)));
  basic_block tried = add_rare_block (before, seq, EQ_EXPR, state_, build_zero_cst (half));
  gimple_seq_add_stmt (&rarely, gimple_build_assign (factor_, build_int_cst (half, (1 << fallback_) >> 1)));
  // Without the library nothing ends a slice: the counter passes 0 after 2^64 iterations.
  gimple_seq_add_stmt (&rarely, gimple_build_assign (left_, build_zero_cst (word)));
  basic_block with_library
    = add_rare_block (tried, rarely, NE_EXPR, build_fold_addr_expr (declarations[ENTER]), null_pointer_node);
  begin_slice (&more, append_call (&more, ENTER, { cell_ }));
  add_statements (with_library, more);
}

/* In each iteration.  */

void
tuned_nest::count ()
{
  gimple_seq seq = NULL, more = NULL;
  tree less = append (&seq, PLUS_EXPR, value_of (&seq, left_), -1);
  gimple_seq_add_stmt (&seq, gimple_build_assign (left_, less));
  basic_block header = split_block_after_labels (counted_->header)->src;
  basic_block rare = add_rare_block (header, seq, EQ_EXPR, less, build_zero_cst (TREE_TYPE (less)));
  tree setting = value_of (&more, setting_), start = value_of (&more, start_);
  begin_slice (&more, append_call (&more, SLICE, { cell_, setting, start }));
  add_statements (rare, more);
}

/* Where the nest ends.  */

void
tuned_nest::leave (edge exit)
{
  gimple_seq seq = NULL, more = NULL;
  tree start = value_of (&seq, start_);
  basic_block after = split_edge (exit);
  basic_block rare = add_rare_block (after, seq, NE_EXPR, start, build_zero_cst (TREE_TYPE (start)));
  tree setting = value_of (&more, setting_), left = value_of (&more, left_);
  append_call (&more, LEAVE, { cell_, setting, start, left });
  add_statements (rare, more);
}

void
tuned_nest::measure ()
{
  auto_vec<edge> exits = get_loop_exit_edges (loop_);
  for (edge exit : exits)
    if (!(exit->flags & EDGE_COMPLEX))
      leave (exit);
  count ();
  choose_setting ();
}

void
register_tuned_nests (const char *plugin_name)
{
  register_callback (plugin_name, PLUGIN_REGISTER_GGC_ROOTS, nullptr, const_cast<ggc_root_tab *> (roots));
  register_callback (plugin_name, PLUGIN_FINISH_UNIT, finish_unit, nullptr);
}

} // namespace memprof::plugin
