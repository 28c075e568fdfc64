/* late_passes.h - keep GCC's later passes from what we have added to a function.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LATE_PASSES_H
#define MEMPROF_LATE_PASSES_H

namespace memprof::plugin {

/* For plugin_init, after memprof_gen and memprof_use are registered, in every
   compile that has one of the two: a pass that is registered later after the
   same neighbour comes before those registered earlier.  */
void register_late_passes (const char *plugin_name);

/* FUNCTION, which is being compiled, has code of ours of which GCC would warn after the loop optimisers.  */
void omit_late_warnings (tree function);

} // namespace memprof::plugin

#endif
