/* apply_versioning.h - loops with a copy for the case that nothing overlaps.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_APPLY_VERSIONING_H
#define MEMPROF_APPLY_VERSIONING_H

namespace memprof::plugin {

/* To be called before the pass memprof_use is registered, after which it
   stands.  */
void register_versioning_pass (const char *plugin_name);

} // namespace memprof::plugin

#endif
