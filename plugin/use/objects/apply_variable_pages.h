/* apply_variable_pages.h - huge pages for large variables.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_APPLY_VARIABLE_PAGES_H
#define MEMPROF_APPLY_VARIABLE_PAGES_H

namespace memprof::plugin {

/* Decides on the variables that this unit defines, with the profile of SOURCE; does nothing the second
   time.  In a pass, for -fopt-info.  */
void decide_variables (const char *source);

/* At the end of the unit: writes the table of the variables that get huge pages.  */
void write_variable_table ();

} // namespace memprof::plugin

#endif
