/* apply_arenas.h - gives allocation calls an arena: with huge pages, or a shared one.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_APPLY_ARENAS_H
#define MEMPROF_APPLY_ARENAS_H

#include "plugin/use/bridge.h"

namespace memprof::plugin {

/* Decides on the allocation calls of FUN, which is in the source FILE (as its
   key says).  CHANGED_CODE: it is not as it was when it was profiled, so its calls may
   have been in other functions.  Returns what is left to do, as TODO_* flags.  */
unsigned route_allocations (function *fun, profile *from, const char *file,
			    bool changed_code);

} // namespace memprof::plugin

#endif
