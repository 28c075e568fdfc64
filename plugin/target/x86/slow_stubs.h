/* slow_stubs.h - x86-64: what the statements of record_asm.cc and countdown_asm.cc call.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_SLOW_STUBS_H
#define MEMPROF_SLOW_STUBS_H

namespace memprof::plugin {

class asm_builder;

enum slow_stub
{
  SLOW_STUB,			/* __mprt_slow_preserving */
  ROOM_STUB,			/* __mprt_room_preserving */
  RECORD_STUB,			/* __mprt_record_preserving */
  WRITTEN_STUB,			/* __mprt_written_preserving */
  RUN_STUB,			/* __mprt_run_preserving */
  BURST_STUB,			/* __mprt_burst_preserving */
  ENTRY_STUB,			/* __mprt_entry_preserving */
  STUBS
};

/* STUB shall be part of the unit.  */
void need_stub (slow_stub stub);

/* Whether the code of this function may call them.  */
bool stub_fits_p ();

/* Appends a call of STUB, whose name is __mprt_NAME_preserving, to code of the current
   function.  */
void add_stub_call (asm_builder &code, const char *name, slow_stub stub);

} // namespace memprof::plugin

#endif
