/* type_memory.h - the memory that records lie in.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_TYPE_MEMORY_H
#define MEMPROF_TYPE_MEMORY_H

namespace memprof::plugin {

/* Whether BYTES are a number of whole RECORDs.  */
bool whole_records_p (tree bytes, tree record);

/* Whether STMT, a call of malloc, mmap or a wrapper, makes memory for whole RECORDs: one of its
   arguments is a number of them.  */
bool makes_whole_p (gcall *stmt, tree record);

/* The memory that calls of a function allocate.  A mapping of a file, or one that is shared, does not
   count.  */
class new_memory
{
public:
  void start (function *fun);

  bool made_by (gcall *call) { return calls_.contains (call); }
  /* Whether VALUE is what an allocating call returned, or 0.  */
  bool contains (tree value, unsigned depth = 0) const;
  /* If it is: the call that allocates something else than whole RECORDs; null: none.  */
  gcall *odd_size (tree value, tree record, unsigned depth = 0) const;

private:
  mutable hash_set<gimple *> calls_;
};

} // namespace memprof::plugin

#endif
