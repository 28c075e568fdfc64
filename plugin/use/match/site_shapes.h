/* site_shapes.h - sites of this compile in the words of a profile.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_SITE_SHAPES_H
#define MEMPROF_SITE_SHAPES_H

#include "plugin/sites/function_key.h"
#include "plugin/use/bridge.h"

namespace memprof::plugin {

/* Finds the SITES of a function of KEY, for which profile_find gave WAS, in what FROM knows
   of the function before it changed.  */
function_match salvage_sites (profile *from, function_match was,
			      const function_key &key,
			      const auto_vec<access_site> &sites);

} // namespace memprof::plugin

#endif
