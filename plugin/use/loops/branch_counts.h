/* branch_counts.h - the branches of a function get the probabilities that were measured.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_BRANCH_COUNTS_H
#define MEMPROF_BRANCH_COUNTS_H

#include "plugin/sites/access_sites.h"

namespace memprof::plugin {

/* Decides about FUN, which has SITES and which current_marks describes, and does it; in memprof_use.  */
void set_branch_counts (function *fun, const auto_vec<access_site> &sites);

} // namespace memprof::plugin

#endif
