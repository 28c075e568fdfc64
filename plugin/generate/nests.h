/* nests.h - affine loops in loops that do nothing else.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_NESTS_H
#define MEMPROF_NESTS_H

#include "plugin/generate/planned_record.h"

namespace memprof::plugin {

/* Makes each of the RANGES of FUN, whose SITES write records, describe the loops
   around it as well, as far as that is possible.  Of loops and scalar evolution
   the same holds as for find_affine_ranges, which asks.  */
void find_nests (function *fun, const auto_vec<access_site> &sites,
		 auto_delete_vec<range_record> &ranges);

/* Whether what the accesses X and Y are at in the first iterations goes on by
   the same steps in the loops around.  */
bool same_outer_steps_p (const range_entry &x, const range_entry &y);

} // namespace memprof::plugin

#endif
