/* wrapper_shape.h - functions that return what they allocate.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_WRAPPER_SHAPE_H
#define MEMPROF_WRAPPER_SHAPE_H

#include "plugin/tables/source_text.h"

namespace memprof::plugin {

/* If the current function returns what CALL allocates, of a size that one of its parameters says:
   "NAME:ARG" for -fprofile-mem-alloc-fn.  */
void wrapper_text (gcall *call, text *out);

} // namespace memprof::plugin

#endif
