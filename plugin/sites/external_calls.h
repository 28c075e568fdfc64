/* external_calls.h - calls of functions whose code is not seen, which may write memory.
   SPDX-License-Identifier: GPL-3.0-or-later

   What a library writes, no instrumented access stores; memory_functions.def knows the results
   of many.  Of all other functions that another unit or a library defines, and that are neither
   pure nor const, the profile says how often they are called, and that objects that they
   were passed may have been written:

       fill (&row);		 row may have been written: its writers are uncertain
       print (const struct row *);  that was promised to be left alone
       x = row.sum;

   Whether the function is instrumented in another unit is known to the backend only.  What a
   function reaches through pointers in memory, and calls through pointers, are not seen.  */

#ifndef MEMPROF_EXTERNAL_CALLS_H
#define MEMPROF_EXTERNAL_CALLS_H

namespace memprof::plugin {

/* Whether CALL is such a call.  */
bool external_call_p (gcall *call);

/* What argument NUMBER of CALL may let the callee write: its address and, if GCC knows it,
   the bytes there, else 0.  The address is null if it is nothing.  */
struct writable_memory
{
  tree address;
  HOST_WIDE_INT bytes;
};

writable_memory writable_argument (gcall *call, unsigned number);

} // namespace memprof::plugin

#endif
