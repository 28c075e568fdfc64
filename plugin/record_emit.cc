/* record_emit.cc - turns planned records into code and descriptors.
   SPDX-License-Identifier: GPL-3.0-or-later

   A base address is computed at the access itself, not where the record is
   written: between the two its SSA name may be about to change in a function
   with abnormal edges (setjmp), where two versions of a variable must not live
   at once.  */

#include "gcc-common.h"
#include "record_emit.h"
#include "length_code.h"
#include "loop_events.h"
#include "options.h"
#include "record_words.h"
#include "record_writer.h"
#include "runtime_decls.h"

namespace memprof::plugin {

namespace {

/* Builds the words and the descriptor of a block record.  */

class block_describer
{
public:
  /* The record is written in front of PLACE.  */
  block_describer (const block_record &record, gimple *place,
		   name_expansions &expansions)
    : words (expansions), record_ (record), place_ (place)
  {
    descriptor.safe_push (NULL_TREE);
  }

  void describe (const record_entry &entry);

  record_words words;
  auto_vec<tree> descriptor;

private:
  /* Where code that belongs in front of STMT goes: not behind the record.  */
  gimple *
  in_front_of (gimple *stmt) const
  {
    return stmt == record_.in_front_of ? place_ : stmt;
  }

  void describe_call (gcall *call, const memory_function *row,
		      const access_site *site);
  void describe_reference (const access_site &site);
  void describe_local (const record_entry &entry);

  const block_record &record_;
  gimple *place_;
  /* Of the entry at hand.  */
  word_address address_;
  HOST_WIDE_INT width_;
  unsigned length_word_;
};

void
block_describer::describe_call (gcall *call, const memory_function *row,
				const access_site *site)
{
  gimple *front = in_front_of (call);
  gimple *where = row->after_p () ? place_ : front;
  if (row->address == ADDRESS_ARG)
    address_
      = words.add_address (front, gimple_call_arg (call, row->argument),
			   NULL_TREE, 0);
  else
    address_ = words.add_address (where,
				  emit_row_address (front, where, call, row),
				  NULL_TREE, 0);
  if (site && site->width)
    width_ = site->width;
  else if (row->length == LENGTH_CONSTANT)
    width_ = row->a;
  else
    length_word_
      = words.add_value (where, emit_row_length (front, where, call, row));
}

void
block_describer::describe_reference (const access_site &site)
{
  gimple *front = in_front_of (site.stmt);
  tree base, offset;
  HOST_WIDE_INT constant = split_address (site, &base, &offset);
  address_ = words.add_address (front, base, offset, constant);
  width_ = site.width;
  if (width_ == 0)
    length_word_ = words.add_value (front, site.length);
  else if (width_ > MPRT_MAX_STATIC_WIDTH)
    length_word_ = words.add_value (front, word_constant (width_));
}

void
block_describer::describe_local (const record_entry &entry)
{
  address_ = words.add_address (place_, entry.local, NULL_TREE, 0);
  if (tree_fits_uhwi_p (entry.bytes)
      && tree_to_uhwi (entry.bytes) <= MPRT_MAX_STATIC_WIDTH)
    width_ = tree_to_uhwi (entry.bytes);
  else
    length_word_ = words.add_value (place_, entry.bytes);
}

void
block_describer::describe (const record_entry &entry)
{
  width_ = 0;
  length_word_ = 0;
  const access_site *site = entry.site;
  if (site && site->row)
    describe_call (as_a<gcall *> (site->stmt), site->row, site);
  else if (site)
    describe_reference (*site);
  else if (entry.row)
    describe_call (entry.call, entry.row, nullptr);
  else
    describe_local (entry);
  if (length_word_)
    width_ = 0;
  descriptor.safe_push (
    word_constant (MPRT_ENTRY (entry.index, address_.word, length_word_,
			       entry.op, width_)));
  descriptor.safe_push (address_.descriptor_word ());
}

/* The frame address of the function at hand, in front of PLACE.  */

tree
frame_address (gimple *place)
{
  gcall *call
    = gimple_build_call (builtin_decl_explicit (BUILT_IN_FRAME_ADDRESS), 1,
			 integer_zero_node);
  tree result = make_ssa_name (ptr_type_node);
  gimple_call_set_lhs (call, result);
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, call, GSI_SAME_STMT);
  cgraph_node::get (current_function_decl)
    ->create_edge (cgraph_node::get_create (gimple_call_fndecl (call)), call,
		   gimple_bb (place)->count);
  return force_word (place, result);
}

} // anonymous namespace

uint32_t
record_emitter::loop_row (class loop *loop) const
{
  return loop_outer (loop) ? loops_[loop->num].row : MPRT_NO_LOOP;
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
			gimple_build_cond (NE_EXPR, exchanged,
					   boolean_false_node, NULL_TREE,
					   NULL_TREE),
			GSI_NEW_STMT);
      // The record stands in the new block, in front of a place of its own.
      gimple_stmt_iterator then_gsi = gsi_start_bb (then);
      place = gimple_build_nop ();
      gsi_insert_before (&then_gsi, place, GSI_NEW_STMT);
    }
  block_describer block (record, place, expansions_);
  for (const record_entry &entry : record.entries)
    block.describe (entry);
  unsigned length = block.words.length ();
  block.descriptor[0] = word_constant (
    MPRT_DESC (MPRT_DESC_BLOCK, record.iteration ? MPRT_DESC_ITERATION : 0,
	       record.entries.length (), length, loop_row (record.loop)));
  tree header = descriptors_.add (block.descriptor, length);
  write_record (place, header, block.words.words ());
  if (place != record.place)
    {
      gimple_stmt_iterator gsi = gsi_for_stmt (place);
      gsi_remove (&gsi, true);
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
  descriptor.safe_push (word_constant (
    MPRT_DESC (event.kind, 0, 0, length, loop_row (event.loop))));
  write_record (event.place, descriptors_.add (descriptor, length), words);
}

/* Emits a record of RANGE whose last iteration performs the first COMPLETE
   accesses.  */

void
record_emitter::emit_range_record (gimple *place, const range_record &range,
				   unsigned complete, tree count)
{
  record_words words (expansions_);
  auto_vec<tree> descriptor;
  descriptor.safe_push (NULL_TREE);
  words.add_value (place, count);
  unsigned number = 0;
  for (const range_entry &entry : range.entries)
    {
      word_address address
	= words.add_address (place, entry.base, entry.offset, entry.constant);
      HOST_WIDE_INT constant_step = 0;
      unsigned step_word = 0;
      if (tree_fits_shwi_p (entry.step))
	constant_step = tree_to_shwi (entry.step);
      else
	step_word = words.add_value (
	  place, fold_convert (runtime ().word,
			       fold_convert (ssizetype,
					     unshare_expr (entry.step))));
      bool minus = number++ >= complete && !(options.faults & FAULT_MINUS);
      descriptor.safe_push (
	word_constant (MPRT_ENTRY (first_site_ + entry.site->ordinal,
				   address.word, 0, entry.site->kind,
				   entry.site->width)));
      descriptor.safe_push (address.descriptor_word ());
      descriptor.safe_push (word_constant (constant_step));
      descriptor.safe_push (word_constant (MPRT_STEP (step_word, minus)));
    }
  descriptor[0] = word_constant (
    MPRT_DESC (MPRT_DESC_RANGE, 0, range.entries.length (),
	       words.length (), loop_row (range.loop)));
  tree header = descriptors_.add (descriptor, words.length ());
  write_record (place, header, words.words ());
}

/* Makes LOOP count the executions of its header.  Returns the number so
   far.  */

tree
record_emitter::count_iterations (class loop *loop)
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

void
record_emitter::emit_range (range_record &range, edge_places &places)
{
  gimple *entry = places.on (loop_preheader_edge (range.loop));
  if (range.count)
    {
      if (options.faults & FAULT_RANGE_COUNT)
	range.count = fold_build2 (PLUS_EXPR, runtime ().word, range.count,
				   word_constant (1));
      emit_range_record (entry, range, range.complete[0], range.count);
      return;
    }
  // What the exits need is computed once, in front of the loop.
  for (range_entry &e : range.entries)
    {
      if (!tree_fits_shwi_p (e.step))
	e.step = force_word (entry, e.step);
      STRIP_NOPS (e.base);
      if (TREE_CODE (e.base) != ADDR_EXPR && TREE_CODE (e.base) != SSA_NAME)
	e.base = force_word (entry, e.base);
      if (e.offset)
	e.offset = force_word (entry, e.offset);
    }
  tree count = count_iterations (range.loop);
  for (unsigned i = 0; i < range.exits.length (); i++)
    if (i == 0 || !(options.faults & FAULT_LOST_EXIT))
      emit_range_record (places.on (range.exits[i]), range, range.complete[i],
			 count);
}

} // namespace memprof::plugin
