/* late_passes.cc - keep GCC's later passes from what we have added to a function.
   SPDX-License-Identifier: GPL-3.0-or-later

   Summaries.  Problem: sites are matched between the generate and the use compile by
   counting them, so both must reach the place after `tsan' with the same
   code.  GCC compiles functions one by one, callees first, and at the end of
   each runs `local-pure-const' and `modref': what they find (reads nothing,
   clobbers only its first argument) lets later callers keep values in
   registers across the call.  A callee that is full of our records is never
   pure, so its callers would be optimised less, in the generate compile only:
   up to 6 % of all functions then differ.

   Remedy, in both compiles alike:

       tsan, local-pure-const, modref, memprof_gen, memprof_use, ... | later
             `---- summaries of the code without our changes ----'   | ones: off

   1. Instances of the two passes of our own run directly after tsan.
   2. PLUGIN_OVERRIDE_GATE, which sees every pass of every function, switches
      off the instances that GCC runs later on the same function.

   What it costs: a summary does not see what the loop optimisers removed.  At
   -O2, the code of gzip 1.12 and bzip2 1.0.8 is the same with and without; lua
   5.4 and sqlite3 have 32 bytes more text (of 249 KB and 1.16 MB) and execute
   0.19 % fewer and 0.02 % more instructions.  At -O0 GCC runs neither pass, and
   nothing happens here.

   Warnings.  Problem: GCC warns of variables that may be uninitialised at the end of the optimisers, where
   an instrumented function has more code: two bodies in sample mode, and values that live longer.  So it
   warns twice of one place, or where it does not warn of the plain code, and a build with -Werror fails.

   A function that is rebuilt with more optimisations (use/loops/hot_function.h) has more code as well: of a loop that
   is peeled, GCC warns of iterations that never are.

   Remedy: the same callback switches off the late `uninit' of both, and the late `waccess' of the latter.  The plain
   compile, which has the same source, warns of what there is.  Not done: other late warnings of instrumented
   functions (-Wstringop-overread, -Wformat-overflow, -Wstringop-truncation).  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/sites/late_passes.h"

namespace memprof::plugin {

namespace {

/* The function that has come past the neighbour last, and which of the two
   passes have run on it since.  Functions go through the late passes one at a
   time, so that one is enough.  */
tree past_neighbour;
bool pure_const_done, modref_done;

/* The function that omit_late_warnings named last.  */
tree without_warnings;

/* Is this the first run of a pass on this function since the neighbour?  */
bool
first_run (bool *done)
{
  bool first = !*done;
  *done = true;
  return first;
}

void
override_gate (void *gate, void *)
{
  bool *run = static_cast<bool *> (gate);
  if (!current_pass || !current_function_decl)
    return;
  const char *name = current_pass->name;
  const bool quiet = without_warnings == current_function_decl;
  if (!strcmp (name, k_pass_tsan))
    {
      past_neighbour = current_function_decl;
      pure_const_done = modref_done = false;
    }
  else if (past_neighbour != current_function_decl)
    return;
  else if (!strcmp (name, k_pass_pure_const))
    *run = *run && first_run (&pure_const_done);
  else if (!strcmp (name, k_pass_modref))
    *run = *run && first_run (&modref_done);
  else if (!strcmp (name, k_pass_uninitialized))
    *run = *run && !options.generate && !quiet;
  else if (!strcmp (name, k_pass_access_warnings))
    *run = *run && !quiet;
}

} // anonymous namespace

void
omit_late_warnings (tree function)
{
  without_warnings = function;
}

void
register_late_passes (const char *plugin_name)
{
  // Every instance: one list of passes for -O1 to -O3 and -Os, one for -Og.
  insert_pass_after (plugin_name, make_pass_modref (g), k_pass_tsan);
  insert_pass_after (plugin_name, make_pass_local_pure_const (g), k_pass_tsan);
  register_callback (plugin_name, PLUGIN_OVERRIDE_GATE, override_gate, NULL);
}

} // namespace memprof::plugin
