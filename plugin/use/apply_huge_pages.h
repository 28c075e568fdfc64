/* apply_huge_pages.h - gives allocation calls an arena with huge pages.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_APPLY_HUGE_PAGES_H
#define MEMPROF_APPLY_HUGE_PAGES_H

#include "plugin/use/bridge.h"

namespace memprof::plugin {

/* Decides on the allocation calls of FUN, which is in the source FILE (as its
   key says) and is as it was when it was profiled.  Returns what is left to
   do, as TODO_* flags.  */
unsigned route_allocations (function *fun, profile *from, const char *file);

/* For plugin_init: FUN's calls need what is written at the end of the unit.  */
void register_huge_pages (const char *plugin_name);

} // namespace memprof::plugin

#endif
