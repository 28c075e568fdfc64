/* linear_value.h - values that are linear in the iterations of a loop.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LINEAR_VALUE_H
#define MEMPROF_LINEAR_VALUE_H

namespace memprof::plugin {

/* Of type sizetype: FIRST + k * STEP modulo 2^64 in iteration k, counted from 0.
   Both are valid in front of the loop; a STEP of null is 0.  */
struct linear_value
{
  tree first, step;
};

/* Whether VALUE, an integer that a statement in each iteration of LOOP computes or
   could, is linear when it is extended to 64 bits.  Scalar evolution must be
   initialised.  */
bool linear_value_p (class loop *loop, tree value, linear_value *result);

} // namespace memprof::plugin

#endif
