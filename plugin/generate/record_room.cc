/* record_room.cc - which records need not look whether there is room.
   SPDX-License-Identifier: GPL-3.0-or-later

   A record compares the cursor with the limit, and calls the runtime if there is
   no room.  That is half of its code.  The limit leaves room for
   MPRT_ROOM_WORDS, so one look is enough for several records:

     look; write 3 words	b1
     write 2 words		b2	on every path here one has looked, and
     f ();				at most 5 words have been written since
     look; write 4 words	b4	f may have filled the chunk

   A forward data-flow problem: how many words have been written since the last
   look, at most; unknown after a call, at the start of the function, and in
   loop headers, since a loop may write any number.  A signal handler changes
   nothing: its records go elsewhere.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/loop_shape.h"
#include "plugin/options.h"
#include "plugin/generate/record_room.h"
#include "plugin/generate/thread_order.h"

namespace memprof::plugin {

namespace {

const unsigned k_unknown = MPRT_ROOM_WORDS + 1;

/* What stands at a place.  */
struct room_item
{
  unsigned words;		/* at most */
  /* Null for code after a condition: it looks for itself, if at all.  */
  bool *room;
  /* Looks for itself, and leaves less than a whole record after it.  */
  bool run;
};

/* The words that ENTRY needs at most.  */

unsigned
words_at_most (const record_entry &entry)
{
  return entry.site && entry.site->ref && !entry.site->value
	     && entry.site->width
	     && entry.site->width <= MPRT_MAX_STATIC_WIDTH
	   ? 1
	   : 2;
}

unsigned
words_at_most (const vec<record_entry> &entries)
{
  unsigned words = 0;
  for (const record_entry &entry : entries)
    words += words_at_most (entry);
  return words;
}

unsigned
words_at_most (const block_record &record)
{
  unsigned prefix = 0;
  for (const record_prefix *p : record.prefixes)
    prefix = MAX (prefix, words_at_most (p->entries));
  return 1 + prefix + words_at_most (record.entries);
}

class room_planner
{
public:
  room_planner (auto_delete_vec<block_record> &records,
		auto_vec<loop_event> &events);
  void plan (function *fun);

private:
  unsigned at_start (basic_block bb) const;
  unsigned walk (basic_block bb, unsigned written);

  hash_map<gimple *, room_item> items_;
  /* By number of the block: words written at its end.  */
  auto_vec<unsigned> written_;
};

room_planner::room_planner (auto_delete_vec<block_record> &records,
			    auto_vec<loop_event> &events)
{
  for (block_record *record : records)
    items_.put (record->place, { words_at_most (*record),
				 record->if_exchanged ? nullptr
						      : &record->room,
				 record->run != nullptr });
  for (loop_event &event : events)
    items_.put (event.place,
		{ event.op >= MPRT_OP_FUNCTION_ENTER ? 2 + k_most_arguments : 2,
		  &event.room, false });
}

unsigned
room_planner::at_start (basic_block bb) const
{
  if (bb->loop_father->header == bb)
    return k_unknown;
  unsigned most = 0;
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, bb->preds)
    {
      if (e->flags & EDGE_COMPLEX)
	return k_unknown;
      most = MAX (most, written_[e->src->index]);
    }
  return most;
}

/* WRITTEN is the number at the start of BB.  Returns that at its end.  */

unsigned
room_planner::walk (basic_block bb, unsigned written)
{
  for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb);
       !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
    {
      gimple *stmt = gsi_stmt (gsi);
      if (room_item *item = items_.get (stmt))
	{
	  if (item->run)
	    {
	      written = MPRT_MAX_RECORD_WORDS;
	      continue;
	    }
	  written += item->words;
	  bool room = written <= MPRT_ROOM_WORDS;
	  if (item->room)
	    *item->room = room;
	  if (!room)
	    written = item->room ? item->words : k_unknown;
	}
      else if (boundary_p (stmt) || guard_look_p (stmt))
	written = k_unknown;
    }
  return written;
}

void
room_planner::plan (function *fun)
{
  written_.safe_grow_cleared (last_basic_block_for_fn (fun), true);
  for (unsigned &written : written_)
    written = k_unknown;
  auto_vec<int> blocks;
  blocks.safe_grow (n_basic_blocks_for_fn (fun), true);
  unsigned count
    = pre_and_rev_post_order_compute_fn (fun, nullptr, blocks.address (),
					 false);
  unsigned end = n_basic_blocks_for_fn (fun) - NUM_FIXED_BLOCKS;
  for (unsigned i = end - count; i < end; i++)
    {
      basic_block bb = BASIC_BLOCK_FOR_FN (fun, blocks[i]);
      written_[bb->index] = walk (bb, at_start (bb));
    }
}

} // anonymous namespace

void
plan_room (function *fun, auto_delete_vec<block_record> &records,
	   auto_vec<loop_event> &events)
{
  if (options.coalesce >= COALESCE_RANGE)
    room_planner (records, events).plan (fun);
}

} // namespace memprof::plugin
