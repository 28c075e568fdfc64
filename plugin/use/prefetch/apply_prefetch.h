/* apply_prefetch.h - prefetches for loads that the profile shows to miss.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_APPLY_PREFETCH_H
#define MEMPROF_APPLY_PREFETCH_H

namespace memprof::plugin {

void register_prefetch_pass (const char *plugin_name);

} // namespace memprof::plugin

#endif
