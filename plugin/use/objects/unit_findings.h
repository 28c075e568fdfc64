/* unit_findings.h - what this unit does with its records, known before their fields are moved.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_UNIT_FINDINGS_H
#define MEMPROF_UNIT_FINDINGS_H

namespace memprof::plugin {

/* Why the code of this unit needs the fields of TYPE where they are; null if it does not.  The first call
   looks through the whole unit.  */
const char *unit_obstacle (tree type);

/* Whether this process only looks and writes nothing.  */
bool looking_p ();

/* For plugin_init.  */
void register_unit_findings (const char *plugin_name);

} // namespace memprof::plugin

#endif
