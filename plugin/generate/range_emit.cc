/* range_emit.cc - turns affine loops and nests of them into records.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/generate/guarded_call.h"
#include "plugin/generate/nests.h"
#include "plugin/options.h"
#include "plugin/generate/range_emit.h"
#include "plugin/generate/record_words.h"
#include "plugin/generate/record_writer.h"
#include "plugin/sites/runtime_decls.h"

namespace memprof::plugin {

namespace {

/* Whether the starts of ENTRY move in a loop around.  */

bool
moves_p (const range_entry &entry)
{
  for (tree step : entry.outer_steps)
    if (step)
      return true;
  return false;
}

/* Whether X, which may be null, is in the same variable as Y and moves as it does.  */

bool
same_variable_p (const range_entry *x, const range_entry &y)
{
  return x && !x->offset && operand_equal_p (x->base, y.base, 0)
	 && same_outer_steps_p (*x, y);
}

/* Adds the start of ENTRY to WORDS, before PLACE.  MOVED has for each word whose
   starts it holds, or null; words that move differently are not shared.  */

word_address
add_start (gimple *place, const range_entry &entry, record_words &words,
	   vec<const range_entry *> &moved)
{
  const unsigned before = words.words ().length ();
  word_address start
    = words.add_address (place, entry.base, entry.offset, entry.constant);
  if (start.word == MPRT_BASE_ABSOLUTE && moves_p (entry))
    {
      // The address of a variable, which is elsewhere in the next iteration.
      start.symbol = NULL_TREE;
      start.word = 1;
      while (start.word <= moved.length ()
	     && !same_variable_p (moved[start.word - 1], entry))
	start.word++;
      if (start.word > moved.length ())
	start.word = words.add_value (
	  place, fold_convert (runtime ().word, unshare_expr (entry.base)));
    }
  else if (start.word <= before && moved[start.word - 1]
	   && !same_outer_steps_p (*moved[start.word - 1], entry))
    {
      words.hide (before);
      start = words.add_address (place, entry.base, entry.offset,
				 entry.constant);
      words.hide (0);
    }
  while (moved.length () < words.words ().length ())
    moved.safe_push (nullptr);
  if (start.word != MPRT_BASE_ABSOLUTE && !moved[start.word - 1])
    moved[start.word - 1] = &entry;
  return start;
}

/* After the record of the nest RANGE, before PLACE: the backend gets it now if
   it represents many of the inner loop's iterations, COUNT in each execution.
   Otherwise it would have nothing to do until the nest is over.  */

void
publish_nest (gimple *place, const range_record &range, tree count)
{
  const unsigned HOST_WIDE_INT k_many = 32768;
  tree word = runtime ().word;
  tree iterations = fold_convert (word, unshare_expr (count));
  for (const nest_level &level : range.around)
    iterations = fold_build2 (MULT_EXPR, word, iterations,
			      unshare_expr (level.count));
  call_if (place, many_p (place, force_word (place, iterations), k_many),
	   runtime ().publish, vNULL);
}

/* Makes LOOP count the executions of its header.  Returns the number so
   far.  */

tree
count_iterations (class loop *loop)
{
  tree word = runtime ().word;
  tree before = make_ssa_name (word);
  tree after = make_ssa_name (word);
  gphi *phi = create_phi_node (before, loop->header);
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, loop->header->preds)
    add_phi_arg (phi, e->src == loop->latch ? after : word_constant (0), e,
		 UNKNOWN_LOCATION);
  gimple_stmt_iterator gsi = gsi_after_labels (loop->header);
  gsi_insert_before (&gsi,
		     gimple_build_assign (after, PLUS_EXPR, before,
					  word_constant (1)),
		     GSI_SAME_STMT);
  return after;
}

} // anonymous namespace

/* Adds the descriptor of RANGE, whose last iteration performs the first COMPLETE
   accesses.  WORDS, which hold the count, get the starts and what else differs, before
    PLACE, and MOVED whose starts they hold.  Returns the header.  */

tree
range_emitter::add_range_descriptor (gimple *place, const range_record &range,
				      unsigned complete, record_words &words,
				      vec<const range_entry *> &moved)
{
  auto_vec<tree> descriptor;
  descriptor.safe_push (NULL_TREE);
  unsigned number = 0;
  unsigned index_word = 0;
  tree last_index = NULL_TREE;
  for (const range_entry &entry : range.entries)
    {
      word_address address = add_start (place, entry, words, moved);
      HOST_WIDE_INT constant_step = 0;
      unsigned step_word = 0;
      if (tree_fits_shwi_p (entry.step))
	constant_step = tree_to_shwi (entry.step);
      else
	step_word = words.add_value (
	  place, fold_convert (runtime ().word,
			       fold_convert (ssizetype,
					     unshare_expr (entry.step))));
      // Of x[i] = y[i] the index is in the record once.
      if (entry.index && !(last_index && operand_equal_p (last_index, entry.index, 0)))
	{
	  index_word = words.add_value (place, unshare_expr (entry.index));
	  last_index = entry.index;
	}
      bool minus = number++ >= complete && !seeded (fault::minus);
      descriptor.safe_push (
	word_constant (MPRT_ENTRY (first_site_ + entry.site->ordinal,
				   address.word, 0, entry.site->kind,
				   entry.site->width)));
      descriptor.safe_push (address.descriptor_word ());
      descriptor.safe_push (word_constant (constant_step));
      descriptor.safe_push (word_constant (
	MPRT_STEP (step_word, minus)
	| (entry.index ? MPRT_INDEX (index_word, entry.modulus) : 0)));
    }
  descriptor[0] = word_constant (
    MPRT_DESC (MPRT_DESC_RANGE, 0, range.entries.length (),
	       words.length (), loop_row (loops_, range.loop)));
  return descriptors_.add (descriptor, words.length ());
}

/* Puts the record HEADER, WORDS of the loop inside LEVEL, which is number NUMBER
   around the affine one, into that of its nest.  Returns the new header.  MOVED has
   whose starts the words of the affine loop's record hold.  */

tree
range_emitter::add_nest_descriptor (gimple *place, const nest_level &level,
				     unsigned number, tree header,
				     auto_vec<tree> &words,
				     const vec<const range_entry *> &moved)
{
  auto_vec<tree> record, descriptor, steps;
  tree count = unshare_expr (level.count);
  if (seeded (fault::nest_count))
    count = fold_build2 (PLUS_EXPR, runtime ().word, count, word_constant (1));
  record.safe_push (force_word (place, count));
  tree inner = fold_convert (runtime ().word, header);
  if (level.inner_if)
    inner = fold_build3 (COND_EXPR, runtime ().word,
			 unshare_expr (level.inner_if), inner,
			 word_constant (0));
  record.safe_push (force_word (place, inner));
  record.safe_splice (words);
  descriptor.safe_push (NULL_TREE);
  for (unsigned i = 0; i < moved.length (); i++)
    {
      tree step = moved[i] ? moved[i]->outer_steps[number] : NULL_TREE;
      if (!step)
	continue;
      unsigned step_word = 0;
      if (!tree_fits_shwi_p (step))
	{
	  unsigned known = 0;
	  while (known < steps.length ()
		 && !operand_equal_p (steps[known], step, 0))
	    known++;
	  step_word = 1 + record.length () + known - steps.length ();
	  if (known == steps.length ())
	    {
	      steps.safe_push (step);
	      record.safe_push (force_word (
		place, fold_convert (runtime ().word, unshare_expr (step))));
	    }
	}
      // Each nest around the range puts its own words before it.
      unsigned word = 1 + i + number * MPRT_NEST_INNER;
      descriptor.safe_push (word_constant (MPRT_MOVE (word, step_word)));
      descriptor.safe_push (
	word_constant (step_word || seeded (fault::nest_step)
			 ? 0
			 : tree_to_shwi (step)));
    }
  words.truncate (0);
  words.safe_splice (record);
  const loop_plan &plan = loops_[level.loop->num];
  descriptor[0] = word_constant (
    MPRT_DESC (MPRT_DESC_NEST, 0,
	       (descriptor.length () - 1) / MPRT_BLOCK_ENTRY_WORDS,
	       words.length () + 1, plan.nested ? plan.row : MPRT_NO_LOOP));
  return descriptors_.add (descriptor, words.length () + 1);
}

/* Emits a record of RANGE whose last iteration performs the first COMPLETE
   accesses.  */

void
range_emitter::emit_record (gimple *place, const range_record &range,
				   unsigned complete, tree count)
{
  record_words words (expansions_);
  auto_vec<const range_entry *> moved;
  words.add_value (place, count);
  tree header = add_range_descriptor (place, range, complete, words, moved);
  auto_vec<tree> record;
  record.safe_splice (words.words ());
  for (unsigned i = 0; i < range.around.length (); i++)
    header = add_nest_descriptor (place, range.around[i], i, header, record,
				  moved);
  if (options.mode == MODE_SAMPLE && range.count)
    sample (place, range, header, count, record);
  write_record (place, header, record, false);
  if (!range.around.is_empty ())
    publish_nest (place, range, count);
}

void
range_emitter::emit (range_record &range, edge_places &places)
{
  gimple *entry = places.on (loop_preheader_edge (range.outermost ()));
  if (range.count)
    {
      if (seeded (fault::range_count))
	range.count = fold_build2 (PLUS_EXPR, runtime ().word, range.count,
				   word_constant (1));
      emit_record (entry, range, range.complete[0], range.count);
      return;
    }
  // What the exits need is computed once, before the loop.
  for (range_entry &e : range.entries)
    {
      if (!tree_fits_shwi_p (e.step))
	e.step = force_word (entry, e.step);
      STRIP_NOPS (e.base);
      if (TREE_CODE (e.base) != ADDR_EXPR && TREE_CODE (e.base) != SSA_NAME)
	e.base = force_word (entry, e.base);
      if (e.offset)
	e.offset = force_word (entry, e.offset);
      if (e.index)
	e.index = force_word (entry, e.index);
    }
  tree count = count_iterations (range.loop);
  for (unsigned i = 0; i < range.exits.length (); i++)
    if (i == 0 || !seeded (fault::lost_exit))
      emit_record (places.on (range.exits[i]), range, range.complete[i],
			 count);
}

} // namespace memprof::plugin
