/* strncpy_warnings.h - strncpy in front of a statement that ends the string.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_PLUGIN_STRNCPY_WARNINGS_H
#define MEMPROF_PLUGIN_STRNCPY_WARNINGS_H

#include "plugin/gcc-common.h"

namespace memprof::plugin {

/* Keeps GCC from warning of such calls of FUN once there are records in it.  */
void quieten_terminated_copies (function *fun);

} // namespace memprof::plugin

#endif
