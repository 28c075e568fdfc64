/* gen_pass.cc - the pass memprof_gen: makes a function report its accesses.
   SPDX-License-Identifier: GPL-3.0-or-later

   Steps for each function:

   1. Collect its access sites and compute its key, before anything changes.
   2. Instrument it, in phases that each say what they need and give (function_plan):
      - choose_sites: leave out the sites that no selected profiling module needs or
	that are in no selected loop.  If only the objects that accesses touch matter,
	most sites are covered by others (covered_sites.cc) or counted by loops
	(tallies.cc);
      - plan_whole_loops: find the loops that one range record describes
	(affine_ranges.cc), or one record for a nest of them (nests.cc);
      - add_site_rows: describe the sites in the tables of the unit (unit_tables.cc);
      - find_births_and_bursts: births of locals (local_objects.cc), burst headers;
      - plan_records: which accesses share a record (record_plan.cc);
      - emit_whole_loops: the records of ranges and tallies;
      - plan_events: starts and ends of loops and functions (loop_events.cc), records
	that iterations share (loop_runs.cc) or that need not look for room
	(record_room.cc);
      - emit_records: the planned records as code (record_emit.cc);
      - emit_samples_and_tickets: long calls (sample/loop_samples.h), guards of local
	statics (thread_order.cc);
      - finish: in sample mode, add a body that does none of this
	(sample/unprofiled_body.cc).

   A planned record stands before an empty statement that marks its place.

   In objects mode, step 2 only marks the calls that allocate (alloc_marks.cc).

   Invariant: whatever the coalescing level, the sequence of accesses, births,
   iterations and calls that a thread reports is the same.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/gen_pass.h"
#include "plugin/sites/access_sites.h"
#include "plugin/generate/affine_ranges.h"
#include "plugin/sites/alloc_sites.h"
#include "plugin/generate/alloc_marks.h"
#include "plugin/generate/covered_sites.h"
#include "plugin/sites/external_calls.h"
#include "plugin/sites/header_calls.h"
#include "plugin/sites/function_key.h"
#include "plugin/generate/local_objects.h"
#include "plugin/generate/loop_events.h"
#include "plugin/generate/loop_runs.h"
#include "plugin/options.h"
#include "plugin/generate/sample/loop_samples.h"
#include "plugin/generate/sample/unprofiled_body.h"
#include "plugin/generate/sample/quiet_loops.h"
#include "plugin/generate/range_emit.h"
#include "plugin/generate/record_emit.h"
#include "plugin/generate/record_room.h"
#include "plugin/sites/site_pass.h"
#include "plugin/tables/unit_tables.h"
#include "plugin/generate/tallies.h"
#include "plugin/generate/strncpy_warnings.h"
#include "plugin/generate/thread_order.h"
#include "plugin/target/target.h"
#include "plugin/tables/type_facts.h"
#include "plugin/tables/source_text.h"

namespace memprof::plugin {

namespace {

class gen_pass : public site_pass<gen_pass>
{
public:
  gen_pass (gcc::context *context, bool only_o0)
    : site_pass ("memprof_gen", context, only_o0)
  {}

  unsigned execute (function *fun) final override;
};

/* -fprofile-mem-include and -exclude: by source file or by name.  */

bool
selected_p (function *fun, const function_key &key)
{
  const char *name = printable_name (fun->decl);
  auto matches = [&] (const char *list) {
    return matches_glob_list (key.file, list)
	   || matches_glob_list (name, list);
  };
  return (!options.include || matches (options.include))
	 && (!options.exclude || !matches (options.exclude));
}

/* -fprofile-mem-loops: whether LOOP or one around it is at one of these places.  */

bool
selected_p (class loop *loop)
{
  for (; loop_outer (loop); loop = loop_outer (loop))
    if (expanded_location at = expand_location (loop_location (loop)); at.line)
      {
	char *place = xasprintf ("%s:%d", remap_debug_filename (at.file), at.line);
	bool matches = matches_glob_list (place, options.loops)
		       || matches_glob_list (lbasename (place), options.loops);
	free (place);
	if (matches)
	  return true;
      }
  return false;
}

/* Appends the sites among ALL that shall write records.  */

void
selected_sites (const auto_vec<access_site> &all, auto_vec<access_site> &selected)
{
  auto_vec<access_site> reported;
  reported_sites (all, reported);
  for (const access_site &site : reported)
    if (!options.loops
	|| selected_p (gimple_bb (site.stmt)->loop_father))
      selected.safe_push (site);
}

/* Whether sample mode shall be able to begin or end a burst inside LOOP.  */

bool
long_p (class loop *loop)
{
  const HOST_WIDE_INT k_short = 32;
  HOST_WIDE_INT most = get_max_loop_iterations_int (loop);
  return most < 0 || most > k_short;
}

/* Whether each iteration of LOOP executes the header of a loop in it where a burst can begin.  */

bool
inner_begins_p (class loop *loop, const vec<loop_plan> &loops)
{
  for (class loop *in = loop->inner; in; in = in->next)
    if (dominated_by_p (CDI_DOMINATORS, loop->latch, in->header)
	&& ((loops[in->num].events && long_p (in)) || inner_begins_p (in, loops)))
      return true;
  return false;
}

/* The headers of loops where a burst can begin, outer ones first.  A loop with calls, which
   cannot keep the countdown in a register, counts once in an iteration.  Needs
   dominators.  */

void
find_burst_headers (const vec<loop_plan> &loops, auto_vec<burst_header> &headers)
{
  scev_initialize ();
  for (class loop *loop : loops_list (cfun, 0))
    if (loops[loop->num].events && long_p (loop)
	&& !(loops[loop->num].calls && loop->latch && inner_begins_p (loop, loops)))
      {
	bool silent = !loops[loop->num].calls;
	headers.safe_push (
	  { loop->header, silent, silent ? quiet_executions (loop) : NULL_TREE });
      }
  scev_finalize ();
}

/* What is known about a function while it is instrumented.  Each phase below reads what
   earlier phases have given, and no other state.  */

struct function_plan
{
  function_plan (function *f, const auto_vec<access_site> &sites_of_f,
		 const auto_vec<gcall *> &calls)
    : fun (f), all (sites_of_f), alloc_calls (calls),
      first_site (unit_tables::next_site ()),
      emitter (descriptors, loops, first_site, expansions),
      range_emits (descriptors, loops, first_site, expansions)
  {}

  function *fun;
  const auto_vec<access_site> &all;
  const auto_vec<gcall *> &alloc_calls;
  unsigned first_site;		/* the row of all[0] */

  auto_vec<access_site> selected; /* by the options; `covered' points into it */
  auto_vec<access_site> sites;	/* those that write records */
  auto_vec<covered_site> covered;
  auto_delete_vec<loop_tally> tallies;
  auto_delete_vec<range_record> ranges;
  auto_vec<loop_plan> loops;	/* by number */
  local_births births;
  auto_vec<burst_header> burst_headers;
  loop_bounds bounds;
  gimple *start = nullptr;
  auto_delete_vec<block_record> records;
  auto_vec<loop_event> events;

  edge_places places;		/* where the records stand */
  descriptor_table descriptors;
  name_expansions expansions;
  record_emitter emitter;
  range_emitter range_emits;
};

/* Needs dominators.  Gives the sites that write records, those that others cover, and
   those that loops count.  Marks the looks at the guards of local statics that order
   threads.  */

void
choose_sites (function_plan &plan)
{
  find_guard_looks (plan.all);
  selected_sites (plan.all, plan.selected);
  if (targets_only_p ())
    {
      find_covered_sites (plan.selected, plan.covered, plan.sites);
      find_tallies (plan.fun, plan.sites, plan.tallies);
    }
  else
    plan.sites.safe_splice (plan.selected);
}

/* Needs the sites and dominators.  Gives the loops and the nests that one record
   describes, which takes their accesses out of the sites, and what each loop reports.
   Adds the rows of loops to the unit's tables.  */

void
plan_whole_loops (function_plan &plan)
{
  find_affine_ranges (plan.fun, plan.sites, plan.ranges);
  plan_loops (plan.fun, plan.sites, plan.ranges, plan.loops);
}

/* Needs the rows of loops.  Adds the row of each site.  */

void
add_site_rows (const function_plan &plan)
{
  for (const access_site &site : plan.all)
    {
      class loop *loop = gimple_bb (site.stmt)->loop_father;
      unit_tables::add_site (site, loop_outer (loop)
				    ? plan.loops[loop->num].row
				    : MPRT_NONE);
    }
}

/* Needs the loops and dominators.  Gives the births of local variables and, in sample
   mode, where a burst can begin.  It is the last phase that has dominators: those that
   follow cut blocks.  */

void
find_births_and_bursts (function_plan &plan)
{
  find_local_births (plan.fun, plan.births);
  if (options.mode == MODE_SAMPLE)
    find_burst_headers (plan.loops, plan.burst_headers);
  free_dominance_info (CDI_DOMINATORS);
}

/* Needs the sites, loops and births.  Gives the block records, the bounds of loops that
   these do not report, and the start of the function, which is the first of all places.
   Marks the calls that allocate.  */

void
plan_records (function_plan &plan)
{
  plan.bounds.find (plan.fun, plan.loops);
  plan.start = function_start (plan.fun, plan.places);
  plan_block_records (plan.fun, plan.sites, plan.first_site, plan.loops,
		      plan.bounds, plan.births, plan.places, plan.records);
  plan_local_births (plan.fun, plan.births, plan.places, plan.records);
  mark_alloc_calls (plan.alloc_calls, plan.places);
}

/* Needs the ranges and tallies.  Emits them, before other events get places: at the exit
   of a loop, its own record comes before the EXIT of loops around it.  Describes the
   covered sites.  */

void
emit_whole_loops (function_plan &plan)
{
  for (range_record *range : plan.ranges)
    plan.range_emits.emit (*range, plan.places);
  for (loop_tally *tally : plan.tallies)
    plan.emitter.emit_tally (*tally, plan.places);
  describe_covered_sites (plan.covered, plan.first_site, plan.descriptors);
}

/* Needs the block records, and the bounds and the start that they leave.  Gives the events
   that get records of their own.  Now that all records are planned, marks those that
   iterations share and those that need not look for room.  */

void
plan_events (function_plan &plan)
{
  plan_loop_events (plan.fun, plan.loops, plan.bounds, plan.places,
		    plan.events);
  plan_function_events (plan.fun, plan.start, plan.places, plan.events);
  find_loop_runs (plan.fun, plan.records, plan.events);
  plan_room (plan.fun, plan.records, plan.events);
}

/* Needs the block records and events.  Emits them, the last place first: writing a record
   splits a block, and what follows has to be moved.  */

void
emit_records (function_plan &plan)
{
  scev_initialize ();
  for (unsigned i = plan.events.length (); i-- > 0;)
    plan.emitter.emit_loop_event (plan.events[i]);
  for (unsigned i = plan.records.length (); i-- > 0;)
    plan.emitter.emit_block (*plan.records[i]);
  scev_finalize ();
}

/* Needs the places, some of which are after the sites.  Emits what is no record of the
   full mode: samples of long calls, and the tickets of looks at guards.  */

void
emit_samples_and_tickets (function_plan &plan)
{
  if (options.mode == MODE_SAMPLE)
    sample_calls (plan.fun, plan.sites, plan.first_site, plan.emitter,
		  plan.expansions, plan.places);
  for (const access_site &site : plan.all)
    if (site.atomic_p && guard_look_p (site.stmt))
      if (gimple *after = plan.places.after (site.stmt))
	tell_guard_look (after);
}

/* Needs all records emitted.  In sample mode, adds the body without records if there are
   any.  Returns what is left to do.  */

unsigned
finish (function_plan &plan)
{
  unit_tables::add_descriptors (plan.descriptors);
  unsigned todo = plan.emitter.renames_p () ? TODO_update_ssa
					     : TODO_update_ssa_only_virtuals;
  if (options.mode != MODE_SAMPLE
      || (plan.records.is_empty () && plan.ranges.is_empty ()))
    return todo;
  plan.places.release ();
  update_ssa (todo);
  add_unprofiled_body (plan.fun, plan.burst_headers);
  return TODO_cleanup_cfg;
}

/* Instruments FUN, which has the sites ALL, while its loops are known.
   Returns what is left to do.  */

unsigned
instrument (function *fun, const auto_vec<access_site> &all,
	    const auto_vec<gcall *> &alloc_calls)
{
  function_plan plan (fun, all, alloc_calls);
  choose_sites (plan);
  plan_whole_loops (plan);
  add_site_rows (plan);
  find_births_and_bursts (plan);
  plan_records (plan);
  emit_whole_loops (plan);
  plan_events (plan);
  emit_records (plan);
  emit_samples_and_tickets (plan);
  return finish (plan);
}

/* Objects mode: FUN only says which of its calls allocates.  It has a row also
   when there are none, so that a rebuild finds it unchanged.  */

unsigned
instrument_objects (const auto_vec<gcall *> &alloc_calls)
{
  edge_places places;
  mark_alloc_calls (alloc_calls, places);
  return TODO_update_ssa_only_virtuals;
}

/* Notes the aliases of FUN, such as a constructor of complete objects that is also the one of base
   objects: other units may call it by them.  */

void
add_other_names (function *fun)
{
  ipa_ref *alias;
  FOR_EACH_ALIAS (cgraph_node::get (fun->decl), alias)
    if (TREE_PUBLIC (alias->referring->decl))
      unit_tables::add_callee (alias->referring->decl, MPRT_CALLEE_DEFINED);
}

bool
calls_external_p (function *fun)
{
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb); !gsi_end_p (gsi);
	 gsi_next_nondebug (&gsi))
      if (gcall *call = dyn_cast<gcall *> (gsi_stmt (gsi)); call && external_call_p (call))
	return true;
  return false;
}

/* Records hold 64-bit addresses.  */

bool
target_supported_p ()
{
  static bool reported;
  if (POINTER_SIZE == 64 && !reported)
    return true;
  if (!reported)
    error ("memprof: %<-fprofile-mem-generate%> needs a 64-bit target");
  reported = true;
  return false;
}

unsigned
gen_pass::execute (function *fun)
{
  if (!target_supported_p ())
    return 0;
  if (function_left_alone_p (fun) || unit_tables::own_function_p (fun))
    return 0;
  show_variables (fun);
  auto_vec<access_site> sites;
  collect_access_sites (fun, sites);
  function_key key (fun, sites);
  dump_function_key (key, sites.length ());
  auto_vec<gcall *> alloc_calls;
  find_alloc_calls (fun, alloc_calls);
  if (!selected_p (fun, key) || unit_tables::full_p (sites.length ()))
    return 0;

  unsigned todo = 0;
  loop_optimizer_init (LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
  if (!sites.is_empty () || !alloc_calls.is_empty ()
      || number_of_loops (fun) > 1 || options.events & MPRT_FUNCTIONS
      || (options.events & MPRT_EXTERNAL_STORES && calls_external_p (fun)))
    {
      unit_tables::begin_function (fun, key);
      auto_vec<gcall *> header_calls;
      find_header_calls (fun, header_calls);
      for (gcall *call : header_calls)
	unit_tables::add_header_call (call);
      suppress_strncpy_warnings (fun);
      todo = options.mode == MODE_OBJECTS
	       ? instrument_objects (alloc_calls)
	       : instrument (fun, sites, alloc_calls);
    }
  else if (TREE_PUBLIC (fun->decl))
    unit_tables::add_callee (fun->decl, MPRT_CALLEE_DEFINED);
  add_other_names (fun);
  loop_optimizer_finalize ();
  free_dominance_info (CDI_DOMINATORS);
  free_dominance_info (CDI_POST_DOMINATORS);
  return todo;
}

} // anonymous namespace

void
register_gen_pass (const char *plugin_name)
{
  gen_pass::register_both (plugin_name);
  processor::register_passes (plugin_name);
  if (options.mode == MODE_SAMPLE)
    align_unprofiled_loops ();
  unit_tables::register_callbacks (plugin_name, processor::write_stubs);
  register_type_facts (plugin_name);
}

} // namespace memprof::plugin
