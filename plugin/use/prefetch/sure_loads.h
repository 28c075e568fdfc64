/* sure_loads.h - loads that a loop will perform for certain.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_SURE_LOADS_H
#define MEMPROF_SURE_LOADS_H

#include "plugin/use/prefetch/call_site.h"

namespace memprof::plugin {

/* If LOOP, once an iteration has begun, certainly performs INDEX and SECOND in
   as many more iterations as are known before it starts, INDEX advances by STEP
   bytes and then loads what its memory holds now, and SECOND takes its address
   from that alone (with CALLED, SECOND is performed by it or its caller): how often
   the latch is executed, as an expression for the preheader.  Else null, and *OBSTACLE says why.  */
tree sure_iterations (class loop *loop, gimple *index, HOST_WIDE_INT step,
		      gimple *second, const called_load *called,
		      const char **obstacle);

/* A name of LOOP that counts down from ITERATIONS to 0, one per iteration.  */
tree remaining_iterations (class loop *loop, tree iterations);

} // namespace memprof::plugin

#endif
