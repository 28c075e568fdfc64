/* slow_stubs.h - x86-64: what the statements of slow_path.cc call.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_SLOW_STUBS_H
#define MEMPROF_SLOW_STUBS_H

namespace memprof::plugin {

enum slow_stub
{
  SLOW_STUB,			/* __mprt_slow_saved */
  JUMP_STUB,			/* __mprt_slow_jump */
  ROOM_STUB,			/* __mprt_room_saved */
  RECORD_STUB,			/* __mprt_record_saved */
  RUN_STUB,			/* __mprt_run_saved */
  BURST_STUB,			/* __mprt_burst_saved */
  ENTRY_STUB,			/* __mprt_entry_saved */
  STUBS
};

/* STUB shall be part of the unit.  */
void need_stub (slow_stub stub);

} // namespace memprof::plugin

#endif
