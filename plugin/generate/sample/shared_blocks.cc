/* shared_blocks.cc - what both bodies of a function in sample mode share.
   SPDX-License-Identifier: GPL-3.0-or-later

   A second body (unprofiled_body.cc) makes loops cost nothing between bursts, but a
   compilation twice as long.  What lies in no loop and is left out by most calls of the
   function, as GCC guesses, is there once, and its records ask which body this is:

     f (p)			f (p)
     {				{
				  switch
       record			  record		|  nothing
       if (p->x < 0)		  if (p->x < 0)		|  if (p->x < 0)
	 {			    burst = 1, goto rare|    burst = 0, goto rare
	   record		after:			|after':
	   reset (p->name);	  record		|  nothing
	 }			  p->x++		|  p->x++
       record			  return		|  return
       p->x++;			rare:
     }				  if (burst) record
				  reset (p->name)
				  if (burst) goto after else goto after'
				}

   The question is part of the record's statement, so it takes no blocks:

     cmpb $0, burst
     je 5f
     the record
   5:

   Not shared, besides loops:
   - what most calls execute: there the answer takes a register throughout the function, each
     record two instructions, and calls at the end of the function are no jumps any more.  In an
     interpreter of many small functions that was 5 % of all instructions, for 4 % of text;
   - where a loop ends: the unprofiled body need not count iterations for the record
     there;
   - records in several statements, and what else the unprofiled body does otherwise
     (order of threads, telling of loops and calls), with its conditions.

   A small function has two bodies throughout: it may be called often, and has
   little to save.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/record_code.h"
#include "plugin/generate/sample/shared_blocks.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

namespace {

/* The bodies share blocks only if these have at least this number of statements.  */
const unsigned k_few = 60;

/* ... that less than this part of the calls execute, in per cent: less than a branch of which
   nothing is known.  */
const int k_rare = 40;

bool
in_loop_p (basic_block bb)
{
  return loop_outer (bb->loop_father);
}

/* Whether STMT is a record that can ask whether there is a burst.  */

bool
askable_p (gimple *stmt)
{
  gasm *code = dyn_cast<gasm *> (stmt);
  return code && processor::rare_record_p (code);
}

/* Whether an unprofiled body has other code than an instrumented one in BB, apart from
   records that can ask.  */

bool
differs_p (basic_block bb)
{
  for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb); !gsi_end_p (gsi);
       gsi_next_nondebug (&gsi))
    {
      gimple *stmt = gsi_stmt (gsi);
      if (counts_work_p (stmt) || sample_call_p (stmt)
	  || (serves_records_p (stmt) && !askable_p (stmt)))
	return true;
    }
  return false;
}

bool
sampling_p (basic_block bb)
{
  for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb); !gsi_end_p (gsi);
       gsi_next_nondebug (&gsi))
    if (sample_call_p (gsi_stmt (gsi)))
      return true;
  return false;
}

/* Whether BB, in no loop, has to be there twice.  */

bool
two_copies_p (basic_block bb)
{
  if (differs_p (bb))
    return true;
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, bb->preds)
    if (in_loop_p (e->src) || sampling_p (e->src))
      return true;
  FOR_EACH_EDGE (e, ei, bb->succs)
    if (sampling_p (e->dest))
      return true;
  return false;
}

unsigned
statements (basic_block bb)
{
  unsigned count = 0;
  for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb); !gsi_end_p (gsi);
       gsi_next_nondebug (&gsi))
    count++;
  return count;
}

} // anonymous namespace

void
find_shared_blocks (function *fun, hash_set<basic_block> &joins,
		    hash_set<basic_block> &shared)
{
  unsigned count = 0;
  const profile_count often
    = ENTRY_BLOCK_PTR_FOR_FN (fun)->count.apply_scale (k_rare, 100);
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    if (!joins.contains (bb) && !in_loop_p (bb) && !two_copies_p (bb)
	&& (bb->count < often || !often.nonzero_p ()))
      {
	shared.add (bb);
	count += statements (bb);
      }
  if (count < k_few)
    shared.empty ();
}

void
guard_records (basic_block bb, tree burst)
{
  for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
       gsi_next (&gsi))
    if (askable_p (gsi_stmt (gsi)))
      processor::guard_record (&gsi, burst);
}

} // namespace memprof::plugin
