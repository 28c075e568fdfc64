/* strncpy_warnings.h - no warnings of strncpy calls that records separate from the end.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_STRNCPY_WARNINGS_H
#define MEMPROF_STRNCPY_WARNINGS_H

namespace memprof::plugin {

/* Suppresses -Wstringop-truncation for calls of strncpy in FUN that the next statement
   makes safe.  To be called before there are records between the two.  */
void suppress_strncpy_warnings (function *fun);

} // namespace memprof::plugin

#endif
