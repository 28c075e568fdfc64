/* gcc-compat.h - what differs between the versions of GCC.
   SPDX-License-Identifier: GPL-3.0-or-later

   GCC's internal interface changes with each major version: functions are renamed or get
   arguments, passes move.  The plugin calls the wrappers below instead, whose bodies choose
   by the version of the headers, and names GCC's passes only by the constants below.  So a
   new version of GCC is a matter of this header and gcc-common.h, which includes it.

     version   what changed
     14        last_stmt became last_nondebug_stmt; create_iv takes the operation
     16        rewrite_to_defined_overflow became rewrite_to_defined_unconditional, and
	       gimple_needing_rewrite_undefined says which statements need it

   testsuite/policy/layering.py checks that these names occur nowhere else.  */

#ifndef MEMPROF_GCC_COMPAT_H
#define MEMPROF_GCC_COMPAT_H

namespace memprof::plugin {

/* Names of the passes of GCC at which passes of the plugin are registered, or whose gates
   it overrides.  */
constexpr char k_pass_ssa[] = "ssa";
/* Thread sanitizer: after inlining and the scalar optimisations, before the loop
   optimisers.  Functions reach the first of them when they are optimised, and the second
   at every level.  */
constexpr char k_pass_tsan[] = "tsan";
constexpr char k_pass_tsan_O0[] = "tsan0";
constexpr char k_pass_pure_const[] = "local-pure-const";
constexpr char k_pass_modref[] = "modref";
constexpr char k_pass_unroll_and_jam[] = "unrolljam";
/* The last pass before loops are prepared for the vectoriser.  */
constexpr char k_pass_before_vectors[] = "ch_vect";
/* GCC's own prefetches, the last of the loop optimisers.  */
constexpr char k_pass_loop_prefetch[] = "aprefetch";
/* The first pass after the loop optimisers.  Functions without loops reach it, too.  */
constexpr char k_pass_after_loops[] = "simduid";

/* The last warnings about uninitialised variables.  */
constexpr char k_pass_uninitialized[] = "uninit";
/* Those about accesses beyond objects, uses after free and the like.  */
constexpr char k_pass_access_warnings[] = "waccess";

/* Finds out whether a function moves its stack pointer.  */
constexpr char k_pass_stack_pointer_moves[] = "*stack_ptr_mod";

/* The version of GCC whose code this is, as profiles name it.  */
constexpr unsigned k_gcc_major = GCCPLUGIN_VERSION_MAJOR;

/* Runs PASS after each instance of GCC's pass called NAME, or after instance INSTANCE,
   counted from 1.  Of passes registered at one place the last one runs first.  */
inline void
insert_pass_after (const char *plugin_name, opt_pass *pass, const char *name,
		   int instance = 0)
{
  register_pass_info info = { pass, name, instance, PASS_POS_INSERT_AFTER };
  register_callback (plugin_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
}

/* The last statement of BB that is more than debug information, or null.  */
inline gimple *
last_statement (basic_block bb)
{
#if GCCPLUGIN_VERSION >= 14000
  return last_nondebug_stmt (bb);
#else
  return last_stmt (bb);
#endif
}

/* Adds a variable to LOOP that is BASE before the first iteration and increased by STEP
   at *AT (AFTER: after the statement there).  Returns its name before the increment.  */
inline tree
add_loop_variable (tree base, tree step, class loop *loop,
		   gimple_stmt_iterator *at, bool after)
{
  tree name;
#if GCCPLUGIN_VERSION >= 14000
  create_iv (base, PLUS_EXPR, step, NULL_TREE, loop, at, after, &name, nullptr);
#else
  create_iv (base, step, NULL_TREE, loop, at, after, &name, nullptr);
#endif
  return name;
}

/* STMT, which is in no sequence, in a form that may be executed where the program does not
   execute it: signed overflow wraps around instead of being undefined.  */
inline gimple_seq
defined_everywhere (gimple *stmt)
{
#if GCCPLUGIN_VERSION >= 16000
  if (gimple_needing_rewrite_undefined (stmt))
    return rewrite_to_defined_unconditional (stmt);
#else
  tree lhs = gimple_get_lhs (stmt);
  if (is_gimple_assign (stmt) && INTEGRAL_TYPE_P (TREE_TYPE (lhs))
      && TYPE_OVERFLOW_UNDEFINED (TREE_TYPE (lhs))
      && arith_code_with_undefined_signed_overflow (
	gimple_assign_rhs_code (stmt)))
    return rewrite_to_defined_overflow (stmt);
#endif
  gimple_seq seq = nullptr;
  gimple_seq_add_stmt_without_update (&seq, stmt);
  return seq;
}

} // namespace memprof::plugin

#endif
