/* block_describer.cc - the words and descriptor entries of a block record.
   SPDX-License-Identifier: GPL-3.0-or-later

   A base address is computed at the access itself, not where the record is
   written: between the two its SSA name may be about to change in a function
   with abnormal edges (setjmp), where two versions of a variable must not live
   at once.  What is known only after a call, like the length of the string
   that fgets has read, is computed right after the call, before the program
   changes it.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/block_describer.h"
#include "plugin/generate/length_code.h"
#include "plugin/generate/record_writer.h"
#include "plugin/sites/runtime_decls.h"

namespace memprof::plugin {

void
block_describer::describe_call (gcall *call, const memory_function *row,
				const access_site *site, gimple *after)
{
  gimple *front = in_front_of (call);
  gimple *where = row->after_p () ? after : front;
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
    length_word_ = words.add_value (front, unshare_expr (site.length));
  else if (width_ > MPRT_MAX_STATIC_WIDTH)
    length_word_ = words.add_value (front, word_constant (width_));
}

void
block_describer::describe_external_call (const record_entry &entry)
{
  if (entry.local)
    address_ = words.add_address (in_front_of (entry.call), entry.local, NULL_TREE, 0);
  else
    address_ = { MPRT_BASE_ABSOLUTE, NULL_TREE, 0 };
  width_ = tree_to_uhwi (entry.bytes);
}

void
block_describer::describe_local (const record_entry &entry)
{
  gimple *where = entry.after ? entry.after : place_;
  address_ = words.add_address (where, entry.local, NULL_TREE, 0);
  if (tree_fits_uhwi_p (entry.bytes)
      && tree_to_uhwi (entry.bytes) <= MPRT_MAX_STATIC_WIDTH)
    width_ = tree_to_uhwi (entry.bytes);
  else
    length_word_ = words.add_value (where, entry.bytes);
}

/* The frame address of the function at hand, before PLACE.  */

tree
frame_address (gimple *place)
{
  gcall *call = gimple_build_call (runtime ().frame_address, 0);
  tree result = make_ssa_name (ptr_type_node);
  gimple_call_set_lhs (call, result);
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, call, GSI_SAME_STMT);
  cgraph_node::get (current_function_decl)
    ->create_edge (cgraph_node::get_create (gimple_call_fndecl (call)), call,
		   gimple_bb (place)->count);
  return force_word (place, result);
}

void
block_describer::describe_event (const record_entry &entry, vec<tree> &out)
{
  unsigned frame
    = entry.after
	? words.add_value (entry.after, frame_address (entry.after))
	: 0;
  out.safe_push (word_constant (MPRT_ENTRY (entry.index, frame, 0, entry.op,
					    0)));
  out.safe_push (word_constant (0));
}

/* The bits of VALUE, a scalar, as a word.  */

static tree
bits_of (tree value)
{
  tree type = TREE_TYPE (value);
  tree bits = SCALAR_FLOAT_TYPE_P (type)
		? build_nonstandard_integer_type (
		    tree_to_uhwi (TYPE_SIZE (type)), 1)
		: unsigned_type_for (type);
  value = SCALAR_FLOAT_TYPE_P (type)
	    ? fold_build1 (VIEW_CONVERT_EXPR, bits, value)
	    : fold_convert (bits, value);
  return fold_convert (runtime ().word, value);
}

/* Adds what the access of ENTRY moves.  A pointer may share its word with the
   addresses that are made of it.  */

void
block_describer::describe_value (const record_entry &entry, vec<tree> &out)
{
  tree value = entry.site->value;
  gimple *where = entry.after ? entry.after : in_front_of (entry.site->stmt);
  word_address word = {};
  tree bits;
  if (POINTER_TYPE_P (TREE_TYPE (value)) && TREE_CODE (value) != INTEGER_CST)
    word = words.add_address (where, value, NULL_TREE, 0);
  else if (TREE_CODE (bits = bits_of (value)) == INTEGER_CST)
    word.word = MPRT_BASE_ABSOLUTE;
  else
    word.word = words.add_value (where, bits);
  out.safe_push (word_constant (MPRT_ENTRY (entry.index, word.word, 0,
					    MPRT_OP_VALUE, entry.site->width)));
  out.safe_push (word.word == MPRT_BASE_ABSOLUTE && !word.symbol
		   ? bits
		   : word.descriptor_word ());
}

void
block_describer::describe (const record_entry &entry, vec<tree> &out)
{
  if (entry.loop)
    {
      describe_event (entry, out);
      return;
    }
  width_ = 0;
  length_word_ = 0;
  const access_site *site = entry.site;
  if (site && site->row)
    describe_call (as_a<gcall *> (site->stmt), site->row, site, entry.after);
  else if (site)
    describe_reference (*site);
  else if (entry.op == MPRT_OP_EXTERNAL_CALL)
    describe_external_call (entry);
  else if (entry.row)
    describe_call (entry.call, entry.row, nullptr, entry.after);
  else
    describe_local (entry);
  if (length_word_)
    width_ = 0;
  out.safe_push (
    word_constant (MPRT_ENTRY (entry.index, address_.word, length_word_,
			       entry.op, width_)));
  out.safe_push (address_.descriptor_word ());
  if (site && site->value)
    describe_value (entry, out);
}

} // namespace memprof::plugin
