/* unprofiled_body.h - a second body for a function, which reports nothing.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_UNPROFILED_BODY_H
#define MEMPROF_UNPROFILED_BODY_H

#include "plugin/generate/sample/quiet_loops.h"

namespace memprof::plugin {

/* Aligns loops better than GCC does by default, unless the user has said how.  To be called
   before options take effect.  */
void align_unprofiled_loops ();

/* FUN is instrumented: adds an unprofiled body.  Besides at its entry, FUN can go from
   one to the other at HEADERS, outer ones first.  */
void add_unprofiled_body (function *fun, const vec<burst_header> &headers);

} // namespace memprof::plugin

#endif
