/* record_emit.cc - turns planned records into code and descriptors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Words are computed at the accesses (block_describer.cc).  Of a record that
   begins in other blocks, each of these sets what differs:

     b1  header = descriptor 1; word = &match[n];	(to b3 or elsewhere)
     b2  header = descriptor 2; word = &match[n];	descriptor 2 has also
     b3  write header, &prev[i], word			match[0] in its entries

   The variables become SSA names with PHI nodes when the pass is over.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/record_emit.h"
#include "plugin/generate/block_describer.h"
#include "plugin/generate/length_code.h"
#include "plugin/generate/loop_events.h"
#include "plugin/generate/loop_runs.h"
#include "plugin/options.h"
#include "plugin/generate/record_words.h"
#include "plugin/generate/record_writer.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/tables/unit_tables.h"
#include "plugin/target/target.h"
#include "plugin/generate/tallies.h"

namespace memprof::plugin {

namespace {

/* To write up to this number of unneeded words costs no more than to count how many
   there are, and shorter.  */
const unsigned k_cheap_words = 2;

/* Sets VARIABLE to VALUE before PLACE.  */

void
set_variable (gimple *place, tree variable, tree value)
{
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, gimple_build_assign (variable, value),
		     GSI_SAME_STMT);
}

} // anonymous namespace

tree
record_emitter::add_block_descriptor (const block_record &record,
				      const record_entry &first,
				      const vec<tree> &entries,
				      unsigned length)
{
  bool iteration = first.op == MPRT_OP_ITERATION;
  unsigned skip = iteration ? MPRT_BLOCK_ENTRY_WORDS : 0;
  auto_vec<tree> descriptor;
  descriptor.safe_push (word_constant (
    MPRT_DESC (MPRT_DESC_BLOCK, iteration ? MPRT_DESC_ITERATION : 0,
	       (entries.length () - skip) / MPRT_BLOCK_ENTRY_WORDS, length,
	       loop_row (loops_, iteration ? first.loop : record.loop))));
  for (unsigned i = skip; i < entries.length (); i++)
    descriptor.safe_push (entries[i]);
  return descriptors_.add (descriptor, length);
}

/* Emits RECORD, which has prefixes.  BLOCK has the words and ENTRIES the
   descriptor words of its own entries; those come after the prefix, but their
   words come first, since they are the same on each path.  The header and the
   words of the prefix are variables that each path sets.  */

void
record_emitter::emit_with_prefixes (const block_record &record,
				    block_describer &block,
				    const vec<tree> &entries)
{
  unsigned own = block.words.words ().length ();
  auto_delete_vec<auto_vec<tree>> described, paths;
  unsigned shortest = UINT_MAX, longest = 0;
  for (const record_prefix *prefix : record.prefixes)
    {
      auto_vec<tree> *all = new auto_vec<tree>;
      unsigned count = prefix->entries.length ();
      if (seeded (fault::lost_prefix) && count != 0)
	count--;
      block.words.hide (prefix->latch ? own : 0);
      for (unsigned i = 0; i < count; i++)
	block.describe (prefix->entries[i], *all);
      all->safe_splice (entries);
      described.safe_push (all);
      shortest = MIN (shortest, block.words.length ());
      longest = MAX (longest, block.words.length ());
      auto_vec<tree> *path = new auto_vec<tree>;
      for (unsigned i = own; i < block.words.words ().length (); i++)
	path->safe_push (block.words.words ()[i]);
      paths.safe_push (path);
      block.words.truncate (own);
    }
  const bool same_length = longest - shortest <= k_cheap_words;
  tree header = create_tmp_reg (runtime ().word, "record");
  auto_vec<tree> words;
  words.safe_splice (block.words.words ());
  for (unsigned i = 0; i < paths.length (); i++)
    {
      const record_prefix *prefix = record.prefixes[i];
      const bool any = described[i]->length () > entries.length ();
      unsigned length = same_length ? longest : 1 + own + paths[i]->length ();
      tree constant
	= add_block_descriptor (record, any ? prefix->entries[0]
					    : record.entries[0],
				*described[i], length);
      set_variable (prefix->place, header,
		    force_word (prefix->place, constant));
      while (words.length () < own + paths[i]->length ())
	words.safe_push (create_tmp_reg (runtime ().word, "word"));
    }
  for (unsigned i = 0; i < paths.length (); i++)
    for (unsigned j = own; j < words.length (); j++)
      // A value on every path keeps the variable from living before.
      set_variable (record.prefixes[i]->place, words[j],
		    j - own < paths[i]->length () ? (*paths[i])[j - own]
						 : word_constant (0));
  write_record (record.place, header, words, record.room, !same_length);
  renames_ = true;
}

/* Emits RECORD, which has WORDS and the descriptor words ENTRIES, as a run, if
   that is possible and worth it.  */

bool
record_emitter::emit_run (const block_record &record, const vec<tree> &words,
			  const vec<tree> &entries)
{
  if (words.is_empty () || !processor::run_fits_p (words.length ()))
    return false;
  run_words divided;
  divide_run_words (record.run, words, divided);
  if (!divided.worth_it_p ())
    return false;
  bool iteration = record.entries[0].op == MPRT_OP_ITERATION;
  unsigned skip = iteration ? MPRT_BLOCK_ENTRY_WORDS : 0;
  auto_vec<tree> descriptor;
  descriptor.safe_push (word_constant (
    MPRT_DESC (MPRT_DESC_RUN, iteration ? MPRT_DESC_ITERATION : 0,
	       (entries.length () - skip) / MPRT_BLOCK_ENTRY_WORDS,
	       words.length () + 1, loop_row (loops_, record.run))
    | MPRT_DESC_COMMON_FIELD (divided.common.length ())));
  for (unsigned i = skip; i < entries.length (); i += MPRT_BLOCK_ENTRY_WORDS)
    {
      unsigned HOST_WIDE_INT word = tree_to_uhwi (entries[i]);
      unsigned base = MPRT_ENTRY_BASE (word);
      if (base != MPRT_BASE_ABSOLUTE)
	base = divided.number[base - 1];
      descriptor.safe_push (
	word_constant (MPRT_ENTRY (MPRT_ENTRY_SITE (word), base, 0,
				   MPRT_ENTRY_OP (word),
				   MPRT_ENTRY_WIDTH (word))));
      descriptor.safe_push (entries[i + 1]);
    }
  for (HOST_WIDE_INT step : divided.steps)
    descriptor.safe_push (word_constant (step));
  memprof::plugin::emit_run (record.place, record.run,
			     descriptors_.add (descriptor, 0), divided);
  renames_ = true;
  return true;
}

void
record_emitter::emit_block (const block_record &record)
{
  gimple *place = record.place;
  if (record.if_exchanged)
    {
      gimple_stmt_iterator gsi = gsi_for_stmt (place);
      tree exchanged = emit_exchanged (place, record.if_exchanged);
      gsi = gsi_for_stmt (place);
      basic_block then, join;
      gimple_stmt_iterator cond
	= create_cond_insert_point (&gsi, true, true, true, &then, &join);
      gsi_insert_after (&cond,
			gimple_build_cond (record.if_failed ? EQ_EXPR : NE_EXPR,
					   exchanged,
					   boolean_false_node, NULL_TREE,
					   NULL_TREE),
			GSI_NEW_STMT);
      // The record stands in the new block, before a place of its own.
      gimple_stmt_iterator then_gsi = gsi_start_bb (then);
      place = gimple_build_nop ();
      gsi_insert_before (&then_gsi, place, GSI_NEW_STMT);
    }
  block_describer block (record, place, expansions_);
  auto_vec<tree> entries;
  for (const record_entry &entry : record.entries)
    block.describe (entry, entries);
  if (record.run)
    {
      // Of the blocks that there are by now.
      free_dominance_info (CDI_DOMINATORS);
      calculate_dominance_info (CDI_DOMINATORS);
      bool emitted = emit_run (record, block.words.words (), entries);
      free_dominance_info (CDI_DOMINATORS);
      if (emitted)
	return;
    }
  if (record.prefixes.is_empty ())
    write_record (place,
		  add_block_descriptor (record, record.entries[0], entries,
					block.words.length ()),
		  block.words.words (), record.room);
  else
    emit_with_prefixes (record, block, entries);
  if (place != record.place)
    {
      gimple_stmt_iterator gsi = gsi_for_stmt (place);
      gsi_remove (&gsi, true);
    }
}

/* Adds to DESCRIPTOR and WORDS that FUNCTION has POINTER as argument NUMBER, or
   returns it (0).  */

static void
add_pointer (gimple *place, tree pointer, uint32_t function, unsigned number,
	     auto_vec<tree> &descriptor, auto_vec<tree> &words)
{
  words.safe_push (force_word (place, fold_convert (runtime ().word, pointer)));
  descriptor.safe_push (word_constant (
    MPRT_ENTRY (function, words.length (), 0, MPRT_OP_POINTER, number)));
  descriptor.safe_push (word_constant (0));
}

/* Adds the pointers that the function at hand is passed in registers.  */

static void
add_arguments (gimple *place, uint32_t function, auto_vec<tree> &descriptor,
	       auto_vec<tree> &words)
{
  if (!(options.events & MPRT_POINTERS))
    return;
  unsigned number = 0;
  for (tree parm = DECL_ARGUMENTS (current_function_decl);
       parm && number < k_most_arguments; parm = DECL_CHAIN (parm))
    {
      number++;
      if (POINTER_TYPE_P (TREE_TYPE (parm)) && is_gimple_reg (parm))
	if (tree name = ssa_default_def (cfun, parm))
	  add_pointer (place, name, function, number, descriptor, words);
    }
}

void
record_emitter::emit_loop_event (const loop_event &event)
{
  auto_vec<tree> descriptor;
  auto_vec<tree> words;
  if (event.frame)
    words.safe_push (frame_address (event.place));
  unsigned length = words.length () + 1;
  uint32_t row = loop_row (loops_, event.loop);
  uint32_t subject = event.op >= MPRT_OP_FUNCTION_ENTER
		       ? unit_tables::this_function ()
		       : row;
  if (event.resume)
    descriptor.safe_push (
      word_constant (MPRT_DESC (MPRT_DESC_RESUME, 0, 0, length, row)));
  else
    {
      descriptor.safe_push (NULL_TREE);
      descriptor.safe_push (
	word_constant (MPRT_ENTRY (subject, event.frame ? 1 : 0, 0, event.op,
				   0)));
      descriptor.safe_push (word_constant (0));
      if (event.op == MPRT_OP_FUNCTION_ENTER)
	add_arguments (event.place, subject, descriptor, words);
      else if (event.returned)
	add_pointer (event.place, event.returned, subject, 0, descriptor, words);
      length = words.length () + 1;
      descriptor[0] = word_constant (
	MPRT_DESC (MPRT_DESC_BLOCK, 0,
		   (descriptor.length () - 1) / MPRT_BLOCK_ENTRY_WORDS, length,
		   row));
    }
  write_record (event.place, descriptors_.add (descriptor, length), words,
		event.room);
}

void
record_emitter::emit_tally (loop_tally &tally, edge_places &places)
{
  tally.emit (first_site_, places, descriptors_, expansions_);
  renames_ = true;
}

} // namespace memprof::plugin
