/* alloc_sites.h - which calls allocate.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_ALLOC_SITES_H
#define MEMPROF_ALLOC_SITES_H

namespace memprof::plugin {

/* Appends the allocating calls of FUN to CALLS; also those of what WRAPPER says is one, which a
   profile knows and this compile need not.  */
void find_alloc_calls (function *fun, auto_vec<gcall *> &calls,
		       bool (*wrapper) (const char *name) = nullptr);

/* The argument of allocating CALL that says how many bytes it carves out of a block of its own:
   null unless -fprofile-mem-alloc-fn names what it calls.  */
tree carved_bytes (gcall *call);

/* The name of the function DECL that allocates: "malloc", or "operator new" instead of its
   assembler name.  */
const char *allocator_name (tree decl);

} // namespace memprof::plugin

#endif
