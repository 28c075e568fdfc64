/* apply_field_order.h - moves the fields of records.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_APPLY_FIELD_ORDER_H
#define MEMPROF_APPLY_FIELD_ORDER_H

#include "plugin/sites/access_sites.h"

namespace memprof::plugin {

/* For plugin_init.  */
void register_field_order (const char *plugin_name);

/* Whether REF accesses a field of a record whose fields have been moved.  */
bool moved_field_p (tree ref);

/* Whether one of SITES accesses a field that has been moved.  */
bool moved_fields_p (const vec<access_site> &sites);

/* In a pass, or at the end of the unit while the profile is open: says what was done
   to the types that have been read.  */
void emit_field_order_remarks ();

} // namespace memprof::plugin

#endif
