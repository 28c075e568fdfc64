/* record_room.h - which records need not look whether there is room.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_RECORD_ROOM_H
#define MEMPROF_RECORD_ROOM_H

#include "plugin/generate/loop_events.h"

namespace memprof::plugin {

/* Sets `room' of RECORDS and EVENTS, all of which are planned; range records
   have been emitted.  */
void plan_room (function *fun, auto_delete_vec<block_record> &records,
		auto_vec<loop_event> &events);

} // namespace memprof::plugin

#endif
