/* gen_pass.cc - the pass memprof_gen: makes a function report its accesses.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "gcc-common.h"
#include "access_sites.h"
#include "function_key.h"
#include "gen_pass.h"
#include "options.h"

namespace memprof::plugin {

namespace {

const pass_data gen_pass_data = { GIMPLE_PASS,
				  "memprof_gen",
				  OPTGROUP_NONE,
				  TV_NONE,
				  PROP_ssa | PROP_cfg,
				  0,
				  0,
				  0,
				  TODO_update_ssa_only_virtuals };

class gen_pass : public gimple_opt_pass
{
public:
  /* ONLY_O0: this instance stands behind tsan0, which GCC runs at every
     level, and is meant for functions that skipped the other one.  */
  gen_pass (gcc::context *context, bool only_o0)
    : gimple_opt_pass (gen_pass_data, context), only_o0_ (only_o0)
  {}

  opt_pass *
  clone () final override
  {
    return new gen_pass (m_ctxt, only_o0_);
  }

  bool
  gate (function *) final override
  {
    return !only_o0_ || !optimize;
  }

  unsigned execute (function *fun) final override;

private:
  bool only_o0_;
};

unsigned
gen_pass::execute (function *fun)
{
  if (function_left_alone_p (fun))
    return 0;
  auto_vec<access_site> sites;
  collect_access_sites (fun, sites);
  function_key key (fun, sites);
  dump_function_key (key, sites.length ());
  return 0;
}

void
register_one (const char *plugin_name, bool only_o0)
{
  register_pass_info info;
  info.pass = new gen_pass (g, only_o0);
  info.reference_pass_name = only_o0 ? "tsan0" : "tsan";
  info.ref_pass_instance_number = only_o0 ? 1 : 0;
  info.pos_op = PASS_POS_INSERT_AFTER;
  register_callback (plugin_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
}

} // anonymous namespace

void
register_gen_pass (const char *plugin_name)
{
  register_one (plugin_name, false);
  register_one (plugin_name, true);
}

} // namespace memprof::plugin
