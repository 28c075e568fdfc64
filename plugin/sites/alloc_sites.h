/* alloc_sites.h - tells the runtime which call allocates.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_ALLOC_SITES_H
#define MEMPROF_ALLOC_SITES_H

#include "plugin/sites/edge_places.h"

namespace memprof::plugin {

/* The allocating calls of FUN.  */
void find_alloc_calls (function *fun, auto_vec<gcall *> &calls);

/* Names each of CALLS to the runtime while it runs.  */
void mark_alloc_calls (const auto_vec<gcall *> &calls, edge_places &places);

} // namespace memprof::plugin

#endif
