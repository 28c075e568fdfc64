/* red_zone.h - x86-64: functions that may not keep data below the stack pointer.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_RED_ZONE_H
#define MEMPROF_RED_ZONE_H

namespace memprof::plugin {

/* The current function shall keep nothing below the stack pointer.  */
void leave_red_zone_unused ();

} // namespace memprof::plugin

#endif
