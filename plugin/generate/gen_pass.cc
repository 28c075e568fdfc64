/* gen_pass.cc - the pass memprof_gen: makes a function report its accesses.
   SPDX-License-Identifier: GPL-3.0-or-later

   Steps for each function:

   1. Collect its access sites and compute its key, before anything changes.
   2. Leave out the sites that no selected profiling module needs or that lie in no
      selected loop, and find the loops that one range record describes
      (affine_ranges.cc), or one record for a nest of them (nests.cc).
      Of accesses of which only the object matters, most are left out as well: others
      speak for them (covered_sites.cc), or loops count them (tallies.cc).
   3. Add its rows to the tables of the unit (unit_tables.cc).
   4. Plan the other records (record_plan.cc), the births of locals
      (local_objects.cc), loop events (loop_events.cc) and allocation sites
      (alloc_sites.cc), and which records the iterations of a loop may share
      (loop_runs.cc).  A planned record stands in front of an empty statement
      that marks its place.
   5. Emit (record_emit.cc), last place first: writing a record splits a block,
      and what follows has to be moved.  Looks at the guards of local statics
      get what orders threads (thread_order.cc).

   6. In sample mode, add a body that does none of this (unprofiled_body.cc).

   In objects mode there are only step 1 and allocation sites.

   Invariant: whatever the coalescing level, the sequence of accesses, births,
   iterations and calls that a thread reports is the same.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/gen_pass.h"
#include "plugin/sites/access_sites.h"
#include "plugin/generate/affine_ranges.h"
#include "plugin/sites/alloc_sites.h"
#include "plugin/generate/alloc_marks.h"
#include "plugin/generate/covered_sites.h"
#include "plugin/sites/function_key.h"
#include "plugin/generate/local_objects.h"
#include "plugin/generate/loop_events.h"
#include "plugin/generate/loop_runs.h"
#include "plugin/options.h"
#include "plugin/generate/sample/unprofiled_body.h"
#include "plugin/generate/sample/quiet_loops.h"
#include "plugin/generate/x86/slow_stubs.h"
#include "plugin/generate/record_room.h"
#include "plugin/sites/site_pass.h"
#include "plugin/tables/unit_tables.h"
#include "plugin/generate/tallies.h"
#include "plugin/generate/strncpy_warnings.h"
#include "plugin/generate/thread_order.h"
#include "plugin/generate/x86/red_zone.h"
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

/* -fprofile-mem-loops: whether LOOP or one around it, in the file FILE, is at one
   of these places.  */

bool
selected_p (class loop *loop, const char *file)
{
  for (; loop_outer (loop); loop = loop_outer (loop))
    if (int line = expand_location (loop_location (loop)).line)
      {
	char *place = xasprintf ("%s:%d", file, line);
	bool matches = matches_glob_list (place, options.loops)
		       || matches_glob_list (lbasename (place), options.loops);
	free (place);
	if (matches)
	  return true;
      }
  return false;
}

/* Appends the sites among ALL that shall write records, in a function of FILE.  */

void
selected_sites (const auto_vec<access_site> &all, const char *file,
		auto_vec<access_site> &selected)
{
  auto_vec<access_site> reported;
  reported_sites (all, reported);
  for (const access_site &site : reported)
    if (!options.loops
	|| selected_p (gimple_bb (site.stmt)->loop_father, file))
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

/* The headers of loops where a burst can begin, outer ones first.  Needs dominators.  */

void
find_burst_headers (const vec<loop_plan> &loops, auto_vec<burst_header> &headers)
{
  scev_initialize ();
  for (class loop *loop : loops_list (cfun, 0))
    if (loops[loop->num].events && long_p (loop))
      {
	bool silent = !loops[loop->num].calls;
	headers.safe_push (
	  { loop->header, silent, silent ? quiet_executions (loop) : NULL_TREE });
      }
  scev_finalize ();
}

/* Instruments FUN of FILE, which has the sites ALL, while its loops are known.
   Returns what is left to do.  */

unsigned
instrument (function *fun, const char *file, const auto_vec<access_site> &all,
	    const auto_vec<gcall *> &alloc_calls)
{
  find_guard_looks (all);
  auto_vec<access_site> selected, sites;
  selected_sites (all, file, selected);
  auto_vec<companion> companions;
  auto_delete_vec<loop_tally> tallies;
  if (targets_only_p ())
    {
      find_companions (selected, companions, sites);
      find_tallies (fun, sites, tallies);
    }
  else
    sites.safe_splice (selected);
  auto_delete_vec<range_record> ranges;
  find_affine_ranges (fun, sites, ranges);

  unsigned first_site = site_table::next_site ();
  auto_vec<loop_plan> loops;
  plan_loops (fun, sites, ranges, loops);
  for (const access_site &site : all)
    {
      class loop *loop = gimple_bb (site.stmt)->loop_father;
      site_table::add_site (site, loop_outer (loop) ? loops[loop->num].row
						    : MPRT_NONE);
    }
  local_births births;
  find_local_births (fun, births);
  auto_vec<burst_header> headers;
  if (options.mode == MODE_SAMPLE)
    find_burst_headers (loops, headers);
  free_dominance_info (CDI_DOMINATORS);

  loop_bounds bounds (fun, loops);
  edge_places places;
  gimple *start = function_start (fun, places);
  auto_delete_vec<block_record> records;
  plan_block_records (fun, sites, first_site, loops, bounds, births, places,
		      records);
  plan_local_births (fun, births, places, records);
  auto_vec<loop_event> events;
  mark_alloc_calls (alloc_calls, places);

  descriptor_table descriptors;
  record_emitter emitter (fun, descriptors, loops, first_site);
  // Range records of a loop come before the EXIT of loops around it.
  for (range_record *range : ranges)
    emitter.emit_range (*range, places);
  for (loop_tally *tally : tallies)
    emitter.emit_tally (*tally, places);
  describe_companions (companions, first_site, descriptors);
  plan_loop_events (fun, loops, bounds, places, events);
  plan_function_events (fun, start, places, events);
  find_loop_runs (fun, records, events);
  plan_room (fun, records, events);
  scev_initialize ();
  for (unsigned i = events.length (); i-- > 0;)
    emitter.emit_loop_event (events[i]);
  for (unsigned i = records.length (); i-- > 0;)
    emitter.emit_block (*records[i]);
  scev_finalize ();
  if (options.mode == MODE_SAMPLE)
    emitter.tell_of_calls (sites, places);
  for (const access_site &site : all)
    if (site.atomic_p && guard_look_p (site.stmt))
      if (gimple *behind = places.after (site.stmt))
	tell_guard_look (behind);
  site_table::add_descriptors (descriptors);
  unsigned todo
    = emitter.renames_p () ? TODO_update_ssa : TODO_update_ssa_only_virtuals;
  if (options.mode != MODE_SAMPLE || (records.is_empty () && ranges.is_empty ()))
    return todo;
  places.release ();
  update_ssa (todo);
  add_plain_body (fun, headers);
  return TODO_cleanup_cfg;
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

/* Records hold 64-bit addresses.  */

bool
target_supported_p ()
{
  static bool told;
  if (POINTER_SIZE == 64 && !told)
    return true;
  if (!told)
    error ("memprof: %<-fprofile-mem-generate%> needs a 64-bit target");
  told = true;
  return false;
}

unsigned
gen_pass::execute (function *fun)
{
  if (!target_supported_p ())
    return 0;
  if (function_left_alone_p (fun) || site_table::own_function_p (fun))
    return 0;
  show_variables (fun);
  auto_vec<access_site> sites;
  collect_access_sites (fun, sites);
  function_key key (fun, sites);
  dump_function_key (key, sites.length ());
  auto_vec<gcall *> alloc_calls;
  find_alloc_calls (fun, alloc_calls);
  if (!selected_p (fun, key) || site_table::full_p (sites.length ()))
    return 0;

  unsigned todo = 0;
  loop_optimizer_init (LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
  if (!sites.is_empty () || !alloc_calls.is_empty ()
      || number_of_loops (fun) > 1 || options.events & MPRT_FUNCTIONS)
    {
      site_table::begin_function (fun, key);
      quieten_terminated_copies (fun);
      todo = options.mode == MODE_OBJECTS
	       ? instrument_objects (alloc_calls)
	       : instrument (fun, key.file, sites, alloc_calls);
    }
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
  register_red_zone_pass (plugin_name);
  if (options.mode == MODE_SAMPLE)
    align_plain_loops ();
  site_table::register_callbacks (plugin_name, write_slow_stub);
  register_type_facts (plugin_name);
}

} // namespace memprof::plugin
