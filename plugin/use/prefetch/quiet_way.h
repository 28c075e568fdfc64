/* quiet_way.h - what a function does on one way through it.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_QUIET_WAY_H
#define MEMPROF_QUIET_WAY_H

namespace memprof::plugin {

/* What the branch LEFT CODE RIGHT has to be for a load to be performed.  */
struct callee_condition
{
  gcond *branch; // only while the function is compiled
  tree_code code;
  int left, right;
  bool holds;
};

/* A store through parameter number PARAMETER, or -1: through anything.  */
struct callee_store
{
  int parameter;
  alias_set_type set;
};

/* The number of FUN's parameter whose value on entry NAME is; -1: none.  */
int parameter_number (function *fun, tree name);

/* Whether an execution of FUN for which CONDITIONS hold surely returns, and stores no more
   than *STORES, which it sets.  */
bool quiet_way_p (function *fun, const vec<callee_condition> &conditions,
		  vec<callee_store> *stores);

} // namespace memprof::plugin

#endif
