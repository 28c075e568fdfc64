/* use_pass.h - the profile half of the plugin.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_USE_PASS_H
#define MEMPROF_USE_PASS_H

namespace memprof::plugin {

/* Registers memprof_use, which matches functions with the profile after tsan,
   and the transformations that act on what it found.  */
void register_use_pass (const char *plugin_name);

} // namespace memprof::plugin

#endif
