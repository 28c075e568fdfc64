/* apply_streaming.cc - loops whose stores bypass the caches.
   SPDX-License-Identifier: GPL-3.0-or-later

   Before:			      After, in effect:

     for (i = 0; i < n; i++)		if (8 * n >= 32 MB)
       a[i] = b[i] + k * c[i];		  for (...) a[i] = ..., past the caches;
					  sfence;
					else ... the loop as it was

   For each innermost loop:

     1. store_streams finds the stores that write whole lines, and how much of a nest of loops one
	entry of which is much.
     2. consumers/decide says yes or no from what becomes of the lines: the curves of the table
	`reuse', before and after the store.
     3. The nest gets a copy, and streaming_store changes the stores of the one that is executed when
	an entry writes much.

   Both loops compute the same; which one is executed depends on a number of bytes alone.

   Place: after aprefetch, and so after the vectoriser; before prefetches are inserted, which look
   like calls.  GCC makes calls of memset and memcpy of loops that fill or copy: these are the C
   library's, which has streaming stores of its own.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/target/target.h"
#include "plugin/use/address/byte_range.h"
#include "plugin/use/match/loop_facts.h"
#include "plugin/use/remarks.h"
#include "plugin/use/match/site_marks.h"
#include "plugin/use/streaming/apply_streaming.h"
#include "plugin/use/streaming/store_streams.h"
#include "plugin/use/streaming/streaming_store.h"
#include "plugin/use/veto.h"

namespace memprof::plugin {

namespace {

/* Streams of one loop: each takes a buffer of the processor until its line is full, and there are
   some ten.  */
const unsigned k_max_streams = 4;

/* Iterations of what the vectoriser leaves after a loop, and of others that are not worth a look.  */
const int k_least_iterations = 32;

class streamer
{
public:
  explicit streamer (function *fun) : profile_ (current_marks.profile_of (fun)), facts_ (fun) {}
  /* The number of loops that got a copy.  */
  unsigned run ();

private:
  struct nest
  {
    class loop *loop = nullptr;
    tree bytes = NULL_TREE;
    uint64_t at_least = 0;
    auto_vec<gassign *> stores;
    unsigned streams = 0;
  };

  bool consider (class loop *innermost, const store_streams &streams);
  bool best_p (const store_stream &stream) const;
  const decision_view *ask (const store_streams &streams, const store_stream &stream,
			    class loop *innermost, const nest &found, class loop **widest);
  void copy (nest *found, gimple_seq seq);

  const function_profile *profile_;
  loop_facts facts_;
  // By ordinal: the bytes of the largest statement that is this store.
  hash_map<int_hash<unsigned, -1u, -2u>, HOST_WIDE_INT> largest_;
};

const char *
obstacle_of (const store_stream &stream)
{
  if (stream.obstacle)
    return stream.obstacle;
  for (gassign *store : stream.stores)
    if (!streams_p (store))
      return "the processor has no such store for this type";
  return nullptr;
}

/* What is decided about STREAM, and *WIDEST, the loop that would get a copy; FOUND has the streams of the innermost loop
   that were taken before.  */

const decision_view *
streamer::ask (const store_streams &streams, const store_stream &stream, class loop *innermost,
	       const nest &found, class loop **widest)
{
  const decide::Transformation kind = decide::Transformation::streaming_stores;
  decide::StreamingCode code;
  const char *uncounted;
  *widest = streams.widest_loop (stream, &uncounted);
  code.obstacle = obstacle_of (stream);
  if (!code.obstacle)
    code.obstacle = uncounted;
  if (!code.obstacle && found.streams == k_max_streams)
    code.obstacle = "four other stores of the loop bypass the caches";
  if (!code.obstacle && found.loop && found.loop != *widest)
    code.obstacle = "another store of the loop bypasses the caches, in a copy of another loop around it";
  code.instructions = facts_.instructions (innermost);
  code.written = stream.bytes;
  auto_vec<unsigned> others;
  streams.other_sites (stream, &others);
  code.store_count = stream.ordinals.length ();
  code.stores = stream.ordinals.address ();
  code.other_count = others.length ();
  code.others = others.address ();
  decide::LoopOfSite loop;
  loop.ordinal = stream.ordinals[0];
  loop.levels_out = *widest ? loop_depth (innermost) - loop_depth (*widest) : 0;
  decide::Candidate candidate
    = candidate_at (stream.stores[0], profile_expression (profile_, stream.ordinals[0]), kind);
  for (gassign *store : stream.stores)
    if (!candidate.veto)
      candidate.veto = vetoed_by (store, kind);
  return profile_decide_streaming (profile_, candidate, loop, code);
}

/* Makes two nests of FOUND; SEQ computes its bytes.  */

void
streamer::copy (nest *found, gimple_seq seq)
{
  tree condition
    = emit_expression (fold_build2 (GE_EXPR, boolean_type_node, found->bytes,
				    build_int_cstu (sizetype, found->at_least)),
		       &seq);
  gimple_stmt_iterator at = gsi_last_bb (loop_preheader_edge (found->loop)->src);
  gsi_insert_seq_after (&at, seq, GSI_NEW_STMT);
  initialize_original_copy_tables ();
  basic_block test;
  class loop *other
    = loop_version (found->loop,
		    build2 (NE_EXPR, boolean_type_node, condition,
			    build_zero_cst (TREE_TYPE (condition))),
		    &test, profile_probability::likely (), profile_probability::unlikely (),
		    profile_probability::likely (), profile_probability::unlikely (), true);
  free_original_copy_tables ();
  gcc_assert (other);
  // At once: the other loop must not see what is done to this one.
  update_ssa (TODO_update_ssa);
  for (gassign *store : found->stores)
    make_streaming (store);
  order_streaming (found->loop);
  mark_virtual_operands_for_renaming (cfun);
  update_ssa (TODO_update_ssa_only_virtuals);
  scev_reset ();
  free_numbers_of_iterations_estimates (cfun);
}

/* Whether no other loop has STREAM as larger vectors: the vectoriser leaves the loop as it was for
   the case that its check fails.  */

bool
streamer::best_p (const store_stream &stream) const
{
  const HOST_WIDE_INT *largest
    = const_cast<streamer *> (this)->largest_.get (stream.ordinals[0]);
  return !largest || stored_bytes (stream.stores[0]) >= *largest;
}

bool
streamer::consider (class loop *innermost, const store_streams &streams)
{
  nest found;
  gimple_seq seq = NULL;
  for (const store_stream *stream : streams.streams ())
    {
      if (!best_p (*stream))
	continue;
      class loop *widest;
      const decision_view *decision = ask (streams, *stream, innermost, found, &widest);
      emit_remark (stream->stores[0], *decision);
      if (!decision->take)
	continue;
      if (!found.loop)
	found.bytes = streams.emit_bytes (*stream, widest, decision->row_bytes, &seq);
      found.loop = widest;
      found.at_least = decision->at_least;
      found.streams++;
      found.stores.safe_splice (stream->stores);
    }
  if (!found.loop)
    return false;
  copy (&found, seq);
  return true;
}

unsigned
streamer::run ()
{
  auto_vec<class loop *> loops;
  auto_delete_vec<store_streams> streams;
  for (auto loop : loops_list (cfun, LI_ONLY_INNERMOST))
    {
      const HOST_WIDE_INT most = max_loop_iterations_int (loop);
      if ((most >= 0 && most < k_least_iterations) || optimize_loop_for_size_p (loop))
	continue;
      loops.safe_push (loop);
      streams.safe_push (new store_streams (loop));
      for (const store_stream *stream : streams.last ()->streams ())
	{
	  HOST_WIDE_INT &largest = largest_.get_or_insert (stream->ordinals[0]);
	  largest = MAX (largest, stored_bytes (stream->stores[0]));
	}
    }
  unsigned copied = 0;
  for (unsigned i = 0; i < loops.length (); i++)
    copied += consider (loops[i], *streams[i]);
  return copied;
}

const pass_data streaming_pass_data
  = { GIMPLE_PASS, "memprof_streaming", OPTGROUP_LOOP, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, 0 };

class streaming_pass : public gimple_opt_pass
{
public:
  explicit streaming_pass (gcc::context *context) : gimple_opt_pass (streaming_pass_data, context) {}

  bool
  gate (function *fun) final override
  {
    return optimize > 0 && !optimize_debug && current_marks.profile_of (fun)
	   && number_of_loops (fun) > 1 && processor::streaming_possible_p (SImode);
  }

  unsigned
  execute (function *fun) final override
  {
    calculate_dominance_info (CDI_DOMINATORS);
    return streamer (fun).run () ? TODO_cleanup_cfg : 0;
  }
};

} // anonymous namespace

void
register_streaming_pass (const char *plugin_name)
{
  insert_pass_after (plugin_name, new streaming_pass (g), k_pass_loop_prefetch, 1);
}

} // namespace memprof::plugin
