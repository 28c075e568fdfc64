/* remarks.cc - tells the user what was done with the profile, and what not.
   SPDX-License-Identifier: GPL-3.0-or-later

   The remarks file has one JSON object per line (JSON Lines): compiles of one
   build run in parallel and append to the same file, each line in one write.

     {"file":"bfs.c","line":151,"column":12,"function":"search",
      "kind":"prefetch","taken":true,"reason":"taken","distance":16,
      "stride":0,"expression":"v->level","text":"indirect prefetch ..."}  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/use/remarks.h"

namespace memprof::plugin {

namespace {

/* One JSON object, member by member.  */
class json_line
{
public:
  void
  text (const char *key, const char *value)
  {
    name (key);
    quoted (value);
  }
  void
  number (const char *key, HOST_WIDE_INT value)
  {
    name (key);
    pp_wide_integer (&out_, value);
  }
  void
  flag (const char *key, bool value)
  {
    name (key);
    pp_string (&out_, value ? "true" : "false");
  }
  const char *
  finish ()
  {
    pp_string (&out_, "}\n");
    return pp_formatted_text (&out_);
  }

private:
  void
  name (const char *key)
  {
    pp_character (&out_, first_ ? '{' : ',');
    first_ = false;
    quoted (key);
    pp_character (&out_, ':');
  }
  void
  quoted (const char *text)
  {
    pp_character (&out_, '"');
    for (; *text; text++)
      if (*text == '"' || *text == '\\')
	{
	  pp_character (&out_, '\\');
	  pp_character (&out_, *text);
	}
      else
	// No tool needs the control characters that a file name may have.
	pp_character (&out_, ISCNTRL (*text) ? '?' : *text);
    pp_character (&out_, '"');
  }

  pretty_printer out_;
  bool first_ = true;
};

/* Appends one line to the remarks file.  */

void
append_line (const char *line)
{
  int file = open (options.remarks, O_WRONLY | O_APPEND | O_CREAT, 0666);
  size_t length = strlen (line);
  if (file < 0 || write (file, line, length) != ssize_t (length))
    {
      error ("memprof: cannot append to %qs: %m", options.remarks);
      options.remarks = nullptr;
    }
  if (file >= 0)
    close (file);
}

void
write_json (location_t place, const char *function, const char *expression,
	    const char *kind, const advice_view &advice)
{
  expanded_location where = expand_location (place);
  json_line line;
  line.text ("file", where.file ? where.file : "");
  line.number ("line", where.line);
  line.number ("column", where.column);
  line.text ("function", function);
  line.text ("kind", kind);
  line.flag ("taken", advice.take);
  line.text ("reason", advice.reason);
  line.number ("distance", advice.distance);
  line.number ("stride", advice.stride);
  line.text ("expression", expression);
  line.text ("text", advice.text);
  append_line (line.finish ());
}

} // anonymous namespace

void
emit_remark (gimple *stmt, const char *expression, const char *kind,
	     const advice_view &advice)
{
  if (dump_enabled_p ())
    dump_printf_loc (advice.take ? MSG_OPTIMIZED_LOCATIONS
				 : MSG_MISSED_OPTIMIZATION,
		     dump_user_location_t (stmt), "memprof: %s: %s\n",
		     expression, advice.text);
  if (options.remarks)
    write_json (gimple_location (stmt), current_function_name (), expression,
		kind, advice);
}

void
emit_type_remark (location_t where, const char *name, const char *kind,
		  const advice_view &advice)
{
  if (dump_enabled_p ())
    dump_printf_loc (advice.take ? MSG_OPTIMIZED_LOCATIONS
				 : MSG_MISSED_OPTIMIZATION,
		     dump_user_location_t::from_location_t (where),
		     "memprof: %s: %s\n", name, advice.text);
  if (options.remarks)
    write_json (where, name, name, kind, advice);
}

} // namespace memprof::plugin
