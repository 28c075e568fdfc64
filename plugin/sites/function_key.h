/* function_key.h - what a function is called in a profile.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_FUNCTION_KEY_H
#define MEMPROF_FUNCTION_KEY_H

#include "plugin/sites/access_sites.h"
#include "plugin/sites/function_names.h"

namespace memprof::plugin {

struct function_key
{
  const char *file;		/* source of its translation unit, as given */
  const char *linkage_name;	/* function_name_in_profile */
  unsigned checksum;

  function_key (function *fun, const auto_vec<access_site> &sites);
  function_key (const function_key &) = delete;
  function_key &operator= (const function_key &) = delete;
};

/* Whether both halves of the plugin leave FUN alone.  */
bool function_left_alone_p (function *fun);

/* Hash of the CFG and the sites of FUN.  */
unsigned function_checksum (function *fun,
			    const auto_vec<access_site> &sites);

/* -fplugin-arg-memprof-dump-keys: appends "linkage_name checksum sites".  */
void dump_function_key (const function_key &key, unsigned sites);

} // namespace memprof::plugin

#endif
