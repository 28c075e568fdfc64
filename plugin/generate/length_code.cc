/* length_code.cc - code that computes what a library call reads or writes.
   SPDX-License-Identifier: GPL-3.0-or-later

   Branch-free, so that it can stand at any place: where a string's length is
   wanted only under a condition, strnlen with a limit of 0 takes the place of
   a test.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/length_code.h"
#include "plugin/generate/record_writer.h"
#include "plugin/sites/runtime_decls.h"

namespace memprof::plugin {

namespace {

/* Argument NUMBER of CALL, read at FRONT: after the call a name of a function
   with abnormal edges may be gone.  */

tree
word_arg (gimple *front, gcall *call, unsigned number)
{
  return force_word (front, gimple_call_arg (call, number));
}

tree
plus (tree x, tree y)
{
  return fold_build2 (PLUS_EXPR, runtime ().word, x, y);
}

tree
minimum (tree x, tree y)
{
  return fold_build2 (MIN_EXPR, runtime ().word, x, y);
}

/* X if CONDITION, otherwise Y.  */

tree
choose (gimple *place, tree condition, tree x, tree y)
{
  tree word = runtime ().word;
  tree test = make_ssa_name (boolean_type_node);
  tree value = force_word (place, condition);
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi,
		     gimple_build_assign (test, NE_EXPR, value,
					  build_zero_cst (word)),
		     GSI_SAME_STMT);
  tree result = make_ssa_name (word);
  x = force_word (place, x);
  y = force_word (place, y);
  gsi_insert_before (&gsi,
		     gimple_build_assign (result, COND_EXPR, test, x, y),
		     GSI_SAME_STMT);
  return result;
}

/* Calls CODE, which is strlen or strnlen, for STRING and LIMIT.  */

tree
call_length (gimple *place, built_in_function code, tree string, tree limit)
{
  tree decl = builtin_decl_explicit (code);
  if (!decl)
    return word_constant (0);
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  string = force_gimple_operand_gsi (&gsi,
				     fold_convert (const_ptr_type_node, string),
				     true, NULL_TREE, true, GSI_SAME_STMT);
  gcall *call;
  if (limit)
    {
      limit = force_gimple_operand_gsi (&gsi,
					fold_convert (size_type_node, limit),
					true, NULL_TREE, true, GSI_SAME_STMT);
      call = gimple_build_call (decl, 2, string, limit);
    }
  else
    call = gimple_build_call (decl, 1, string);
  // What GCC thinks of our calls is no news for the user.
  suppress_warning (call);
  tree result = make_ssa_name (size_type_node);
  gimple_call_set_lhs (call, result);
  gsi_insert_before (&gsi, call, GSI_SAME_STMT);
  cgraph_node::get (current_function_decl)
    ->create_edge (cgraph_node::get_create (decl), call,
		   gimple_bb (call)->count);
  return fold_convert (runtime ().word, result);
}

tree
string_length (gimple *place, tree string)
{
  return call_length (place, BUILT_IN_STRLEN, string, NULL_TREE);
}

tree
bounded_length (gimple *place, tree string, tree limit)
{
  return call_length (place, BUILT_IN_STRNLEN, string, limit);
}

/* What comparing arguments 0 and 1 of CALL by ROW reads of each; computed at
   FRONT, where they have not changed.  */

tree
compared_length (gimple *front, gcall *call, const memory_function *row)
{
  tree arguments[4];
  for (unsigned i = 0; i < 2; i++)
    arguments[i] = word_arg (front, call, i);
  arguments[2] = row->a ? word_arg (front, call, row->a)
			: build_minus_one_cst (runtime ().word);
  arguments[3] = word_constant (row->b);
  tree decl = runtime ().compared;
  gcall *compare = gimple_build_call (decl, 4, arguments[0], arguments[1],
				      arguments[2], arguments[3]);
  tree result = make_ssa_name (runtime ().word);
  gimple_call_set_lhs (compare, result);
  gimple_stmt_iterator gsi = gsi_for_stmt (front);
  gsi_insert_before (&gsi, compare, GSI_SAME_STMT);
  cgraph_node::get (current_function_decl)
    ->create_edge (cgraph_node::get_create (decl), compare,
		   gimple_bb (compare)->count);
  return result;
}

/* RESULT, or LOWEST if it is smaller (a failed call).  */

tree
result_at_least (tree result, HOST_WIDE_INT lowest)
{
  tree type = TREE_TYPE (result);
  if (INTEGRAL_TYPE_P (type) && !TYPE_UNSIGNED (type))
    result = fold_build2 (MAX_EXPR, type, result,
			  build_int_cst (type, lowest));
  return fold_convert (runtime ().word, result);
}

/* Whether RESULT, an integer, is at least LEAST, as a word.  */

tree
result_reaches (tree result, unsigned least)
{
  tree type = TREE_TYPE (result);
  return fold_convert (runtime ().word,
		       fold_build2 (GE_EXPR, boolean_type_node, result,
				    build_int_cst (type, least)));
}

/* 0 if CONDITION is 0, otherwise the length that no string exceeds.  */

tree
limit_if (gimple *place, tree condition)
{
  return choose (place, condition, word_constant (HOST_WIDE_INT_MAX),
		 word_constant (0));
}

/* 1 if VALUE is not 0.  */

tree
one_if (gimple *place, tree value)
{
  return choose (place, value, word_constant (1), word_constant (0));
}

} // anonymous namespace

tree
call_result (gcall *call)
{
  tree result = gimple_call_lhs (call);
  if (!result)
    {
      // .ATOMIC_COMPARE_EXCHANGE: old value and success, as numbers of the value's type.
      tree type = gimple_call_internal_p (call)
		    ? build_complex_type (TREE_TYPE (gimple_call_arg (call, 1)))
		    : gimple_call_return_type (call);
      result = make_ssa_name (type);
      gimple_call_set_lhs (call, result);
      update_stmt (call);
    }
  return TREE_CODE (result) == SSA_NAME
	   ? result
	   : build_zero_cst (TREE_TYPE (result));
}

tree
emit_row_address (gimple *front, gimple *place, gcall *call,
		  const memory_function *row)
{
  switch (row->address)
    {
    case ADDRESS_ARG:
      return word_arg (front, call, row->argument);
    case ADDRESS_STRING_END:
      {
	tree string = word_arg (front, call, row->argument);
	return force_word (place, plus (string,
					string_length (place, string)));
      }
    case ADDRESS_POINTEE:
      {
	tree any = build_pointer_type_for_mode (ptr_type_node, VOIDmode, true);
	tree pointer = make_ssa_name (ptr_type_node);
	gimple_stmt_iterator gsi = gsi_for_stmt (place);
	tree where = gimple_call_arg (call, row->argument);
	tree ref = build2 (MEM_REF, ptr_type_node, where,
			   build_int_cst (any, 0));
	gsi_insert_before (&gsi, gimple_build_assign (pointer, ref),
			   GSI_SAME_STMT);
	return force_word (place, pointer);
      }
    case ADDRESS_RESULT:
      return force_word (place, call_result (call));
    }
  gcc_unreachable ();
}

/* The length of the string FIRST with its NUL, if RESULT is 0: nothing was found, and all
   of the string was read.  Else 1.  */

static tree
length_if_missing (gimple *place, tree first, tree result)
{
  tree limit = choose (place, result, word_constant (0),
		       word_constant (HOST_WIDE_INT_MAX));
  return plus (bounded_length (place, first, limit), word_constant (1));
}

/* RESULT - FIRST, both of which are addresses.  */

static tree
distance (tree result, tree first)
{
  return fold_build2 (MINUS_EXPR, runtime ().word,
		      fold_convert (runtime ().word, result), first);
}

/* LENGTH_TO_MATCH: RESULT is that of CALL.  */

static tree
length_to_match (gimple *front, gimple *place, gcall *call,
		 const memory_function *row, tree result)
{
  tree first = word_arg (front, call, row->a);
  tree needle = word_arg (front, call, row->b);
  tree all = length_if_missing (place, first, result);
  return choose (place, result,
		 plus (distance (result, first), string_length (place, needle)),
		 all);
}

/* LENGTH_TO_RESULT and LENGTH_TO_RESULT_MAX: RESULT is that of CALL.  */

static tree
length_to_result (gimple *front, gimple *place, gcall *call,
		  const memory_function *row, tree result)
{
  tree first = word_arg (front, call, row->a);
  tree all = row->length == LENGTH_TO_RESULT_MAX
	       ? word_arg (front, call, row->b)
	       : length_if_missing (place, first, result);
  return choose (place, result,
		 plus (distance (result, first), word_constant (1)), all);
}

/* How long ROW says that the memory is, from RESULT, which is that of CALL.  */

static tree
length_of_result (gimple *front, gimple *place, gcall *call,
		  const memory_function *row, tree result)
{
  tree one = word_constant (1);
  tree length;
  switch (row->length)
    {
    case LENGTH_STRING_AFTER:
      {
	tree string = emit_row_address (front, place, call, row);
	tree limit = limit_if (place, result);
	length = plus (bounded_length (place,
				       fold_convert (ptr_type_node, string),
				       limit),
		       one_if (place, result));
	break;
      }
    case LENGTH_RESULT_MAX:
      length = minimum (result_at_least (result, 0), word_arg (front, call, row->b));
      break;
    case LENGTH_RESULT_NUL_TIMES:
      length = minimum (plus (fold_convert (runtime ().word, result), one),
			word_arg (front, call, row->b));
      length = fold_build2 (MULT_EXPR, runtime ().word, length, word_constant (row->a));
      break;
    case LENGTH_IF_NO_ERROR:
      length = choose (place, fold_convert (runtime ().word, result), word_constant (0),
		       word_constant (row->b));
      length = fold_build2 (MULT_EXPR, runtime ().word, length,
			    word_arg (front, call, row->a));
      break;
    case LENGTH_IF_RESULT:
      length = choose (place, result_reaches (result, row->b), word_constant (row->a),
		       word_constant (0));
      break;
    case LENGTH_STRING_IF_RESULT:
      {
	tree reached = force_word (place, result_reaches (result, row->b));
	length = plus (bounded_length (place, word_arg (front, call, row->a),
				       limit_if (place, reached)),
		       reached);
	break;
      }
    case LENGTH_TO_MATCH:
      length = length_to_match (front, place, call, row, result);
      break;
    case LENGTH_RESULT:
      length = result_at_least (result, 0);
      break;
    case LENGTH_RESULT_NUL:
      length = plus (result_at_least (result, -1), one);
      break;
    case LENGTH_RESULT_NUL_MAX:
      length = minimum (plus (result_at_least (result, -1), one),
			word_arg (front, call, row->b));
      break;
    case LENGTH_RESULT_TIMES:
      length = fold_build2 (MULT_EXPR, runtime ().word,
			    fold_convert (runtime ().word, result),
			    word_arg (front, call, row->a));
      break;
    case LENGTH_TO_RESULT:
    case LENGTH_TO_RESULT_MAX:
      length = length_to_result (front, place, call, row, result);
      break;
    default:
      gcc_unreachable ();
    }
  return length;
}

tree
emit_row_length (gimple *front, gimple *place, gcall *call,
		 const memory_function *row)
{
  tree one = word_constant (1);
  tree result = row->needs_result_p () ? call_result (call) : NULL_TREE;
  tree length;
  switch (row->length)
    {
    case LENGTH_CONSTANT:
      length = word_constant (row->a);
      break;
    case LENGTH_ARG:
      length = word_arg (front, call, row->a);
      break;
    case LENGTH_PRODUCT:
      length = fold_build2 (MULT_EXPR, runtime ().word,
			    word_arg (front, call, row->a), word_arg (front, call, row->b));
      break;
    case LENGTH_STRING:
      length
	= plus (string_length (place, word_arg (front, call, row->a)), one);
      break;
    case LENGTH_STRING_MAX:
      length = plus (bounded_length (place, word_arg (front, call, row->a),
				     word_arg (front, call, row->b)),
		     one);
      length = minimum (length, word_arg (front, call, row->b));
      break;
    case LENGTH_COMPARED:
      return compared_length (front, call, row);
    default:
      length = length_of_result (front, place, call, row, result);
    }
  return force_word (place, length);
}

tree
emit_exchanged (gimple *place, gcall *call)
{
  tree result = call_result (call);
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  tree test;
  if (gimple_call_internal_p (call))
    // A complex number, (old value, success).
    test = build1 (IMAGPART_EXPR, TREE_TYPE (TREE_TYPE (result)), result);
  else
    {
      built_in_function code = DECL_FUNCTION_CODE (gimple_call_fndecl (call));
      if (code >= BUILT_IN_SYNC_VAL_COMPARE_AND_SWAP_N
	  && code <= BUILT_IN_SYNC_VAL_COMPARE_AND_SWAP_16)
	test = fold_build2 (EQ_EXPR, boolean_type_node, result,
			    fold_convert (TREE_TYPE (result),
					  gimple_call_arg (call, 1)));
      else
	test = result;
    }
  return force_gimple_operand_gsi (&gsi,
				   fold_convert (boolean_type_node, test), true,
				   NULL_TREE, true, GSI_SAME_STMT);
}

} // namespace memprof::plugin
