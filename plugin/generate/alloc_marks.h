/* alloc_marks.h - tells the runtime which call allocates.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_ALLOC_MARKS_H
#define MEMPROF_ALLOC_MARKS_H

#include "plugin/generate/edge_places.h"

namespace memprof::plugin {

/* Adds a row for each of CALLS to the unit's tables, and code that names the row to
   the runtime while the call runs.  */
void mark_alloc_calls (const auto_vec<gcall *> &calls, edge_places &places);

} // namespace memprof::plugin

#endif
