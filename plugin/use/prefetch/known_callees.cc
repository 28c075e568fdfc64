/* known_callees.cc - functions of this compile whose loads callee_loads.cc wrote down.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/use/prefetch/callee_loads.h"

namespace memprof::plugin {

namespace {

/* By DECL_UID, which is never used again.  */
hash_map<int_hash<unsigned, 0, UINT_MAX>, callee_loads *> known_callees;

} // anonymous namespace

callee_loads::~callee_loads ()
{
  for (callee_load *load : loads)
    delete load;
}

void
publish_callee (tree decl, callee_loads *loads)
{
  known_callees.put (DECL_UID (decl), loads);
}

const callee_loads *
loads_of_callee (gcall *call)
{
  tree callee = gimple_call_fndecl (call);
  callee_loads **known = callee ? known_callees.get (DECL_UID (callee)) : nullptr;
  if (!known || !gimple_vuse (call)
      || gimple_call_num_args (call) != (*known)->parameters)
    return nullptr;
  for (const callee_value &value : (*known)->values)
    if (value.kind == callee_value::PARAMETER
	&& !useless_type_conversion_p (
	  value.type, TREE_TYPE (gimple_call_arg (call, value.operands[0]))))
      return nullptr;
  return *known;
}

} // namespace memprof::plugin
