/* late_summaries.h - keep instrumented callees from changing their callers.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LATE_SUMMARIES_H
#define MEMPROF_LATE_SUMMARIES_H

namespace memprof::plugin {

/* For plugin_init, after memprof_gen and memprof_use are registered, in every
   compile that has one of the two: a pass that is registered later after the
   same neighbour comes before those registered earlier.  */
void register_late_summaries (const char *plugin_name);

} // namespace memprof::plugin

#endif
