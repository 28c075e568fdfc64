/* remarks.cc - what was done with the profile, and what not, in words for the user.
   SPDX-License-Identifier: GPL-3.0-or-later

   Remarks go to -fopt-info, to the file of -fprofile-mem-remarks, and into the object.

   The text of a remark, and the line of the remarks file, come from the decision
   (consumers/decide/remark.cc).  Compiles of one build run in parallel and append to
   the same file, each line in one write.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/sites/source_place.h"
#include "plugin/use/remarks.h"
#include "plugin/use/veto.h"

namespace memprof::plugin {

namespace {

/* Appends one line to the remarks file.  */

void
append_line (const char *line)
{
  int file = open (options.remarks, O_WRONLY | O_APPEND | O_CREAT, 0666);
  size_t length = strlen (line);
  if (file < 0 || write (file, line, length) != ssize_t (length))
    {
      error_at (UNKNOWN_LOCATION, "memprof: cannot append to %qs: %m", options.remarks);
      options.remarks = nullptr;
    }
  if (file >= 0)
    close (file);
}

/* The lines for the object.  */

auto_vec<char> kept;

void
keep (const char *line)
{
  if (strstr (line, "\"reason\":\"few-executions\""))
    return;
  for (; *line; line++)
    kept.safe_push (*line);
}

decide::Candidate
candidate_of (location_t place, const char *function, const char *expression,
	      decide::Transformation transformation)
{
  expanded_location where = expand_location (place);
  decide::Candidate candidate;
  candidate.transformation = transformation;
  candidate.file = where.file ? where.file : "";
  candidate.line = where.line;
  candidate.column = where.column;
  candidate.function = function;
  candidate.expression = expression;
  return candidate;
}

} // anonymous namespace

decide::Candidate
candidate_at (location_t where, const char *expression,
	      decide::Transformation transformation)
{
  return candidate_of (where, current_function_name (), expression,
		       transformation);
}

decide::Candidate
candidate_at (gimple *stmt, const char *expression,
	      decide::Transformation transformation)
{
  decide::Candidate candidate
    = candidate_at (source_place (stmt), expression, transformation);
  candidate.veto = vetoed_by (stmt, transformation);
  return candidate;
}

decide::Candidate
definition_candidate (location_t where, const char *name,
		      decide::Transformation transformation)
{
  decide::Candidate candidate
    = candidate_of (where, name, name, transformation);
  candidate.veto = definition_vetoed_by (name, where, transformation);
  return candidate;
}

void
emit_remark (dump_user_location_t where, const decision_view &decision)
{
  if (dump_enabled_p ())
    dump_printf_loc (decision.take ? MSG_OPTIMIZED_LOCATIONS
				   : MSG_MISSED_OPTIMIZATION,
		     where, "memprof: %s: %s\n", decision.expression,
		     decision.text);
  keep (decision.remark);
  if (options.remarks)
    append_line (decision.remark);
}

void
write_remarks_section ()
{
  if (kept.is_empty () || !asm_out_file || flag_syntax_only || seen_error ())
    return;
  switch_to_section (get_section (".memprof.remarks", SECTION_DEBUG, NULL));
  ASM_OUTPUT_ASCII (asm_out_file, kept.address (), kept.length ());
}

void
emit_match_remark (const char *line)
{
  if (line && options.remarks)
    append_line (line);
}

void
emit_remark (gimple *stmt, const decision_view &decision)
{
  emit_remark (has_line_p (gimple_location (stmt))
		 ? dump_user_location_t (stmt)
		 : dump_user_location_t::from_location_t (source_place (stmt)),
	       decision);
}

} // namespace memprof::plugin
