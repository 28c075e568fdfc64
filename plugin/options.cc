/* options.cc - reads -fplugin-arg-memprof-*.
   SPDX-License-Identifier: GPL-3.0-or-later

   The specs file maps -fprofile-mem-X[=Y] to -fplugin-arg-memprof-X[=Y], and
   gives every option twice when -specs is given twice: so repeating an option
   is legal and the last one counts.  Exactly one of generate and use must be
   present, except that all other options alone are an error too.  */

#include "plugin/gcc-common.h"
#include "options.h"

#include <fnmatch.h>

namespace memprof::plugin {

plugin_options options;

namespace {

enum value_kind { NO_VALUE, NEEDS_VALUE };

struct option_row
{
  const char *name;
  value_kind kind;
  const char *plugin_options::*text;
  bool plugin_options::*flag;
};

const option_row rows[] = {
  { "generate", NO_VALUE, nullptr, &plugin_options::generate },
  { "use", NO_VALUE, nullptr, &plugin_options::use },
  { "eager", NO_VALUE, nullptr, &plugin_options::eager },
  { "move-fields", NO_VALUE, nullptr, &plugin_options::move_fields },
  { "tune", NO_VALUE, nullptr, &plugin_options::tune },
  { "dir", NEEDS_VALUE, &plugin_options::dir, nullptr },
  { "profile", NEEDS_VALUE, &plugin_options::profile, nullptr },
  { "modules", NEEDS_VALUE, &plugin_options::modules, nullptr },
  { "include", NEEDS_VALUE, &plugin_options::include, nullptr },
  { "exclude", NEEDS_VALUE, &plugin_options::exclude, nullptr },
  { "loops", NEEDS_VALUE, &plugin_options::loops, nullptr },
  { "alloc-fn", NEEDS_VALUE, &plugin_options::alloc_fn, nullptr },
  { "use-no", NEEDS_VALUE, &plugin_options::use_no, nullptr },
  { "caches", NEEDS_VALUE, &plugin_options::caches, nullptr },
  { "veto", NEEDS_VALUE, &plugin_options::veto, nullptr },
  { "remarks", NEEDS_VALUE, &plugin_options::remarks, nullptr },
  { "backend", NEEDS_VALUE, &plugin_options::backend, nullptr },
  { "dump-keys", NEEDS_VALUE, &plugin_options::dump_keys, nullptr },
  { "ignore-obstacle", NEEDS_VALUE, &plugin_options::ignored_obstacle,
    nullptr }
};

struct choice
{
  const char *name;
  uint64_t value;
};

const choice coalesce_choices[] = { { "access", COALESCE_ACCESS },
				    { "block", COALESCE_BLOCK },
				    { "range", COALESCE_RANGE },
				    { "nest", COALESCE_NEST },
				    { nullptr, 0 } };

const choice fault_choices[] = {
#define FAULT(name, what, test)                                                \
  { #name, HOST_WIDE_INT_1U << static_cast<unsigned> (fault::name) },
#include "faults.def"
  { nullptr, 0 }
};

const choice mode_choices[] = { { "full", MODE_FULL },
				{ "sample", MODE_SAMPLE },
				{ "objects", MODE_OBJECTS },
				{ nullptr, 0 } };

/* The page size: smaller objects do not matter for where memory lies.  */
const unsigned k_object_bytes = 4096;

/* Looks VALUE up in CHOICES; an error names what is possible.  */

bool
parse_choice (const char *option, const char *value, const choice *choices,
	      uint64_t *result)
{
  for (const choice *c = choices; c->name; c++)
    if (value && strcmp (value, c->name) == 0)
      {
	*result = c->value;
	return true;
      }
  char known[800] = "";
  for (const choice *c = choices; c->name; c++)
    {
      strcat (known, c == choices ? "" : ", ");
      strcat (known, c->name);
    }
  error ("memprof: %<-fprofile-mem-%s=%s%>: unknown value; known: %s", option,
	 value ? value : "", known);
  return false;
}

/* VALUE as a number from 1 to 2^31, with K, M or G after it.  */

bool
parse_size (const char *option, const char *value, unsigned *result)
{
  char *end = nullptr;
  unsigned HOST_WIDE_INT n
    = value && ISDIGIT (*value) ? strtoul (value, &end, 10) : 0;
  unsigned shift = 0;
  if (end && *end)
    switch (*end++)
      {
      case 'K': shift = 10; break;
      case 'M': shift = 20; break;
      case 'G': shift = 30; break;
      default: n = 0;
      }
  const unsigned HOST_WIDE_INT most = HOST_WIDE_INT_1U << 31;
  if (n == 0 || *end || n > most >> shift)
    {
      error ("memprof: %<-fprofile-mem-%s=%s%>: not a size from 1 to 2G",
	     option, value ? value : "");
      return false;
    }
  *result = n << shift;
  return true;
}

bool
parse_one (const char *key, const char *value)
{
  uint64_t chosen = 0;
  if (strcmp (key, "coalesce") == 0)
    {
      if (!parse_choice (key, value, coalesce_choices, &chosen))
	return false;
      options.coalesce = static_cast<coalescing> (chosen);
      return true;
    }
  if (strcmp (key, "fault") == 0)
    {
      if (!parse_choice (key, value, fault_choices, &chosen))
	return false;
      options.faults |= chosen;
      return true;
    }
  if (strcmp (key, "mode") == 0)
    {
      if (!parse_choice (key, value, mode_choices, &chosen))
	return false;
      options.mode = static_cast<profile_mode> (chosen);
      return true;
    }
  if (strcmp (key, "object-size") == 0)
    return parse_size (key, value, &options.object_bytes);
  if (strcmp (key, "scale") == 0)
    return parse_size (key, value, &options.scale);
  for (const option_row &row : rows)
    if (strcmp (key, row.name) == 0)
      {
	if ((row.kind == NEEDS_VALUE) != (value != nullptr && *value))
	  {
	    error ("memprof: %<-fprofile-mem-%s%> %s", key,
		   row.kind == NEEDS_VALUE ? "needs a value: add =VALUE"
					   : "does not take a value");
	    return false;
	  }
	if (row.text)
	  options.*row.text = value;
	else
	  options.*row.flag = true;
	return true;
      }
  error ("memprof: unknown option %<-fplugin-arg-memprof-%s%>", key);
  return false;
}

bool
given_p (const plugin_name_args *info, const char *key)
{
  for (int i = 0; i < info->argc; i++)
    if (strcmp (info->argv[i].key, key) == 0)
      return true;
  return false;
}

/* The value of argument number NUMBER of INFO.  GCC cuts off as many characters of it as it has
   signs `=': of `L2=1M,LLC=32M' the `2M'.  The options of the command line are whole.  */

const char *
whole_value (const plugin_name_args *info, int number)
{
  const char *key = info->argv[number].key;
  int before = 0;
  for (int i = 0; i < number; i++)
    before += strcmp (info->argv[i].key, key) == 0;
  char *begin = concat (info->base_name, "-", key, "=", NULL);
  const char *value = info->argv[number].value;
  for (unsigned i = 0; i < save_decoded_options_count; i++)
    if (save_decoded_options[i].opt_index == OPT_fplugin_arg_
	&& startswith (save_decoded_options[i].arg, begin) && before-- == 0)
      value = save_decoded_options[i].arg + strlen (begin);
  free (begin);
  return value;
}

/* The mode where none was given: bursts, unless a module needs every access.  */

profile_mode
default_mode ()
{
  if (!mprt_needs_every_access (options.modules))
    return MODE_SAMPLE;
  if (options.generate)
    inform (UNKNOWN_LOCATION,
	    "memprof: %<-fprofile-mem-modules=%s%> needs every access, so this is "
	    "%<-fprofile-mem-mode=full%>", options.modules);
  return MODE_FULL;
}

/* What `memprof verify' says to the compiles of a build that it must not change:
   further transformations that are switched off, another remarks file, and prefetches on trial.  */

void
read_environment ()
{
  const char *use_no = getenv ("MPRT_USE_NO");
  const char *remarks = getenv ("MPRT_REMARKS");
  const char *trials = getenv ("MPRT_TRIALS");
  if (use_no && *use_no)
    options.use_no
      = *options.use_no ? xasprintf ("%s,%s", options.use_no, use_no) : use_no;
  if (remarks && *remarks)
    options.remarks = remarks;
  if (trials && *trials)
    options.tune = true;
}

} // anonymous namespace

bool
parse_options (const plugin_name_args *info)
{
  options = {};
  options.dir = "";
  options.profile = ".";
  options.modules = "";
  options.use_no = "";
  options.coalesce = COALESCE_NEST;
  options.object_bytes = k_object_bytes;
  options.scale = 1;
  for (int i = 0; i < info->argc; i++)
    if (!parse_one (info->argv[i].key, whole_value (info, i)))
      return false;
  if (!given_p (info, "mode"))
    options.mode = default_mode ();
  options.events = options.mode == MODE_OBJECTS
		     ? 0
		     : mprt_events_of_modules (options.modules);
  /* Bursts begin and end at iterations of loops, whichever module runs.  */
  if (options.mode == MODE_SAMPLE)
    options.events |= MPRT_LOOPS;
  if (options.use)
    read_environment ();
  if (options.generate && options.use)
    {
      error ("memprof: %<-fprofile-mem-generate%> and %<-fprofile-mem-use%> "
	     "cannot be given together");
      return false;
    }
  if (info->argc > 0 && !options.generate && !options.use)
    {
      error ("memprof: %<-fprofile-mem-%s%> has no effect without "
	     "%<-fprofile-mem-generate%> or %<-fprofile-mem-use%>",
	     info->argv[0].key);
      return false;
    }
  return true;
}

bool
matches_glob_list (const char *name, const char *list)
{
  while (*list)
    {
      size_t length = strcspn (list, ",");
      char *glob = xstrndup (list, length);
      bool matches = fnmatch (glob, name, 0) == 0;
      free (glob);
      if (matches)
	return true;
      list += length + (list[length] == ',');
    }
  return false;
}

} // namespace memprof::plugin
