/* local_objects.h - reports the births of local variables.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LOCAL_OBJECTS_H
#define MEMPROF_LOCAL_OBJECTS_H

#include "edge_places.h"
#include "record.h"

namespace memprof::plugin {

/* Appends records that report the variables of FUN that live in memory, at its
   entry, and what it gets from alloca.  */
void plan_local_births (function *fun, edge_places &places,
			auto_delete_vec<block_record> &records);

} // namespace memprof::plugin

#endif
