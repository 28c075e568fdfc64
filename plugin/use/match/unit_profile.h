/* unit_profile.h - the profile that this compile uses: opened once, closed at the end of the unit.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_UNIT_PROFILE_H
#define MEMPROF_UNIT_PROFILE_H

#include "plugin/use/bridge.h"

namespace memprof::plugin {

/* The profile of this compile.  The first call opens it, with the rows of SOURCE, and says what
   is wrong with it.  */
profile *opened_profile (const char *source);

/* At the end of the unit, if the profile is open: says which options differ, names the files
   of the profile as dependencies, and closes it.  */
void close_profile ();

} // namespace memprof::plugin

#endif
