/* profile_dependency.h - tells make which profiles an object depends on.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_PROFILE_DEPENDENCY_H
#define MEMPROF_PROFILE_DEPENDENCY_H

#include "plugin/use/bridge.h"

namespace memprof::plugin {

/* Adds the files of FROM to those that -MD lists.  */
void add_profile_dependencies (profile *from);

} // namespace memprof::plugin

#endif
