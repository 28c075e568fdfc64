/* prefetch_trials.h - which prefetches are measured together.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_PREFETCH_TRIALS_H
#define MEMPROF_PREFETCH_TRIALS_H

#include "plugin/use/prefetch/prefetch_plan.h"

namespace memprof::plugin {

/* Makes the nests of those PLANS of a function that are on trial, appends them to *NESTS, and copies
   them.  */
void make_nests (const vec<prefetch_plan *> &plans, vec<tuned_nest *> *nests);

} // namespace memprof::plugin

#endif
