/* memory_functions.h - what library functions do to memory.
   SPDX-License-Identifier: GPL-3.0-or-later

   Rows of memory_functions.def for the call at hand.  A built-in function has
   one row per load or store that counts as an access; a library function that
   GCC does not know (read, getline) has rows with MPRT_OP_EXTERNAL_STORE: its
   result is in memory, but no instrumented access stored it.  */

#ifndef MEMPROF_MEMORY_FUNCTIONS_H
#define MEMPROF_MEMORY_FUNCTIONS_H

#include "plugin/sites/memory_row.h"

namespace memprof::plugin {

/* The first row for CALL, or null; the next one of the same function.  */
const memory_function *first_memory_function (gcall *call);
const memory_function *next_memory_function (const memory_function *row);

/* The pointer argument that ROW's address rule names; null for the result.  */
tree memory_function_address (gcall *call, const memory_function *row);

/* The length when it is an argument or a constant, otherwise null.  */
tree memory_function_length (gcall *call, const memory_function *row);

/* What an atomic built-in does to the memory its first argument points to.  */
struct atomic_access
{
  HOST_WIDE_INT width;
  bool loads, stores;
  bool if_exchanged;		/* the store depends on the comparison */
  /* Argument 1 points to what it is compared with, which is loaded before, and
     stored to if they differ.  */
  bool expected;
};

bool atomic_access_p (gcall *call, atomic_access *access);

/* Whether CALL, an atomic access or a fence, orders this thread's accesses
   with those of others: before it, after it.  */
struct atomic_order
{
  bool release, acquire;
};

atomic_order atomic_order_of (gcall *call);

/* The guard if STMT looks whether another thread has made a local static; or null.
   It is no such access, but what follows may be ordered by it (thread_order.h).  */
tree guard_looked_at (gimple *stmt);

} // namespace memprof::plugin

#endif
