/* hot_function.h - functions in which the program spends its time get GCC's options for such.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_HOT_FUNCTION_H
#define MEMPROF_HOT_FUNCTION_H

#include "plugin/sites/access_sites.h"

namespace memprof::plugin {

/* Decides about FUN, which has SITES and which current_marks describes, and does it; in memprof_use.  */
void optimize_hot_function (function *fun, const auto_vec<access_site> &sites);

/* FUN, the current function, is compiled with the options of NODE from here on.  */
void set_optimization (function *fun, tree node);

} // namespace memprof::plugin

#endif
