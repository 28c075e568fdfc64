/* local_objects.h - reports the births of local variables.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LOCAL_OBJECTS_H
#define MEMPROF_LOCAL_OBJECTS_H

#include "plugin/generate/edge_places.h"
#include "plugin/generate/planned_record.h"

namespace memprof::plugin {

/* The variables of a function that live in memory.  */
struct local_births
{
  auto_vec<record_entry> entries;
  /* They are born where this block starts, which is executed once at most.  */
  basic_block where;
};

/* Needs dominators.  */
void find_local_births (function *fun, local_births &births);

/* Appends records that report BIRTHS, and what FUN gets from alloca.  */
void plan_local_births (function *fun, const local_births &births,
			edge_places &places,
			auto_delete_vec<block_record> &records);

} // namespace memprof::plugin

#endif
