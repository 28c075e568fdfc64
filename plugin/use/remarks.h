/* remarks.h - tells the user what was done with the profile, and what not.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_REMARKS_H
#define MEMPROF_REMARKS_H

#include "plugin/use/bridge.h"

namespace memprof::plugin {

/* ADVICE of the transformation KIND on the access of EXPRESSION by STMT: a remark
   for -fopt-info, and a line for the file of -fprofile-mem-remarks.  */
void emit_remark (gimple *stmt, const char *expression, const char *kind,
		  const advice_view &advice);

/* The same about a type, which is NAMEd at WHERE; in a pass, for -fopt-info.  */
void emit_type_remark (location_t where, const char *name, const char *kind,
		       const advice_view &advice);

} // namespace memprof::plugin

#endif
