/* apply_layout.h - moves the fields of records.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_APPLY_LAYOUT_H
#define MEMPROF_APPLY_LAYOUT_H

#include "plugin/sites/access_sites.h"

namespace memprof::plugin {

/* For plugin_init.  */
void register_layout (const char *plugin_name);

/* Whether REF accesses a field of a record whose fields have been moved.  */
bool moved_field_p (tree ref);

/* Whether one of SITES accesses a field that has been moved.  */
bool moved_fields_p (const vec<access_site> &sites);

/* In a pass: what was done to the types that have been read.  */
void emit_layout_remarks ();

} // namespace memprof::plugin

#endif
