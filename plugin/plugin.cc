/* plugin.cc - plugin_init: checks the compiler, reads the options, registers.
   SPDX-License-Identifier: GPL-3.0-or-later

   Order of the passes after tsan (the last one registered at a position runs
   first): late summaries, then memprof_gen or memprof_use.  Both compiles run
   the same passes up to that point, so they see the same code there.  */

#include "plugin/gcc-common.h"
#include "plugin/compiler_check.h"
#include "plugin/sites/addressable.h"
#include "plugin/generate/gen_pass.h"
#include "plugin/sites/late_passes.h"
#include "options.h"
#include "plugin/use/use_pass.h"

// The only symbols that GCC looks up; all others are hidden (local.mk).
#define EXPORTED __attribute__ ((visibility ("default")))

EXPORTED int plugin_is_GPL_compatible;

using namespace memprof::plugin;

/* What the library's containers call when there is no memory: an exception would
   meet code that cannot pass it on.  */

static void
out_of_memory ()
{
  std::set_new_handler (nullptr);
  fatal_error (UNKNOWN_LOCATION, "memprof: out of memory");
}

EXPORTED int
plugin_init (plugin_name_args *info, plugin_gcc_version *version)
{
  if (!compiler_fits_p (version))
    return 1;
  std::set_new_handler (out_of_memory);
  // With the error counted the compile fails; failing here as well would add
  // a second message.
  if (!parse_options (info) || !libc_fits_p ())
    return 0;
  if (options.generate)
    register_gen_pass (info->base_name);
  if (options.use)
    register_use_pass (info->base_name);
  if (options.generate || options.use)
    {
      register_addressable (info->base_name);
      register_late_passes (info->base_name);
    }
  return 0;
}
