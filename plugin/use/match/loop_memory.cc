/* loop_memory.cc - what a loop reads and writes.
   SPDX-License-Identifier: GPL-3.0-or-later

   A loop whose memory can be described has assignments only.  Calls that touch
   memory, asm, volatile accesses, exceptions and abnormal edges (setjmp) are
   obstacles: what they do cannot be compared with a range of bytes, or must
   happen in its order.  Atomic accesses are calls.  */

#include "plugin/gcc-common.h"
#include "plugin/use/match/loop_memory.h"
#include "plugin/use/address/movable_reference.h"
#include "plugin/options.h"
#include "plugin/use/match/site_marks.h"

namespace memprof::plugin {

namespace {

/* References of one loop; a longer loop gains little and needs many checks.  */
const unsigned k_max_refs = 64;

} // anonymous namespace

loop_memory::loop_memory (class loop *loop) : loop_ (loop)
{
  basic_block *body = get_loop_body (loop);
  int left = seeded (fault::exceptions) ? EDGE_ABNORMAL : EDGE_COMPLEX;
  for (unsigned i = 0; i < loop->num_nodes && !obstacle_; i++)
    {
      if ((body[i]->flags & BB_IRREDUCIBLE_LOOP)
	  && !seeded (fault::second_entries))
	obstacle_ = "the loop can be entered in its middle";
      edge e;
      edge_iterator ei;
      FOR_EACH_EDGE (e, ei, body[i]->succs)
	if (e->flags & left)
	  obstacle_ = "the loop can be left by an exception or a jump";
      for (gimple_stmt_iterator gsi = gsi_start_bb (body[i]);
	   !gsi_end_p (gsi) && !obstacle_; gsi_next (&gsi))
	scan (gsi_stmt (gsi));
    }
  free (body);
  if (!obstacle_ && refs_.length () > k_max_refs)
    obstacle_ = "the loop has too many accesses";
}

/* Whether STMT may throw, in this function or out of it.  */

static bool
throws_p (gimple *stmt)
{
  return stmt_could_throw_p (cfun, stmt) && !seeded (fault::exceptions);
}

/* Whether CODE has no instruction and touches no memory.  */

static bool
empty_p (gasm *code)
{
  return !*gimple_asm_string (code) && !gimple_asm_volatile_p (code) && !gimple_vuse (code)
	 && !gimple_asm_nlabels (code);
}

void
loop_memory::scan (gimple *stmt)
{
  if (seeded (fault::calls) && !is_gimple_assign (stmt))
    return;
  switch (gimple_code (stmt))
    {
    case GIMPLE_DEBUG:
    case GIMPLE_LABEL:
    case GIMPLE_NOP:
    case GIMPLE_PREDICT:
    case GIMPLE_COND:
    case GIMPLE_SWITCH:
      return;
    case GIMPLE_CALL:
      // Without memory, such as sqrt.
      if (gimple_vuse (stmt) || throws_p (stmt)
	  || gimple_has_side_effects (stmt))
	obstacle_ = "the loop has a call";
      return;
    case GIMPLE_ASSIGN:
      break;
    case GIMPLE_ASM:
      // Such as those of ours that hide a value from GCC (loop_versioner.cc).
      if (empty_p (as_a<gasm *> (stmt)))
	return;
      /* fallthrough */
    default:
      obstacle_ = "the loop has an asm or another special statement";
      return;
    }
  if (gimple_has_volatile_ops (stmt) && !seeded (fault::volatile_access))
    obstacle_ = "the loop has a volatile access";
  else if (throws_p (stmt))
    obstacle_ = "the loop can be left by an exception or a jump";
  else if (gimple_vuse (stmt) && !gimple_assign_single_p (stmt))
    obstacle_ = "the loop has an access of an unknown kind";
  if (obstacle_ || !gimple_vuse (stmt))
    return;
  if (gimple_assign_load_p (stmt))
    add (stmt, gimple_assign_rhs1 (stmt), false);
  if (gimple_vdef (stmt))
    add (stmt, gimple_assign_lhs (stmt), true);
  else if (!gimple_assign_load_p (stmt))
    obstacle_ = "the loop has an access of an unknown kind";
}

void
loop_memory::add (gimple *stmt, tree ref, bool store)
{
  if (address_obstacle (ref) != REFERENCE_MOVABLE)
    obstacle_ = "the loop accesses a named address space";
  memory_ref added = {};
  added.stmt = stmt;
  added.ref = ref;
  added.store = store;
  const site_mark *mark = current_marks.find (stmt, ref, !store);
  added.ordinal = mark ? int (mark->ordinal) : -1;
  refs_.safe_push (added);
}

void
loop_memory::find_ranges (const loop_counts &counts)
{
  groups_ = 0;
  for (unsigned i = 0; i < refs_.length (); i++)
    {
      memory_ref &r = refs_[i];
      r.ranged = !r.hoisted && r.range.find (r.stmt, r.ref, loop_, counts);
      if (!r.ranged)
	continue;
      r.group = groups_;
      for (unsigned j = 0; j < i; j++)
	if (refs_[j].ranged && refs_[j].range.starts_like_p (r.range))
	  r.group = refs_[j].group;
      groups_ += r.group == groups_;
    }
}

/* The pointer that REF goes through, if it can change in LOOP.  */

static tree
moving_pointer (tree ref, class loop *loop)
{
  tree base = get_base_address (ref);
  if (!base || (TREE_CODE (base) != MEM_REF && TREE_CODE (base) != TARGET_MEM_REF))
    return NULL_TREE;
  tree pointer = TREE_OPERAND (base, 0);
  return TREE_CODE (pointer) == SSA_NAME && !expr_invariant_in_loop_p (loop, pointer)
	   ? pointer
	   : NULL_TREE;
}

bool
loop_memory::may_meet_p (const memory_ref &a, const memory_ref &b,
			 bool types) const
{
  if (!a.store && !b.store)
    return false;
  // GCC compares what the two are in one iteration: p[0] and p[1] are never the
  // same.  If p moves, they are in two iterations.
  tree pointer = moving_pointer (a.ref, loop_);
  if (pointer && pointer == moving_pointer (b.ref, loop_))
    return true;
  ao_ref x, y;
  ao_ref_init (&x, a.ref);
  ao_ref_init (&y, b.ref);
  return refs_may_alias_p_1 (&x, &y, types);
}

} // namespace memprof::plugin
