/* site_pass.h - the frame of the passes that stand where accesses are sites.
   SPDX-License-Identifier: GPL-3.0-or-later

   memprof_gen and memprof_use must see the same code, so both stand after
   tsan.  GCC has two such passes: tsan, which functions reach when they are
   optimised, and tsan0, which it runs at every level and which is meant for
   functions that skipped the other one.  Each has one instance of ours after
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
    insert_pass_after (plugin_name, new pass (g, false), k_pass_tsan);
    insert_pass_after (plugin_name, new pass (g, true), k_pass_tsan_O0, 1);
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
  bool only_o0_;
};

} // namespace memprof::plugin

#endif
