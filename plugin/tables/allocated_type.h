/* allocated_type.h - what a call allocates.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_ALLOCATED_TYPE_H
#define MEMPROF_ALLOCATED_TYPE_H

#include "plugin/tables/source_text.h"

namespace memprof::plugin {

/* The type of the elements that CALL allocates; empty if it is not known.  */
void allocated_type_text (gcall *call, text *out);

} // namespace memprof::plugin

#endif
