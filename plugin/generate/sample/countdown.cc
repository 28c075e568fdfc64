/* countdown.cc - sample mode: what counts down in memory, and asks the runtime.
   SPDX-License-Identifier: GPL-3.0-or-later

   Between bursts a program executes switches (unprofiled_body.cc) and what reports loops
   (loop_samples.h) again and again, and hardly ever one has anything to do:

     left = countdown
     less = left - 1
     countdown = less
     negative = (signed) less < 0

   If that is negative, the runtime is asked whether this is a burst.  The countdown of an entry also
   ends one of the first entries:

     weight = MAX (weight - first, 1)
     answer = __mprt_burst ()
     on = answer != 0

   The processor may have a shorter way for both (plugin/target/target.h).  */

#include "plugin/gcc-common.h"
#include "plugin/generate/sample/countdown.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/target/target.h"
#include "plugin/tables/unit_tables.h"
#include "runtime/wire/record.h"

namespace memprof::plugin {

tree
count_down (gimple_stmt_iterator gsi, tree variable, tree minus)
{
  tree type = TREE_TYPE (variable);
  tree negative = make_ssa_name (boolean_type_node);
  auto append = [&] (gimple *stmt) {
    gsi_insert_before (&gsi, stmt, GSI_SAME_STMT);
  };
  if (gimple *in_memory = processor::build_countdown (negative, variable, minus))
    {
      append (in_memory);
      return negative;
    }
  tree left = make_ssa_name (type);
  append (gimple_build_assign (left, variable));
  if (minus)
    {
      tree less = make_ssa_name (type);
      append (gimple_build_assign (less, MINUS_EXPR, left, minus));
      append (gimple_build_assign (variable, less));
      left = less;
    }
  tree with_sign = make_ssa_name (long_long_integer_type_node);
  append (gimple_build_assign (with_sign, NOP_EXPR, left));
  append (gimple_build_assign (negative, LT_EXPR, with_sign,
			       build_zero_cst (TREE_TYPE (with_sign))));
  return negative;
}

/* Before GSI: takes the weight of one first entry from WEIGHT.  */

static void
end_first_entry (gimple_stmt_iterator gsi, tree weight)
{
  tree type = TREE_TYPE (weight), before = make_ssa_name (type);
  tree less = make_ssa_name (type), after = make_ssa_name (type);
  tree first = build_int_cst (type, -MPRT_FIRST_ENTRY);
  for (gimple *stmt :
       { gimple_build_assign (before, weight),
	 gimple_build_assign (less, PLUS_EXPR, before, first),
	 gimple_build_assign (after, MAX_EXPR, less, build_one_cst (type)),
	 gimple_build_assign (weight, after) })
    gsi_insert_before (&gsi, stmt, GSI_SAME_STMT);
}

tree
ask_for_burst (gimple_stmt_iterator gsi, tree weight)
{
  tree on = make_ssa_name (boolean_type_node);
  auto append = [&] (gimple *stmt) {
    gsi_insert_before (&gsi, stmt, GSI_SAME_STMT);
  };
  if (gimple *call = processor::build_burst_call (on, weight))
    {
      append (call);
      return on;
    }
  if (weight)
    end_first_entry (gsi, weight);
  tree word = runtime ().word, answer = make_ssa_name (word);
  tree decl = runtime ().burst;
  gcall *call = gimple_build_call (decl, 0);
  gimple_call_set_lhs (call, answer);
  append (call);
  append (gimple_build_assign (on, NE_EXPR, answer, build_zero_cst (word)));
  cgraph_node::get (current_function_decl)
    ->create_edge (cgraph_node::get_create (decl), call, gsi_bb (gsi)->count);
  return on;
}

tree
make_entry_weight ()
{
  tree type = TREE_TYPE (runtime ().countdown);
  tree name = create_tmp_var_name ("__memprof_entry_weight");
  tree weight = make_table_variable (IDENTIFIER_POINTER (name), type,
				     TYPE_ALIGN_UNIT (type));
  TREE_READONLY (weight) = 0;
  define_table_variable (
    weight, build_int_cst (type, MPRT_FIRST_ENTRIES * MPRT_FIRST_ENTRY + 1));
  unit_tables::add_entry_weight (weight);
  return weight;
}

void
show_countdown (basic_block bb, tree kept)
{
  const runtime_decls &rt = runtime ();
  for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi); gsi_next (&gsi))
    {
      tree callee = is_gimple_call (gsi_stmt (gsi)) ? gimple_call_fndecl (gsi_stmt (gsi))
						     : NULL_TREE;
      if (!callee || (callee != rt.loop_sample && callee != rt.call_sample))
	continue;
      gsi_insert_before (&gsi, gimple_build_assign (rt.countdown, kept), GSI_SAME_STMT);
      gsi_insert_after (&gsi, gimple_build_assign (kept, rt.countdown), GSI_NEW_STMT);
    }
}

} // namespace memprof::plugin
