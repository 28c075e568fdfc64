/* plain_body.h - a second body for a function, which reports nothing.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_PLAIN_BODY_H
#define MEMPROF_PLAIN_BODY_H

namespace memprof::plugin {

/* FUN is instrumented: adds a plain body.  Besides at its entry, FUN can go from
   one to the other at HEADERS, which are loop headers.  */
void add_plain_body (function *fun, const vec<basic_block> &headers);

} // namespace memprof::plugin

#endif
