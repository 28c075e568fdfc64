/* accessed_subrange.h - what a loop accesses of the bytes that an address steps over.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_ACCESSED_SUBRANGE_H
#define MEMPROF_ACCESSED_SUBRANGE_H

#include "plugin/gcc-common.h"

namespace memprof::plugin {

/* The address of REF; *EXPANSIONS as in tree-affine.h.  */
aff_tree byte_address (tree ref, hash_map<tree, name_expansion *> **expansions);

/* The first and the last byte, from an address on.  */
struct step_part
{
  HOST_WIDE_INT first, last;
};

/* Whether all that LOOP accesses of each STEP of ADDRESS, which it accesses, is one part
   of it, at most half as long.  Sets that part.  */
bool accessed_part (class loop *loop, const aff_tree &address, HOST_WIDE_INT step,
		    hash_map<tree, name_expansion *> **expansions,
		    step_part *part);

} // namespace memprof::plugin

#endif
