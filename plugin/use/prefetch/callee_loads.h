/* callee_loads.h - loads of a function whose addresses follow from its arguments.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_CALLEE_LOADS_H
#define MEMPROF_CALLEE_LOADS_H

#include "plugin/use/bridge.h"
#include "plugin/use/match/loop_facts.h"
#include "plugin/use/prefetch/quiet_way.h"

namespace memprof::plugin {

/* A value that a function computes from its arguments when it is entered.  */
struct callee_value
{
  enum what
  {
    PARAMETER, // number operands[0]
    CONSTANT,
    OPERATION,
    LOAD // of TYPE from the address operands[0]
  };
  what kind;
  tree_code code; // OPERATION
  tree type;
  tree constant;
  int operands[3]; // indices of values; -1: none
  bool conditional; // LOAD: some calls do not perform it
  bool loaded;	    // takes a load
};

/* A load that has a site.  */
struct callee_load
{
  unsigned ordinal;
  int address; // a value
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
  unsigned parameters;
  auto_vec<callee_value> values;
  auto_vec<callee_load *> loads;
};

/* Notes what callers of FUN, which has PROFILE, need to know.  */
void remember_callee (function *fun, loop_facts *facts,
		      const function_profile *profile);

/* LOADS are those of DECL from now on.  */
void publish_callee (tree decl, callee_loads *loads);

/* What is known of the function that CALL calls; null: nothing.  */
const callee_loads *loads_of_callee (gcall *call);

void register_callee_loads (const char *plugin_name);

} // namespace memprof::plugin

#endif
