/* shared_blocks.h - what both bodies of a function in sample mode share.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_SHARED_BLOCKS_H
#define MEMPROF_SHARED_BLOCKS_H

namespace memprof::plugin {

/* Adds to SHARED the blocks of FUN, which is instrumented, that need no copy.  JOINS
   have none anyway.  */
void find_shared_blocks (function *fun, hash_set<basic_block> &joins,
			 hash_set<basic_block> &shared);

/* Makes the records of BB, a shared block, ask for BURST, a variable.  */
void guard_records (basic_block bb, tree burst);

} // namespace memprof::plugin

#endif
