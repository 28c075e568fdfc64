/* quiet_path.h - what a function does on one path through it.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_QUIET_PATH_H
#define MEMPROF_QUIET_PATH_H

namespace memprof::plugin {

/* LEFT CODE RIGHT has to be HOLDS for a load to be performed.  Both are expressions in the
   parameters.  */
struct callee_condition
{
  gcond *branch; // only while the function is compiled
  tree_code code;
  tree left, right;
  bool holds;
};

/* A store through parameter number PARAMETER; -1: through any other pointer.  */
struct callee_store
{
  int parameter;
  alias_set_type set;
};

/* Whether control comes to what follows STMT in FUN, and STMT has no effect but on memory.  Calls that
   only compute return; with CALLS_RETURN, all calls do.  */
bool goes_on_p (function *fun, gimple *stmt, bool calls_return);

/* The number of FUN's parameter whose value on entry NAME is; -1: none.  */
int parameter_number (function *fun, tree name);

/* Whether each execution of FUN for which CONDITIONS hold returns.  Sets *STORES to all stores that
   such an execution may perform.  */
bool quiet_path_p (function *fun, const vec<callee_condition> &conditions,
		  vec<callee_store> *stores);

} // namespace memprof::plugin

#endif
