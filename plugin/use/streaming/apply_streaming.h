/* apply_streaming.h - loops whose stores bypass the caches.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_APPLY_STREAMING_H
#define MEMPROF_APPLY_STREAMING_H

namespace memprof::plugin {

void register_streaming_pass (const char *plugin_name);

} // namespace memprof::plugin

#endif
