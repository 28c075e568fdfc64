/* block_watch.h - the size of the largest block that an allocation call has made.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_BLOCK_WATCH_H
#define MEMPROF_BLOCK_WATCH_H

namespace memprof::plugin {

/* Makes the program keep the largest BYTES (times COUNT, unless that is null) that CALL
   allocates, under NAME.  The caller updates the SSA form of memory.  */
void watch_block (gcall *call, tree bytes, tree count, const char *name);

/* Whether the block kept under NAME has AT_LEAST bytes or more: a truth value, computed before
   LOOP, where memory has the state VUSE.  */
tree large_block (class loop *loop, const char *name, uint64_t at_least, tree vuse);

} // namespace memprof::plugin

#endif
