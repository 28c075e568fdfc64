/* effective_type.h - which stores the language allows a load to read from.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_EFFECTIVE_TYPE_H
#define MEMPROF_EFFECTIVE_TYPE_H

struct mprt_site;

namespace memprof::plugin {

struct access_site;

/* Sets what ROW says of that for SITE, which was 0: not known.  */
void set_effective_type (const access_site &site, mprt_site *row);

} // namespace memprof::plugin

#endif
