/* sure_loads.h - loads that a loop will perform for certain.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_SURE_LOADS_H
#define MEMPROF_SURE_LOADS_H

namespace memprof::plugin {

/* How often the latch of LOOP is executed, as an expression for the preheader, provided that

     - LOOP performs INDEX and SECOND in each iteration, and their number is known before LOOP;
     - INDEX advances by STEP bytes, and loads what its memory holds now;
     - SECOND takes its address from what INDEX loads alone.

   Else null, and *OBSTACLE says why.  */
tree sure_iterations (class loop *loop, gimple *index, HOST_WIDE_INT step,
		      gimple *second, const char **obstacle);

/* A name of LOOP that counts down from ITERATIONS to 0, one per iteration.  */
tree remaining_iterations (class loop *loop, tree iterations);

} // namespace memprof::plugin

#endif
