/* loop_shape.h - what control can do in a loop, and how often it does.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LOOP_SHAPE_H
#define MEMPROF_LOOP_SHAPE_H

namespace memprof::plugin {

/* Whether STMT is a boundary: it may write records, not return, or access memory that GCC
   does not see.  */
bool boundary_p (gimple *stmt);

/* Whether one of EDGES is abnormal, or taken by an exception.  */
bool any_complex_p (vec<edge, va_gc> *edges);

/* Whether control leaves LOOP by ordinary edges only, and there is no boundary in
   it.  */
bool closed_loop_p (class loop *loop);

/* The number of header executions of LOOP if GCC can compute it before
   the loop, otherwise null.  */
tree header_executions (class loop *loop);

} // namespace memprof::plugin

#endif
