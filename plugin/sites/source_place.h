/* source_place.h - the place in the source that a statement or a loop represents.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_SOURCE_PLACE_H
#define MEMPROF_SOURCE_PLACE_H

namespace memprof::plugin {

/* Whether WHERE is a line of some file.  */
bool has_line_p (location_t where);

/* Where STMT stands in the source, see source_place.cc.  */
location_t source_place (gimple *stmt);

/* The same, and inlined code of a system header has its own place.  */
location_t code_place (gimple *stmt);

/* Where LOOP is in the source: among its header and the conditions that leave it the line in the
   fewest inlined functions, of these the first; if there is none, the first line of its statements.  */
location_t loop_location (class loop *loop);

/* Where FUN stands in the source.  */
location_t function_place (function *fun);

} // namespace memprof::plugin

#endif
