/* record_writer.cc - emits the code that appends one record to the ring.
   SPDX-License-Identifier: GPL-3.0-or-later

   For a record of a header h and words w1 .. wn-1:

     c1 = __mprt_room.cursor;                  thread-local, volatile
     if (c1 >= __mprt_room.limit)
       c2 = __mprt_slow (c1);             rarely: the chunk is full, or this is
     c3 = PHI <c1, c2>                    the first record of the thread
     c3[0] = h;  c3[1] = w1; ...
     __mprt_room.cursor = c3 + n;

   The limit leaves room for MPRT_ROOM_WORDS, so there is no need to look at the
   length, nor to look again for the next records if no call lies between
   (record_room.cc).  All stores are volatile, so that the cursor is stored
   last: a record that is not complete lies after it, also in the eyes of a
   signal handler.  On some processors most records are one asm statement that does the
   same (plugin/target).  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/generate/record_writer.h"
#include "runtime/wire/record.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

tree
force_word (gimple *place, tree expression)
{
  tree word = runtime ().word;
  gimple_seq seq = nullptr;
  // What is calculated for a record does not trap, whatever -ftrapv says.
  expression = rewrite_to_non_trapping_overflow (expression);
  tree value = force_gimple_operand (fold_convert (word, expression), &seq,
				     true, NULL_TREE);
  gimple_stmt_iterator place_gsi = gsi_for_stmt (place);
  for (gimple_stmt_iterator gsi = gsi_start (seq); !gsi_end_p (gsi);)
    {
      gimple *stmt = gsi_stmt (gsi);
      gsi_remove (&gsi, false);
      gsi_insert_seq_before (&place_gsi, defined_everywhere (stmt),
			     GSI_SAME_STMT);
    }
  if (TREE_CODE (value) == SSA_NAME && SSA_NAME_OCCURS_IN_ABNORMAL_PHI (value))
    {
      tree copy = make_ssa_name (word);
      gsi_insert_before (&place_gsi, gimple_build_assign (copy, value),
			 GSI_SAME_STMT);
      value = copy;
    }
  return value;
}

namespace {

tree
load_cursor (gimple *place)
{
  const runtime_decls &rt = runtime ();
  tree cursor = make_ssa_name (rt.record_pointer);
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, gimple_build_assign (cursor, room_cursor ()),
		     GSI_SAME_STMT);
  return cursor;
}

/* A statement that gives CURSOR to the runtime and sets RENEWED, for the block BB of the current
   function.  */

gimple *
slow_call (tree renewed, tree cursor, basic_block bb)
{
  if (gimple *call = processor::build_slow_call (renewed))
    return call;
  tree decl = runtime ().slow;
  gcall *call = gimple_build_call (decl, 1, cursor);
  gimple_call_set_lhs (call, renewed);
  cgraph_node::get (current_function_decl)
    ->create_edge (cgraph_node::get_create (decl), call, bb->count);
  return call;
}

/* Emits the test for room before PLACE.  Returns the cursor to use.  */

tree
emit_reserve (gimple *place)
{
  const runtime_decls &rt = runtime ();
  location_t where = gimple_location (place);
  tree cursor = load_cursor (place);
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  tree limit = make_ssa_name (rt.record_pointer);
  gsi_insert_before (&gsi, gimple_build_assign (limit, room_limit ()),
		     GSI_SAME_STMT);
  basic_block slow, join;
  gimple_stmt_iterator cond
    = create_cond_insert_point (&gsi, true, false, true, &slow, &join);
  basic_block fast = gsi_bb (cond);
  gsi_insert_after (&cond,
		    gimple_build_cond (GE_EXPR, cursor, limit, NULL_TREE,
				       NULL_TREE),
		    GSI_NEW_STMT);
  tree renewed = make_ssa_name (rt.record_pointer);
  gimple_stmt_iterator slow_gsi = gsi_start_bb (slow);
  gsi_insert_before (&slow_gsi, slow_call (renewed, cursor, slow),
		     GSI_SAME_STMT);
  tree result = make_ssa_name (rt.record_pointer);
  gphi *phi = create_phi_node (result, join);
  add_phi_arg (phi, cursor, find_edge (fast, join), where);
  add_phi_arg (phi, renewed, find_edge (slow, join), where);
  return result;
}

} // anonymous namespace

void
write_record (gimple *place, tree header, const vec<tree> &words,
	      bool room, bool length_of_header)
{
  const runtime_decls &rt = runtime ();
  const bool fits = processor::record_fits_p (words.length () + 1);
  if (fits && options.mode == MODE_SAMPLE && TREE_CODE (header) == ADDR_EXPR)
    {
      processor::write_rare_record (place, header, words);
      return;
    }
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  tree head = make_ssa_name (rt.word);
  gsi_insert_before (&gsi, gimple_build_assign (head, NOP_EXPR, header),
		     GSI_SAME_STMT);
  if (fits)
    {
      processor::write_record (place, head, words, room, length_of_header);
      return;
    }
  tree cursor = room ? load_cursor (place) : emit_reserve (place);
  gsi = gsi_for_stmt (place);
  tree bytes = size_int (8 * (words.length () + 1));
  if (length_of_header)
    {
      bytes = fold_build2 (LSHIFT_EXPR, rt.word,
			   fold_build2 (BIT_AND_EXPR, rt.word, head,
					word_constant (MPRT_LENGTH_MASK)),
			   build_int_cst (integer_type_node, 3));
      bytes = force_gimple_operand_gsi (&gsi, fold_convert (sizetype, bytes),
					true, NULL_TREE, true, GSI_SAME_STMT);
    }
  for (unsigned i = 0; i <= words.length (); i++)
    {
      tree target = build2 (MEM_REF, rt.record_word, cursor,
			    build_int_cst (rt.record_pointer, i * 8));
      TREE_THIS_NOTRAP (target) = 1;
      TREE_THIS_VOLATILE (target) = 1;
      gsi_insert_before (&gsi,
			 gimple_build_assign (target,
					      i == 0 ? head : words[i - 1]),
			 GSI_SAME_STMT);
    }
  tree next = make_ssa_name (rt.record_pointer);
  gsi_insert_before (&gsi,
		     gimple_build_assign (next, POINTER_PLUS_EXPR, cursor,
					  bytes),
		     GSI_SAME_STMT);
  gsi_insert_before (&gsi, gimple_build_assign (room_cursor (), next),
		     GSI_SAME_STMT);
}

} // namespace memprof::plugin
