/* use_pass.cc - the pass memprof_use: finds a function's rows in the profile.
   SPDX-License-Identifier: GPL-3.0-or-later

   It runs at the place of memprof_gen in the other compile, so it sees the code
   that was instrumented: same sites, same order, same key.  It marks the
   statements of sites for the transformations, which run later, and has
   allocation calls replaced (apply_arenas.cc).  Fields of records have been moved
   long before, when their types were read (apply_field_order.cc).

   What is said about the profile itself is in match/unit_profile.cc; of functions that have
   changed one note at the end of the unit gives the share that was matched.  */

#include "plugin/gcc-common.h"
#include "plugin/use/objects/apply_arenas.h"
#include "plugin/use/objects/arena_calls.h"
#include "plugin/use/objects/apply_field_order.h"
#include "plugin/use/prefetch/apply_prefetch.h"
#include "plugin/use/objects/apply_variable_pages.h"
#include "plugin/use/versioning/apply_versioning.h"
#include "plugin/use/loops/branch_counts.h"
#include "plugin/use/loops/hot_function.h"
#include "plugin/use/bridge.h"
#include "plugin/use/objects/layout_notes.h"
#include "plugin/sites/function_key.h"
#include "plugin/options.h"
#include "plugin/use/remarks.h"
#include "plugin/use/match/site_marks.h"
#include "plugin/use/match/site_shapes.h"
#include "plugin/use/match/unit_profile.h"
#include "plugin/sites/site_pass.h"
#include "plugin/use/streaming/apply_streaming.h"
#include "plugin/use/use_pass.h"
#include "plugin/use/veto.h"

namespace memprof::plugin {

namespace {

/* Functions with sites, for the note at the end of the unit.  */
struct
{
  unsigned matched, salvaged, lost;
} functions;

/* Whether the linker may keep the copy of another module instead.  */

bool
shared_function_p (tree decl)
{
  return TREE_PUBLIC (decl) || DECL_COMDAT (decl)
	 || DECL_DECLARED_INLINE_P (decl);
}

const char *
state_name (match_state state)
{
  switch (state)
    {
    case MATCH_OK:
      return "matched";
    case MATCH_SALVAGED:
      return "its code has changed since, some sites are found again";
    case MATCH_NO_MODULE:
      return "source file not in the profile";
    case MATCH_NO_FUNCTION:
      return "not in the profile";
    case MATCH_STALE:
      return "its code has changed since";
    case MATCH_AMBIGUOUS:
      return "several functions of the profile fit";
    }
  gcc_unreachable ();
}

void
count_match (const function_match &match, const auto_vec<access_site> &sites)
{
  functions.matched += match.state == MATCH_OK;
  functions.salvaged += match.state == MATCH_SALVAGED;
  // With fields in other places code may be another before it gets here.
  functions.lost += match.state == MATCH_STALE && !moved_fields_p (sites);
}

class use_pass : public site_pass<use_pass>
{
public:
  use_pass (gcc::context *context, bool only_o0)
    : site_pass ("memprof_use", context, only_o0)
  {}

  /* Functions that are not optimised are looked up, so that the note is right,
     but nothing is done with what is found.  */
  unsigned execute (function *fun) final override;

private:
  bool calls_ = !switched_off_p (decide::Transformation::huge_pages)
		 || !switched_off_p (decide::Transformation::co_allocation)
		 || !switched_off_p (decide::Transformation::prefetch);
};

unsigned
use_pass::execute (function *fun)
{
  emit_field_order_remarks ();
  current_marks.start (fun, nullptr);
  if (function_left_alone_p (fun))
    return 0;
  show_variables (fun);
  auto_vec<access_site> sites;
  collect_access_sites (fun, sites);
  function_key key (fun, sites);
  dump_function_key (key, sites.length ());
  profile *from = opened_profile (key.file);
  decide_variables (key.file);
  // Also a function of which nothing but its allocations is known.
  if (sites.is_empty ())
    return calls_ ? route_allocations (fun, from, key.file, true) : 0;
  function_match match
    = profile_find (from, key.file, key.linkage_name, key.checksum,
		    shared_function_p (fun->decl),
		    alone_in_family_p (fun->decl));
  if (!match.function && match.state != MATCH_AMBIGUOUS)
    match = salvage_sites (from, match, key, sites);
  if (dump_file)
    fprintf (dump_file, "memprof: %s, checksum %08x, %u sites: %s\n",
	     key.linkage_name, key.checksum, sites.length (),
	     state_name (match.state));
  if (dump_file && (dump_flags & TDF_DETAILS))
    for (const access_site &site : sites)
      {
	fprintf (dump_file, ";; %u %s line %d: ", site.ordinal,
		 site.kind == MPRT_OP_LOAD ? "load" : "store",
		 gimple_lineno (site.stmt));
	print_gimple_stmt (dump_file, site.stmt, 0, TDF_SLIM);
      }
  count_match (match, sites);
  emit_match_remark (profile_match_remark (from, match, key.file,
					   key.linkage_name));
  if (!match.function)
    return calls_ ? route_allocations (fun, from, key.file, true) : 0;
  current_marks.start (fun, match.function);
  for (const access_site &site : sites)
    if (site.ref && is_gimple_assign (site.stmt) && !site.volatile_p
	&& !site.atomic_p)
      current_marks.add (site.stmt, site.ref, site.ordinal,
			 site.kind == MPRT_OP_LOAD);
    else if (site.kind == MPRT_OP_LOAD)
      current_marks.add_other_load (site.stmt, site.ordinal);
  if (!switched_off_p (decide::Transformation::branch_counts))
    set_branch_counts (fun, sites);
  if (!switched_off_p (decide::Transformation::hot_functions))
    optimize_hot_function (fun, sites);
  return calls_ ? route_allocations (fun, from, key.file, match.state != MATCH_OK) : 0;
}

/* The note about functions that have changed.  */

void
note_changed ()
{
  unsigned changed = functions.salvaged + functions.lost;
  if (!changed)
    return;
  unsigned all = functions.matched + changed;
  inform (UNKNOWN_LOCATION,
	  "memprof: %u of %u functions of %qs have changed since %qs was made: accesses of "
	  "%u are found again, %u are compiled without a profile (%u %% matched); profile "
	  "again to use it for all",
	  changed, all, main_input_filename, options.profile, functions.salvaged,
	  functions.lost, 100 * functions.matched / all);
}

/* The notes.  Here no function is being compiled that they would name.  */

void
finish_unit (void *, void *)
{
  note_changed ();
  // With -flto, or without a function, no pass has done it.
  emit_field_order_remarks ();
  if (!seen_error ())
    {
      // With -flto nothing is written, and link time decides.
      if (!flag_generate_lto)
	decide_variables (remap_debug_filename (main_input_filename));
      write_variable_table ();
    }
  write_layout_notes ();
  write_remarks_section ();
  close_profile ();
}

} // anonymous namespace

void
register_use_pass (const char *plugin_name)
{
  // Of two passes at one place the one registered later comes first.
  if (!switched_off_p (decide::Transformation::versioning))
    register_versioning_pass (plugin_name);
  use_pass::register_both (plugin_name);
  read_vetoes ();
  register_arena_calls (plugin_name);
  register_field_order (plugin_name);
  register_prefetch_pass (plugin_name);
  if (!switched_off_p (decide::Transformation::streaming_stores))
    register_streaming_pass (plugin_name);
  register_callback (plugin_name, PLUGIN_FINISH_UNIT, finish_unit, nullptr);
}

} // namespace memprof::plugin
