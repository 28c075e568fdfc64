/* profile_dependency.cc - tells make which profiles an object depends on.
   SPDX-License-Identifier: GPL-3.0-or-later

   An object of -fprofile-mem-use changes with the profile, so the dependencies that the
   preprocessor of C and C++ writes for -MD and -MMD name its files, as they name headers:

     a.o: a.c /usr/include/stdio.h prof/a.memprof.json

   GCC does not do so for .gcda files.  The other front ends have no preprocessor's list;
   there the symbols below do not exist, which is why they are weak.  -M and -MM alone do not
   load the plugin (memprof.specs.in), and a file that does not exist is not listed.  */

#include "plugin/gcc-common.h"
#include "plugin/use/match/profile_dependency.h"

extern class cpp_reader *parse_in __attribute__ ((weak));
/* Of mkdeps.h, which is not installed.  */
extern void deps_add_dep (class mkdeps *, const char *) __attribute__ ((weak));

namespace memprof::plugin {

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

} // namespace memprof::plugin
