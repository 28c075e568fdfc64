/* source_place.cc - the place in the source that a statement or a loop represents.
   SPDX-License-Identifier: GPL-3.0-or-later

   Statements that GCC has made may have no location: four loads of a byte have become one of
   a word, a copy of a loop's condition is before the loop.  Rows and remarks about them
   name the place of what is nearest, in this order:

     1. the statement itself;
     2. the statements that use its value, or define what it stores or passes on;
     3. the statements of its block, first those before it;
     4. the function.

       raw = *p;		      no place: the four loads of be32, combined
       x = __builtin_bswap32 (raw);   no place
       s = x + s;		      be.c:7, which is the place of all

   Statements for debuggers do not count, so -g changes no place, with one exception.  Inlined code of a
   system header, such as a container's, has the place of the call in the user's code.  The user can
   change that call but not the header, and the calls differ in cost.

     auto it = map.find (key);	      m.cc:9, the place of the loads of hashtable.h and what is below it

   GCC knows all calls of that chain only with -g.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/source_place.h"

namespace memprof::plugin {

namespace {

/* The earlier one in one file; else X if it has a line.  */

location_t
earlier (location_t x, location_t y)
{
  if (!has_line_p (x))
    return y;
  return has_line_p (y) && LOCATION_FILE (y) == LOCATION_FILE (x)
	     && LOCATION_LINE (y) < LOCATION_LINE (x)
	   ? y
	   : x;
}

/* How many inlined functions WHERE is in.  */

unsigned
inline_depth (location_t where)
{
  unsigned depth = 0;
  for (tree block = LOCATION_BLOCK (where); block && TREE_CODE (block) == BLOCK;
       block = BLOCK_SUPERCONTEXT (block))
    depth += inlined_function_outer_scope_p (block);
  return depth;
}

/* The one in fewer inlined functions, of these the earlier one.  */

location_t
outer (location_t x, location_t y)
{
  if (!has_line_p (x) || !has_line_p (y) || inline_depth (x) == inline_depth (y))
    return earlier (x, y);
  return inline_depth (x) < inline_depth (y) ? x : y;
}

/* Where the value that STMT computes is used: the first line.  Of users without a place, DEPTH
   more of their users are asked.  */

location_t
place_of_users (gimple *stmt, unsigned depth = 4)
{
  location_t best = UNKNOWN_LOCATION;
  ssa_op_iter iter;
  tree name;
  FOR_EACH_SSA_TREE_OPERAND (name, stmt, iter, SSA_OP_DEF)
    {
      imm_use_iterator uses;
      use_operand_p use;
      FOR_EACH_IMM_USE_FAST (use, uses, name)
	{
	  gimple *user = USE_STMT (use);
	  location_t where = gimple_location (user);
	  if (is_gimple_debug (user) || gimple_code (user) == GIMPLE_PHI)
	    continue;
	  if (!has_line_p (where) && depth > 0)
	    where = place_of_users (user, depth - 1);
	  best = earlier (best, where);
	}
    }
  return best;
}

/* Where the values that STMT uses are defined: the last operand that has a place, because the
   address of a store comes before its value.  */

location_t
place_of_operands (gimple *stmt)
{
  location_t best = UNKNOWN_LOCATION;
  ssa_op_iter iter;
  tree name;
  FOR_EACH_SSA_TREE_OPERAND (name, stmt, iter, SSA_OP_USE)
    if (location_t where = gimple_location (SSA_NAME_DEF_STMT (name));
	has_line_p (where))
      best = where;
  return best;
}

/* Of the statements of BB, the last one before STMT that has a place, or the first one
   after it.  Without STMT the first one.  */

location_t
place_in_block (basic_block bb, gimple *stmt)
{
  location_t before = UNKNOWN_LOCATION;
  bool after_stmt = !stmt;
  for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb);
       !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
    {
      location_t where = gimple_location (gsi_stmt (gsi));
      if (gsi_stmt (gsi) == stmt)
	{
	  if (has_line_p (before))
	    return before;
	  after_stmt = true;
	}
      else if (has_line_p (where))
	{
	  if (after_stmt)
	    return where;
	  before = where;
	}
    }
  return before;
}

} // anonymous namespace

bool
has_line_p (location_t where)
{
  return LOCATION_LOCUS (where) > BUILTINS_LOCATION
	 && LOCATION_LINE (where) > 0;
}

location_t
function_place (function *fun)
{
  location_t where = DECL_SOURCE_LOCATION (fun->decl);
  if (!has_line_p (where))
    where = fun->function_start_locus;
  basic_block bb;
  if (!has_line_p (where))
    FOR_EACH_BB_FN (bb, fun)
      where = earlier (where, place_in_block (bb, nullptr));
  return where;
}

/* WHERE, or, if that is in a system header, the innermost inlined call of it that is not.  */

static location_t
user_place (location_t where)
{
  if (!in_system_header_at (where))
    return where;
  for (tree block = LOCATION_BLOCK (where);
       block && TREE_CODE (block) == BLOCK && BLOCK_ABSTRACT_ORIGIN (block);
       block = BLOCK_SUPERCONTEXT (block))
    if (inlined_function_outer_scope_p (block)
	&& has_line_p (BLOCK_SOURCE_LOCATION (block))
	&& !in_system_header_at (BLOCK_SOURCE_LOCATION (block)))
      return BLOCK_SOURCE_LOCATION (block);
  return where;
}

location_t
code_place (gimple *stmt)
{
  location_t where = gimple_location (stmt);
  if (!has_line_p (where))
    where = place_of_users (stmt);
  if (!has_line_p (where))
    where = place_of_operands (stmt);
  if (!has_line_p (where) && gimple_bb (stmt))
    where = place_in_block (gimple_bb (stmt), stmt);
  return has_line_p (where) ? where : function_place (cfun);
}

location_t
source_place (gimple *stmt)
{
  return user_place (code_place (stmt));
}

location_t
loop_location (class loop *loop)
{
  location_t best = UNKNOWN_LOCATION;
  for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (loop->header);
       !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
    if (gimple_code (gsi_stmt (gsi)) != GIMPLE_LABEL)
      {
	best = outer (best, gimple_location (gsi_stmt (gsi)));
	break;
      }
  for (edge exit : get_loop_exit_edges (loop))
    if (gimple *last = last_statement (exit->src))
      if (gimple_code (last) == GIMPLE_COND)
	best = outer (best, gimple_location (last));
  if (!has_line_p (best))
    best = place_in_block (loop->header, nullptr);
  if (has_line_p (best))
    return best;
  basic_block *blocks = get_loop_body (loop);
  for (unsigned i = 0; i < loop->num_nodes; i++)
    best = earlier (best, place_in_block (blocks[i], nullptr));
  free (blocks);
  return has_line_p (best) ? best : function_place (cfun);
}

} // namespace memprof::plugin
