/* veto.h - what the user does not want to be transformed.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_VETO_H
#define MEMPROF_VETO_H

namespace memprof::plugin {

/* Reads the file of -fprofile-mem-veto; an error says why it cannot be read:
   without it, code would be transformed that must not be.  */
void read_vetoes ();

/* The entry of the file that is about STMT of the current
   function, as "FILE:LINE"; null when there is none.  */
const char *vetoed_by (gimple *stmt);

} // namespace memprof::plugin

#endif
