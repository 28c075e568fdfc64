/* cxx_class.cc - what only the front end of C++ knows about a class.
   SPDX-License-Identifier: GPL-3.0-or-later

   The headers of that front end read what is in the tree; none of its functions,
   which other compilers lack, may be called here.  */

#define MEMPROF_CXX_CLASSES
#include "plugin/gcc-common.h"
#include "plugin/tables/cxx_class.h"

namespace memprof::plugin {

const char *
fixed_class (tree type)
{
  if (!CLASS_TYPE_P (type))
    return nullptr;
  if (TYPE_CONTAINS_VPTR_P (type))
    return "virtual functions or bases";
  if (TYPE_BINFO (type) && BINFO_N_BASE_BINFOS (TYPE_BINFO (type)) != 0)
    return "bases";
  // Its constants are evaluated field by field, in the order of the places.
  if (CLASSTYPE_LITERAL_P (type))
    return "constant expressions can use it";
  return nullptr;
}

bool
empty_class_p (tree type)
{
  return CLASS_TYPE_P (type) && CLASSTYPE_EMPTY_P (type);
}

} // namespace memprof::plugin
