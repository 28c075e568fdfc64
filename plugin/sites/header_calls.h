/* header_calls.h - calls of functions of system headers that were not inlined.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_HEADER_CALLS_H
#define MEMPROF_HEADER_CALLS_H

namespace memprof::plugin {

/* The calls in FUN of functions that a system header defines and this unit has: of a container's
   members, of std::sort.  Their cost belongs to the caller, which chose them; the profile says where that is.  */
void find_header_calls (function *fun, auto_vec<gcall *> &calls);

} // namespace memprof::plugin

#endif
