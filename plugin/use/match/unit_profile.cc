/* unit_profile.cc - the profile that this compile uses: opened once, closed at the end of the unit.
   SPDX-License-Identifier: GPL-3.0-or-later

   What is said about a profile, and when:

     no file          nothing, or -Wmissing-profile if the option is given
     other version    one note
     no profile       an error that names file and place: the build should stop
     other options    one note per translation unit that names them
     other compiler   one note; nothing matches

   No warning but that one: a -Werror build must not break because a source file was edited.
   Whatever is wrong, functions are compiled as they are without a profile.

   An object of -fprofile-mem-use changes with the profile, so the dependencies that the
   preprocessor of C and C++ writes for -MD and -MMD name its files, as they name headers:

     a.o: a.c /usr/include/stdio.h prof/a.memprof.json

   GCC does not do so for .gcda files.  The other front ends have no preprocessor's list;
   there the symbols below do not exist, which is why they are weak.  -M and -MM alone do not
   load the plugin (memprof.specs.in), and a file that does not exist is not listed.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/tables/code_options.h"
#include "plugin/use/match/unit_profile.h"
#include "plugin/use/veto.h"

extern class cpp_reader *parse_in __attribute__ ((weak));
/* Of mkdeps.h, which is not installed.  */
extern void deps_add_dep (class mkdeps *, const char *) __attribute__ ((weak));

namespace memprof::plugin {

namespace {

profile *the_profile;
bool opened;
/* The source that the profile was opened for.  */
char *the_source;

void
open_profile (const char *source)
{
  opened = true;
  the_source = xstrdup (source);
  // The user's or -march=native's figure, in KB; GCC's default is no evidence.
  const deployment where = { options.caches,
			     OPTION_SET_P (param_l2_cache_size)
			       ? uint64_t (param_l2_cache_size) * 1024
			       : 0,
			     options.scale };
  if (where.caches && !known_caches_p (where.caches))
    error_at (UNKNOWN_LOCATION, "memprof: %<-fprofile-mem-caches=%s%>: not of the form "
	   "%<L2=1M,LLC=32M,TLB=1536%>", where.caches);
  profile_status status;
  const char *message;
  profile_request request;
  // A link-time compile has functions of many.
  request.source = in_lto_p ? nullptr : source;
  request.eager = options.eager;
  request.move_fields = options.move_fields;
  request.huge_pages = !switched_off_p (decide::Transformation::huge_pages);
  request.shared_arenas = !switched_off_p (decide::Transformation::co_allocation);
  request.in_library = flag_shlib;
  request.gcc_major = k_gcc_major;
  the_profile = profile_open (options.profile, where, request, &status, &message);
  if (options.ignored_obstacle)
    profile_ignore_obstacle (the_profile, options.ignored_obstacle);
  switch (status)
    {
    case PROFILE_OK:
      break;
    case PROFILE_MISSING:
      // The warning is on by default for -fprofile-use; ours is not.
      if (OPTION_SET_P (warn_missing_profile))
	warning_at (UNKNOWN_LOCATION, OPT_Wmissing_profile, "memprof: %s",
		    message);
      break;
    case PROFILE_VERSION:
      inform (UNKNOWN_LOCATION, "memprof: %s", message);
      break;
    case PROFILE_CORRUPT:
      error_at (UNKNOWN_LOCATION, "memprof: %s", message);
      break;
    }
}

/* The note about options that change code and differ from the options of the profile.  The
   options of link time are the options of all units together, so they are not compared with the
   options of a unit, neither in the profile nor in this compile.  */

void
compare_options ()
{
  char *now = code_options_text ();
  const char *then = profile_options (the_profile, the_source, now);
  if (then && !startswith (then, k_link_time_options) && !in_lto_p)
    {
      char *gone = options_only_in (then, now);
      char *added = options_only_in (now, then);
      if (*gone && *added)
	inform (UNKNOWN_LOCATION,
		"memprof: %qs was profiled with %qs instead of %qs; functions "
		"that this changes use what is found of them again",
		the_source, gone, added);
      else if (*gone || *added)
	inform (UNKNOWN_LOCATION,
		"memprof: %qs was profiled %s %qs; functions that this changes "
		"use what is found of them again",
		the_source, *gone ? "with" : "without", *gone ? gone : added);
      free (gone);
      free (added);
    }
  free (now);
}

/* Adds the files of FROM to those that -MD lists.  */

void
add_profile_dependencies (profile *from)
{
  if (!&parse_in || !parse_in || !deps_add_dep
      || cpp_get_options (parse_in)->deps.style == DEPS_NONE)
    return;
  const char *file;
  for (unsigned i = 0; (file = profile_file (from, i)); i++)
    deps_add_dep (cpp_get_deps (parse_in), file);
}

} // anonymous namespace

profile *
opened_profile (const char *source)
{
  if (!opened)
    open_profile (source);
  return the_profile;
}

void
close_profile ()
{
  if (the_profile)
    {
      compare_options ();
      add_profile_dependencies (the_profile);
      profile_close (the_profile);
    }
  the_profile = nullptr;
}

} // namespace memprof::plugin
