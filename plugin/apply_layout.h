/* apply_layout.h - moves the fields of records.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_APPLY_LAYOUT_H
#define MEMPROF_APPLY_LAYOUT_H

namespace memprof::plugin {

/* For plugin_init.  */
void register_layout (const char *plugin_name);

/* In a pass: what was done to the types that have been read.  */
void emit_layout_remarks ();

} // namespace memprof::plugin

#endif
