/* linear_value.h - values that are linear in the iterations of a loop.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LINEAR_VALUE_H
#define MEMPROF_LINEAR_VALUE_H

namespace memprof::plugin {

/* Of type sizetype: FIRST + k * STEP modulo 2^64 in iteration k, counted from 0.
   Both are valid before the loop; a STEP of null is 0.  */
struct linear_value
{
  tree first, step;
};

/* Whether VALUE is the same in all iterations of LOOP and before it.  */
bool same_in_loop_p (class loop *loop, tree value);

/* Whether CHREC, of a value as seen from LOOP, says that it is *FIRST in the first
   iteration and *STEP more in each of the next, both of which are valid before
   the loop.  */
bool linear_chrec_p (class loop *loop, tree chrec, tree *first, tree *step);

/* Whether VALUE, an integer that a statement in each iteration of LOOP computes or
   could, is linear when it is extended to 64 bits.  Scalar evolution must be
   initialised.  */
bool linear_value_p (class loop *loop, tree value, linear_value *result);

} // namespace memprof::plugin

#endif
