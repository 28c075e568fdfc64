/* thread_order.h - tells the runtime where a function synchronises threads.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_THREAD_ORDER_H
#define MEMPROF_THREAD_ORDER_H

#include "plugin/sites/access_sites.h"

namespace memprof::plugin {

/* Decides which of the sites ALL, in the order of the code, are looks at the guard
   of a local static that may order what follows.  Needs dominators.  */
void find_guard_looks (const vec<access_site> &all);

/* Whether STMT is one of these.  */
bool guard_look_p (gimple *stmt);

/* Calls __mprt_order before GSI.  */
void tell_order (gimple_stmt_iterator *gsi);

/* PLACE is after a look at the guard of a local static: takes a ticket there
   if this thread has none yet that is after the maker's.  */
void tell_guard_look (gimple *place);

} // namespace memprof::plugin

#endif
