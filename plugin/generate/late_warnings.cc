/* late_warnings.cc - instrumented functions are not warned about once more.
   SPDX-License-Identifier: GPL-3.0-or-later

   Problem: GCC warns of variables that may be uninitialised at the end of the optimisers, where an instrumented
   function has more code: two bodies in sample mode, and values that live longer.  So it warns twice of one
   place, or where it does not warn of the plain code, and a build with -Werror fails.

   Remedy: the pass `uninit' is not run on functions that have come past `tsan'.  The plain compile, which has the same
   source, warns of what there is.

   Not done: other late warnings (-Wstringop-overread, -Wformat-overflow, -Wstringop-truncation).  */

#include "plugin/gcc-common.h"
#include "plugin/generate/late_warnings.h"

namespace memprof::plugin {

namespace {

tree past_tsan;

void
override_gate (void *gate, void *)
{
  if (!current_pass || !current_function_decl)
    return;
  const char *name = current_pass->name;
  if (!strcmp (name, k_pass_tsan))
    past_tsan = current_function_decl;
  else if (past_tsan == current_function_decl
	   && !strcmp (name, k_pass_uninitialized))
    *static_cast<bool *> (gate) = false;
}

} // anonymous namespace

void
register_late_warnings (const char *plugin_name)
{
  register_callback (plugin_name, PLUGIN_OVERRIDE_GATE, override_gate, NULL);
}

} // namespace memprof::plugin
