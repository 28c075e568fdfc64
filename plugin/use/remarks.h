/* remarks.h - what was done with the profile, and what not, in words for the user.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_REMARKS_H
#define MEMPROF_REMARKS_H

#include "plugin/use/bridge.h"

namespace memprof::plugin {

/* A candidate for TRANSFORMATION in the current function: the access or call by
   STMT, which the source writes as EXPRESSION.  Looks up the user's veto.  */
decide::Candidate candidate_at (gimple *stmt, const char *expression,
				decide::Transformation transformation);

/* The same for what stands nowhere in the code any more, or is no single statement.  */
decide::Candidate candidate_at (location_t where, const char *expression,
				decide::Transformation transformation);

/* The same for the definition of NAME, a type or a variable.  */
decide::Candidate definition_candidate (location_t where, const char *name,
					decide::Transformation transformation);

/* What was decided about the code at WHERE: a remark for -fopt-info, and a line for
   the file of -fprofile-mem-remarks.  In a pass, for -fopt-info.  */
void emit_remark (dump_user_location_t where, const decision_view &decision);
void emit_remark (gimple *stmt, const decision_view &decision);

/* Writes the decisions of the unit, but for those about code that was hardly executed, into the section
   .memprof.remarks of the object, which no program loads and the linker joins: `memprof advise' says
   what a build has done.  */
void write_remarks_section ();

/* LINE, if it is not null, for the file of -fprofile-mem-remarks.  */
void emit_match_remark (const char *line);

} // namespace memprof::plugin

#endif
