/* site_pass.h - the frame of the passes that stand where accesses are sites.
   SPDX-License-Identifier: GPL-3.0-or-later

   memprof_gen and memprof_use must see the same code, so both stand behind
   tsan.  GCC has two such passes: tsan, which functions reach when they are
   optimised, and tsan0, which it runs at every level and which is meant for
   functions that skipped the other one.  Each has one instance of ours behind
   it.  */

#ifndef MEMPROF_SITE_PASS_H
#define MEMPROF_SITE_PASS_H

namespace memprof::plugin {

/* PASS is the derived class; it has a constructor (gcc::context *, bool).  */
template <class pass>
class site_pass : public gimple_opt_pass
{
public:
  opt_pass *
  clone () final override
  {
    return new pass (m_ctxt, only_o0_);
  }

  bool
  gate (function *) final override
  {
    return !only_o0_ || !optimize;
  }

  static void
  register_both (const char *plugin_name)
  {
    register_one (plugin_name, false);
    register_one (plugin_name, true);
  }

protected:
  site_pass (const char *pass_name, gcc::context *context, bool only_o0)
    : gimple_opt_pass ({ GIMPLE_PASS, pass_name, OPTGROUP_OTHER, TV_NONE,
			 PROP_ssa | PROP_cfg, 0, 0, 0, 0 },
		       context),
      only_o0_ (only_o0)
  {}

  /* The gimplifier, which makes our addresses GIMPLE, wants to have seen each variable; it has
     not where the function was written in GIMPLE (-fgimple).  */
  static void
  show_variables (function *fun)
  {
    unsigned i;
    tree var;
    FOR_EACH_LOCAL_DECL (fun, i, var)
      if (VAR_P (var))
	DECL_SEEN_IN_BIND_EXPR_P (var) = 1;
  }

private:
  static void
  register_one (const char *plugin_name, bool only_o0)
  {
    register_pass_info info;
    info.pass = new pass (g, only_o0);
    info.reference_pass_name = only_o0 ? "tsan0" : "tsan";
    info.ref_pass_instance_number = only_o0 ? 1 : 0;
    info.pos_op = PASS_POS_INSERT_AFTER;
    register_callback (plugin_name, PLUGIN_PASS_MANAGER_SETUP, nullptr,
		       &info);
  }

  bool only_o0_;
};

} // namespace memprof::plugin

#endif
