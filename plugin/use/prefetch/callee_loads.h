/* callee_loads.h - loads of a function whose addresses follow from its arguments.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_CALLEE_LOADS_H
#define MEMPROF_CALLEE_LOADS_H

#include "plugin/use/bridge.h"
#include "plugin/use/match/loop_facts.h"
#include "plugin/use/prefetch/quiet_path.h"

namespace memprof::plugin {

/* A load that has a site.

   Its address is an expression of the function's parameters, as they are when the function is
   entered, constants, operations and loads (MEM_REF): for `&g->points[row[k]]'

     *g + (sizetype) ((long) *(row + (sizetype) ((long) k * 4)) * 16)

   A load that some calls do not perform is the operand of a NON_LVALUE_EXPR.  */
struct callee_load
{
  unsigned ordinal;
  tree address;
  tree type;
  double waits; // as in PrefetchCode
  bool chained;
  /* What has to hold for each load that the address takes to be performed.  */
  auto_vec<callee_condition> conditions;
  /* A call for which CONDITIONS hold returns, and stores no more than STORES.  */
  bool quiet;
  auto_vec<callee_store> stores;
};

/* What callers need to know of a function; see callee_loads.cc.  */
struct callee_loads
{
  ~callee_loads ();

  const function_profile *profile;
  double instructions; // of a call
  auto_vec<tree> parameters;  // by number; null: in no expression
  auto_vec<tree> expressions; // all, each once
  auto_vec<callee_load *> loads;
};

/* Notes what callers of FUN, which has PROFILE, need to know of its loads MARKED, which are sites.  */
void remember_callee (function *fun, loop_facts *facts, const function_profile *profile,
		      const vec<gimple *> &marked);

/* From now on LOADS is what is known of the function DECL.  */
void publish_callee (tree decl, callee_loads *loads);

/* What is known of the function that CALL calls; null: nothing.  */
const callee_loads *loads_of_callee (gcall *call);

void register_callee_loads (const char *plugin_name);

} // namespace memprof::plugin

#endif
