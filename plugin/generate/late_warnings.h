/* late_warnings.h - instrumented functions are not warned about once more.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LATE_WARNINGS_H
#define MEMPROF_LATE_WARNINGS_H

namespace memprof::plugin {

/* For plugin_init of a compile that instruments.  */
void register_late_warnings (const char *plugin_name);

} // namespace memprof::plugin

#endif
