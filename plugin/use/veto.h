/* veto.h - what the user does not want to be transformed.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_VETO_H
#define MEMPROF_VETO_H

#include "consumers/decide/code_facts.h"

namespace memprof::plugin {

/* Reads the files of -fprofile-mem-veto and MPRT_VETO; an error says why one
   cannot be read: without it, code would be transformed that must not be.  */
void read_vetoes ();

/* Whether -fprofile-mem-use-no names TRANSFORMATION.  */
bool switched_off_p (decide::Transformation transformation);

/* The entry that forbids TRANSFORMATION for STMT of the current function, as
   "FILE:LINE"; null when there is none.  */
const char *vetoed_by (gimple *stmt, decide::Transformation transformation);

/* The same for the definition of a type or variable that is NAMEd at WHERE.  */
const char *definition_vetoed_by (const char *name, location_t where,
				  decide::Transformation transformation);

} // namespace memprof::plugin

#endif
