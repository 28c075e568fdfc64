/* accessed_subrange.h - what a loop accesses of the bytes that an address steps over.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_ACCESSED_SUBRANGE_H
#define MEMPROF_ACCESSED_SUBRANGE_H

#include "plugin/gcc-common.h"

namespace memprof::plugin {

/* The address of REF; *EXPANSIONS as in tree-affine.h.  */
aff_tree byte_address (tree ref, hash_map<tree, name_expansion *> **expansions);

/* Whether the distance of TO from FROM is a constant, *BYTES.  */
bool constant_distance_p (const aff_tree &from, const aff_tree &to, widest_int *bytes);

/* The first and the last byte, from an address on.  */
struct step_part
{
  HOST_WIDE_INT first, last;
};

/* LOOP accesses ADDRESS, which advances by STEP.  Whether all that LOOP accesses of each step is one
   part of it, at most half as long.  Sets *PART.  */
bool accessed_part (class loop *loop, const aff_tree &address, HOST_WIDE_INT step,
		    hash_map<tree, name_expansion *> **expansions,
		    step_part *part);

} // namespace memprof::plugin

#endif
