/* code_options.cc - the options of this compile that change code.
   SPDX-License-Identifier: GPL-3.0-or-later

   Only what can change the code at our place in the pass list: -O, -m, -std
   and most of -f, in the order given.  Not warnings, paths, macros, debug
   information, diagnostics, dumps, nor our own options.

   With -flto, code is compiled at link time, by a compiler that gets the options of
   all units together and some of the driver's own.  These options are not those of
   any unit, so their text begins with "-flto", and compare_options in match/unit_profile.cc
   does not compare them.  */

#include "plugin/gcc-common.h"
#include "plugin/tables/code_options.h"

namespace memprof::plugin {

namespace {

bool
changes_code_p (const char *option)
{
  if (*option++ != '-')
    return false;
  if (*option == 'O' || *option == 'm' || strncmp (option, "std=", 4) == 0)
    return true;
  if (*option != 'f')
    return false;
  static const char *const neutral[]
    = { "fplugin",	  "fdump",	 "fdiagnostics", "fno-diagnostics",
	"fmessage-length", "fcolor",	 "fverbose-asm", "fopt-info",
	"ffile-prefix-map", "fdebug",	 "fmacro-prefix-map",
	"fchecking",	   "fpreprocessed", "frandom-seed", "fltrans",
	"fresolution",	   "flto",	 "fwpa", "ftrack-macro-expansion",
	"fsave-optimization-record", "fworking-directory",
	"fno-working-directory", "ftime-report", "fmem-report", "fmax-errors",
	"fsyntax-only", "ffat-lto-objects", "fno-fat-lto-objects",
	"fstack-usage", "fvar-tracking", "fno-var-tracking",
	"feliminate-unused-debug", "fno-eliminate-unused-debug",
	"foffload-options" }; // g++ adds them where it links as well
  for (const char *name : neutral)
    if (strncmp (option, name, strlen (name)) == 0)
      return false;
  return true;
}

/* Whether the LENGTH bytes at OPTION are about GCC's own profile.  A program is built with other
   ones of these each time, as it has to be.  */

bool
feedback_option_p (const char *option, size_t length)
{
  static const char *const names[]
    = { "-fprofile-generate", "-fprofile-use", "-fprofile-update",
	"-fprofile-arcs", "-fprofile-correction", "-fauto-profile" };
  for (const char *name : names)
    if (strlen (name) <= length && startswith (option, name))
      return true;
  return false;
}

} // anonymous namespace

char *
code_options_text ()
{
  char *text = xstrdup (in_lto_p ? k_link_time_options : "");
  for (unsigned i = 1; i < save_decoded_options_count; i++)
    {
      const char *option = save_decoded_options[i].orig_option_with_args_text;
      if (!option || !changes_code_p (option))
	continue;
      char *longer = concat (text, *text ? " " : "", option, NULL);
      free (text);
      text = longer;
    }
  return text;
}

unsigned
code_options_hash (const char *text)
{
  return iterative_hash (text, strlen (text), 0);
}

char *
options_only_in (const char *a, const char *b)
{
  char *text = xstrdup ("");
  while (*a)
    {
      size_t length = strcspn (a, " ");
      bool found = feedback_option_p (a, length);
      for (const char *at = b; *at && !found;)
	{
	  size_t other = strcspn (at, " ");
	  found = length == other && memcmp (a, at, length) == 0;
	  at += other + (at[other] == ' ');
	}
      if (!found)
	{
	  char *option = xstrndup (a, length);
	  char *longer = concat (text, *text ? " " : "", option, NULL);
	  free (option);
	  free (text);
	  text = longer;
	}
      a += length + (a[length] == ' ');
    }
  return text;
}

} // namespace memprof::plugin
