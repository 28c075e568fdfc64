/* loop_memory.h - what a loop reads and writes.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LOOP_MEMORY_H
#define MEMPROF_LOOP_MEMORY_H

#include "plugin/use/address/byte_range.h"

namespace memprof::plugin {

/* One load or store of an assignment in the loop.  */
struct memory_ref
{
  gimple *stmt;
  tree ref;
  bool store;
  int ordinal; // of its site, or -1
  // Its value is loaded before the loop instead.
  bool hoisted;
  // The bytes that it may access, if they are known before the loop.
  bool ranged;
  byte_range range;
  // Ranged references that start alike are in one group.
  unsigned group;
};

class loop_memory
{
public:
  explicit loop_memory (class loop *loop);

  /* Why the loop cannot be versioned, or null.  */
  const char *obstacle () const { return obstacle_; }
  vec<memory_ref> &refs () { return refs_; }
  const vec<memory_ref> &refs () const { return refs_; }

  /* Sets `ranged', `range' and `group' of all references that are not
     hoisted.  */
  void find_ranges (const loop_counts &counts);
  unsigned groups () const { return groups_; }

  /* Whether the bytes of two references may be the same in some two iterations,
     as far as can be known when the loop is compiled.  With TYPES, what was
     stored as one type is not loaded as another.  */
  bool may_meet_p (const memory_ref &a, const memory_ref &b, bool types) const;

private:
  void scan (gimple *stmt);
  void add (gimple *stmt, tree ref, bool store);

  class loop *loop_;
  const char *obstacle_ = nullptr;
  auto_vec<memory_ref> refs_;
  unsigned groups_ = 0;
};

} // namespace memprof::plugin

#endif
