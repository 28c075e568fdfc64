/* affine_ranges.h - loops whose accesses one record describes.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_AFFINE_RANGES_H
#define MEMPROF_AFFINE_RANGES_H

#include "record.h"

namespace memprof::plugin {

/* Whether the code around STMT must not be mixed with it: it may emit records
   of its own, not return, or do what we do not see.  */
bool boundary_p (gimple *stmt);

/* Whether one of EDGES is no ordinary one.  */
bool any_complex_p (vec<edge, va_gc> *edges);

/* Whether control leaves LOOP by ordinary edges only, and there is no boundary in
   it.  */
bool closed_loop_p (class loop *loop);

/* Finds the innermost loops of FUN that one range record each can describe.
   The loop optimiser must be initialised, with preheaders, simple latches and
   recorded exits; scalar evolution is used and released here.  */
void find_affine_ranges (function *fun, const auto_vec<access_site> &sites,
			 auto_delete_vec<range_record> &ranges);

} // namespace memprof::plugin

#endif
