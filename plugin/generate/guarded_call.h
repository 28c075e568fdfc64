/* guarded_call.h - calls of the runtime that hardly ever happen.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_GUARDED_CALL_H
#define MEMPROF_GUARDED_CALL_H

namespace memprof::plugin {

/* Before PLACE: calls FUNCTION with ARGUMENTS if CONDITION, a truth value.  */
void call_if (gimple *place, tree condition, tree function,
	      const vec<tree> &arguments);

/* Before PLACE: whether COUNT, a word, is LEAST or more.  */
tree many_p (gimple *place, tree count, unsigned HOST_WIDE_INT least);

} // namespace memprof::plugin

#endif
