/* streaming_store.h - makes a store bypass the caches.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_STREAMING_STORE_H
#define MEMPROF_STREAMING_STORE_H

namespace memprof::plugin {

/* The bytes that STORE writes.  */
HOST_WIDE_INT stored_bytes (gassign *store);

/* Whether the processor can do that for STORE.  */
bool streams_p (gassign *store);

/* Makes STORE one that does, or several.  Virtual operands are to be renamed after that.  */
void make_streaming (gassign *store);

/* Puts a fence at each exit of LOOP, whose stores do: they come before whatever is stored after it.  */
void order_streaming (class loop *loop);

} // namespace memprof::plugin

#endif
