/* affine_ranges.h - loops whose accesses one record describes.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_AFFINE_RANGES_H
#define MEMPROF_AFFINE_RANGES_H

#include "plugin/generate/planned_record.h"

namespace memprof::plugin {

/* Whether the code around STMT must not be mixed with it: it may emit records
   of its own, not return, or do what we do not see.  */
bool boundary_p (gimple *stmt);

/* Whether one of EDGES is no ordinary one.  */
bool any_complex_p (vec<edge, va_gc> *edges);

/* Whether control leaves LOOP by ordinary edges only, and there is no boundary in
   it.  */
bool closed_loop_p (class loop *loop);

/* The number of header executions of LOOP if GCC can compute it before
   the loop, otherwise null.  */
tree header_executions (class loop *loop);

/* Words of a range record that ENTRY needs at most: start, step, index.  */
unsigned words_of (const range_entry &entry);

/* Finds the innermost loops of FUN that one range record each can describe,
   and the loops around them that these records describe, too.
   The loop optimiser must be initialised, with preheaders, simple latches and
   recorded exits; scalar evolution is used and released here.  */
void find_affine_ranges (function *fun, const auto_vec<access_site> &sites,
			 auto_delete_vec<range_record> &ranges);

} // namespace memprof::plugin

#endif
