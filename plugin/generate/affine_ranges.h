/* affine_ranges.h - loops whose accesses one record describes.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_AFFINE_RANGES_H
#define MEMPROF_AFFINE_RANGES_H

#include "plugin/generate/planned_record.h"

namespace memprof::plugin {

/* Finds the innermost loops of FUN that one range record each can describe,
   and the loops around them that these records describe, too.
   The loop optimiser must be initialised, with preheaders, simple latches and
   recorded exits; scalar evolution is used and released here.  */
void find_affine_ranges (function *fun, const auto_vec<access_site> &sites,
			 auto_delete_vec<range_record> &ranges);

} // namespace memprof::plugin

#endif
