/* loop_samples.cc - sample mode: samples of whole loops and long calls.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/generate/sample/countdown.h"
#include "plugin/generate/guarded_call.h"
#include "plugin/generate/length_code.h"
#include "plugin/options.h"
#include "plugin/generate/range_emit.h"
#include "plugin/generate/sample/loop_samples.h"
#include "plugin/generate/record_words.h"
#include "plugin/generate/record_writer.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/tables/unit_tables.h"

namespace memprof::plugin {

namespace {

/* Before PLACE: calls FUNCTION with the record HEADER, WORDS if CONDITION.  */

void
sample_if (gimple *place, tree condition, tree function, tree header,
	    const vec<tree> &words)
{
  auto_vec<tree> arguments;
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  tree head = make_ssa_name (runtime ().word);
  gsi_insert_before (&gsi, gimple_build_assign (head, NOP_EXPR, header),
		     GSI_SAME_STMT);
  arguments.safe_push (head);
  arguments.safe_splice (words);
  call_if (place, condition, function, arguments);
}

/* Whether CALL may move MPRT_LONG_CALL bytes or more, as far as its ROW and the object
   say, which is easily found out.  */

bool
may_be_long_p (gcall *call, const memory_function *row)
{
  if (row->address != ADDRESS_ARG
      || (row->length != LENGTH_ARG && row->length != LENGTH_PRODUCT
	  && row->length != LENGTH_RESULT && row->length != LENGTH_RESULT_TIMES))
    return false;
  tree length = memory_function_length (call, row), size;
  if (length && tree_fits_uhwi_p (length) && tree_to_uhwi (length) < MPRT_LONG_CALL)
    return false;
  return !compute_builtin_object_size (memory_function_address (call, row), 1,
				       &size)
	 || !tree_fits_uhwi_p (size) || tree_to_uhwi (size) >= MPRT_LONG_CALL;
}

/* The one of SITES for ROW of CALL, or null.  */

const access_site *
site_of (gcall *call, const memory_function *row,
	 const auto_vec<access_site> &sites)
{
  for (const access_site &site : sites)
    if (site.stmt == call && site.row == row)
      return &site;
  return nullptr;
}

} // anonymous namespace

/* Before PLACE: code of the unprofiled body that passes the record of RANGE, with HEADER
   and WORDS, to the runtime, if the countdown of iterations ends in this execution of the
   loop or its COUNT iterations store much (mprt_loop_samples.cc).  */

void
range_emitter::sample (gimple *place, const range_record &range,
				    tree header, tree count,
				    const vec<tree> &words)
{
  const unsigned HOST_WIDE_INT k_many_bytes = 4096, k_few = 64;
  unsigned HOST_WIDE_INT step = 0;
  for (const range_entry &entry : range.entries)
    if (entry.site->kind == MPRT_OP_STORE && tree_fits_shwi_p (entry.step))
      step = MAX (step, absu_hwi (tree_to_shwi (entry.step)));
  // Bursts meet short loops often enough.
  if (words.length () + 3 > MPRT_MAX_RECORD_WORDS
      || (tree_fits_uhwi_p (count) && tree_to_uhwi (count) < k_few))
    return;
  for (const range_entry &entry : range.entries)
    unit_tables::mark_sampled (*entry.site);
  const runtime_decls &rt = runtime ();
  tree iterations = force_word (place, count);
  tree chosen = count_down (gsi_for_stmt (place), rt.work, iterations);
  if (step != 0)
    {
      tree many = many_p (place, iterations, CEIL (k_many_bytes, step));
      tree either = make_ssa_name (boolean_type_node);
      gimple_stmt_iterator gsi = gsi_for_stmt (place);
      gsi_insert_before (
	&gsi, gimple_build_assign (either, BIT_IOR_EXPR, chosen, many),
	GSI_SAME_STMT);
      chosen = either;
    }
  sample_if (place, chosen, rt.loop_sample, header, words);
}

/* Code of the unprofiled body that passes a record of CALL, which performs some of SITES,
   to the runtime if it moves much.  */

static void
sample_call (gcall *call, const auto_vec<access_site> &sites,
	     unsigned first_site, record_emitter &emitter,
	     name_expansions &expansions, edge_places &places)
{
  const memory_function *row = first_memory_function (call);
  if (!may_be_long_p (call, row))
    return;
  gimple *front = places.before (call);
  gimple *where = row->after_p () ? places.after (call) : front;
  if (!where)
    return;
  record_words words (expansions);
  tree bytes
    = force_word (where, emit_row_length (front, where, call, row));
  unsigned length_word = words.add_value (where, bytes);
  block_record record;
  record.loop = gimple_bb (call)->loop_father;
  record_entry first = {};
  first.op = row->op;
  auto_vec<tree> entries;
  for (; row; row = next_memory_function (row))
    {
      const access_site *site = site_of (call, row, sites);
      if (!site
	  && (row->op != MPRT_OP_EXTERNAL_STORE
	      || !(options.events & MPRT_EXTERNAL_STORES)))
	continue;
      word_address address
	= words.add_address (front, memory_function_address (call, row),
			     NULL_TREE, 0);
      entries.safe_push (
	word_constant (MPRT_ENTRY (site ? first_site + site->ordinal : 0,
				   address.word, length_word, row->op, 0)));
      entries.safe_push (address.descriptor_word ());
    }
  if (entries.is_empty ())
    return;
  sample_if (where, many_p (where, bytes, MPRT_LONG_CALL),
	      runtime ().call_sample,
	      emitter.add_block_descriptor (record, first, entries, words.length ()),
	      words.words ());
}

void
sample_calls (function *fun, const auto_vec<access_site> &sites,
	      unsigned first_site, record_emitter &emitter,
	      name_expansions &expansions, edge_places &places)
{
  auto_vec<gcall *> calls;
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb);
	 !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
      if (gcall *call = dyn_cast<gcall *> (gsi_stmt (gsi)))
	if (first_memory_function (call))
	  calls.safe_push (call);
  if (calls.is_empty ())
    return;
  init_object_sizes ();
  for (gcall *call : calls)
    sample_call (call, sites, first_site, emitter, expansions, places);
  fini_object_sizes ();
}

} // namespace memprof::plugin
