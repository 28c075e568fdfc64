/* loop_runs.cc - loops whose iterations share records.
   SPDX-License-Identifier: GPL-3.0-or-later

   An innermost loop without calls that writes one block record per iteration
   need not repeat what does not change, nor what changes by a constant:

     for (k = row; k < end; k++)	   iteration, val[k], col[k], x[col[k]]
       sum += val[k] * x[col[k]];

     block records		one run for up to 59 iterations
     { D | 4, v,      c,     x1 }	{ D | 3 + n, v, c,  x1, x2, x3, ... }
     { D | 4, v +  8, c + 4, x2 }	steps 8 and 4 are in the descriptor
     { D | 4, v + 16, c + 8, x3 }

   The record is open while the loop runs.  Two variables say where it goes on:

     piece = end = 0;			   before the loop
     ...
     if (piece >= end)			   first, or the record is full
       { finish it; begin another; }
     *piece++ = x[col[k]];		   at the place of the block record
     ...
     if (piece)				   on each exit of the loop
       finish it;

   Those common words that advance are variables in memory, set before the
   loop; when a record is full, what they have advanced by since is added.

   Finishing writes the header, whose length tells how many executions there
   are, and moves the thread's cursor after the record.  So a signal handler
   finds the cursor before it; what it reports comes before the iterations
   of the open record, as it does for a range that is counted.

   A loop qualifies when

   1. nothing in it can call or leave in a way that is not an edge, as for
      ranges (affine_ranges.cc);
   2. it writes one record at one place, once in each iteration that reaches
      the latch.  What an iteration that is cut short has accessed is in a
      record of its own, at the exit;
   3. that record has nothing but accesses of fixed widths;
   4. an address in it advances by a constant other than 0.  Others save less,
      and have few iterations as a rule (`while (bits >= 8) *out++ = ...').

   The code is the processor's (processor::write_run); where it has none, and in sample mode,
   there are no runs.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/loop_shape.h"
#include "plugin/generate/loop_runs.h"
#include "plugin/options.h"
#include "plugin/generate/record_writer.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

namespace {

/* Loops of fewer iterations are not worth it.  */
const HOST_WIDE_INT k_few_iterations = 3;
/* Steps of a full record fit into an instruction.  */
const HOST_WIDE_INT k_far = 1 << 24;

bool
plain_access_p (const record_entry &entry)
{
  const access_site *site = entry.site;
  return site && site->ref && !site->row && !site->value && site->width
	 && site->width <= MPRT_MAX_STATIC_WIDTH && !entry.after
	 && (entry.op == MPRT_OP_LOAD || entry.op == MPRT_OP_STORE);
}

/* Whether RECORD can be one execution of a run in LOOP.  */

bool
suitable_p (const block_record &record, class loop *loop)
{
  if (record.if_exchanged || !record.prefixes.is_empty ()
      || !dominated_by_p (CDI_DOMINATORS, loop->latch,
			  gimple_bb (record.place)))
    return false;
  for (unsigned i = 0; i < record.entries.length (); i++)
    {
      const record_entry &entry = record.entries[i];
      bool iterates = i == 0 && entry.op == MPRT_OP_ITERATION
		      && entry.loop == loop;
      if (!iterates && !plain_access_p (entry))
	return false;
    }
  HOST_WIDE_INT most = get_max_loop_iterations_int (loop);
  return (most < 0 || most > k_few_iterations) && closed_loop_p (loop);
}

void
set_in_front_of (class loop *loop, tree variable, tree value)
{
  gimple *place = gimple_build_nop ();
  gsi_insert_on_edge_immediate (loop_preheader_edge (loop), place);
  tree word = force_word (place, value);
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, gimple_build_assign (variable, word),
		     GSI_SAME_STMT);
  gsi_remove (&gsi, true);
}

/* A variable in memory for a word that advances, which only the rare path of a run
   needs: a value that each iteration computes would cost an instruction and a
   register.  */

tree
create_common_variable ()
{
  tree variable = create_tmp_var (runtime ().word, "common");
  TREE_ADDRESSABLE (variable) = 1;
  return variable;
}

} // anonymous namespace

void
find_loop_runs (function *fun, auto_delete_vec<block_record> &records,
		const auto_vec<loop_event> &events)
{
  if (options.coalesce < COALESCE_RANGE || options.mode != MODE_FULL
      || flag_non_call_exceptions || flag_trapv || number_of_loops (fun) <= 1
      || !processor::record_fits_p (2))
    return;
  // By number of the loop: how many records it writes, and the last one.
  auto_vec<unsigned> count;
  auto_vec<block_record *> last;
  count.safe_grow_cleared (number_of_loops (fun), true);
  last.safe_grow_cleared (number_of_loops (fun), true);
  for (block_record *record : records)
    {
      unsigned loop = gimple_bb (record->place)->loop_father->num;
      count[loop]++;
      last[loop] = record;
    }
  for (const loop_event &event : events)
    count[gimple_bb (event.place)->loop_father->num]++;
  calculate_dominance_info (CDI_DOMINATORS);
  for (class loop *loop : loops_list (fun, LI_ONLY_INNERMOST))
    if (count[loop->num] == 1 && last[loop->num] && loop->latch
	&& suitable_p (*last[loop->num], loop))
      last[loop->num]->run = loop;
  free_dominance_info (CDI_DOMINATORS);
}

bool
run_words::worth_it_p () const
{
  if (own.is_empty ())
    return false;
  for (HOST_WIDE_INT step : steps)
    if (step != 0)
      return true;
  return false;
}

void
divide_run_words (class loop *loop, const vec<tree> &words, run_words &result)
{
  auto_vec<bool> common;
  for (tree word : words)
    {
      affine_iv iv;
      bool steady = simple_iv (loop, loop, word, &iv, false)
		    && cst_and_fits_in_hwi (iv.step)
		    && IN_RANGE (int_cst_value (iv.step), -k_far, k_far);
      common.safe_push (steady);
      if (!steady)
	continue;
      result.common.safe_push (word);
      result.steps.safe_push (int_cst_value (iv.step));
      result.starts.safe_push (unshare_expr (iv.base));
    }
  unsigned next_common = 1, next_own = result.common.length () + 1;
  for (unsigned i = 0; i < words.length (); i++)
    {
      result.number.safe_push (common[i] ? next_common++ : next_own++);
      if (!common[i])
	result.own.safe_push (words[i]);
    }
}

void
emit_run (gimple *place, class loop *loop, tree header, const run_words &words)
{
  tree word = runtime ().word;
  tree piece = create_tmp_reg (word, "piece");
  tree end = create_tmp_reg (word, "piece_end");
  auto_vec<edge> exits = get_loop_exit_edges (loop);
  set_in_front_of (loop, piece, word_constant (0));
  set_in_front_of (loop, end, word_constant (0));
  auto_vec<tree> common;
  for (unsigned i = 0; i < words.common.length (); i++)
    if (words.steps[i] == 0)
      common.safe_push (words.common[i]);
    else
      {
	common.safe_push (create_common_variable ());
	set_in_front_of (loop, common.last (), words.starts[i]);
      }
  processor::write_run (place, header, common, words.steps, words.own, piece, end);
  // Before what else is written on these edges.
  for (edge e : exits)
    {
      gimple_stmt_iterator gsi = gsi_after_labels (split_edge (e));
      processor::write_run_end (&gsi, header, piece);
    }
}

} // namespace memprof::plugin
