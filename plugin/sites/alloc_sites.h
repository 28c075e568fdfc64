/* alloc_sites.h - which calls allocate.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_ALLOC_SITES_H
#define MEMPROF_ALLOC_SITES_H

namespace memprof::plugin {

/* Appends the allocating calls of FUN to CALLS.  */
void find_alloc_calls (function *fun, auto_vec<gcall *> &calls);

/* The argument of allocating CALL that says how many bytes it carves out of a block of its own:
   null unless -fprofile-mem-alloc-fn names what it calls.  */
tree carved_bytes (gcall *call);

/* What allocating CALL calls: "malloc", or "operator new" instead of its assembler
   name.  */
const char *allocator_name (gcall *call);

} // namespace memprof::plugin

#endif
