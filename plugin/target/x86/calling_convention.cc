/* calling_convention.cc - x86-64: how the runtime's functions are called.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

/* -mabi=ms is about the program's own functions.  */

tree
processor::runtime_function_type (tree type)
{
  if (!TARGET_64BIT || ix86_abi != MS_ABI)
    return type;
  return build_type_attribute_variant (
    type, tree_cons (get_identifier ("sysv_abi"), NULL_TREE, TYPE_ATTRIBUTES (type)));
}

} // namespace memprof::plugin
