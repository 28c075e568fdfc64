/* scanf_format.h - what scanf and its relatives write, from their format.
   SPDX-License-Identifier: GPL-3.0-or-later

       n = sscanf (line, "%d %15s", &x, name);

   writes 4 bytes at &x if n >= 1, and a string at name if n >= 2.  */

#ifndef MEMPROF_SCANF_FORMAT_H
#define MEMPROF_SCANF_FORMAT_H

#include "plugin/sites/memory_row.h"

namespace memprof::plugin {

/* Whether CODE is a function that reads by a format; *FORMAT is the argument that holds the
   format, and *FIRST the first of those that are written, or 0: they are in a va_list.  */
bool scanf_p (built_in_function code, unsigned *format, unsigned *first);

/* The rows of CALL, whose callee has CODE; null if nothing is known: the format is no constant,
   has wide characters or numbers of arguments.  They end as the table of memory_functions.cc.  */
const memory_function *scanf_rows (gcall *call, built_in_function code);

} // namespace memprof::plugin

#endif
