/* loop_facts.h - what loops cost and what waits for a loaded value.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LOOP_FACTS_H
#define MEMPROF_LOOP_FACTS_H

#include "plugin/use/bridge.h"

namespace memprof::plugin {

/* Facts about the code of the function that current_marks describes.  */
class loop_facts
{
public:
  explicit loop_facts (function *fun);

  /* Executions of LOOP's header and entries into it, or null when no site in
     it was executed.  */
  const site_counts *counts (class loop *loop);

  /* The ordinal of some site whose innermost loop is LOOP, which counts ()
     knows.  */
  unsigned ordinal (class loop *loop);

  /* Instructions of one iteration of LOOP, inner loops included; of one call
     of the function when LOOP is null.  */
  double instructions (class loop *loop);

  /* CodeFacts::waits and, in *CHAINED, ::chained of the value that LOAD loads,
     see there.  */
  double waits (gimple *load, class loop *loop, bool *chained);

private:
  /* Executions of the site in BB that was executed most; null: it has none.  */
  const uint64_t *executions (basic_block bb);
  double estimate (class loop *loop);
  double branch_waits (gimple *load, basic_block bb);

  function *fun_;
  hash_map<int_hash<int, -1, -2>, uint64_t> by_block_;
  hash_map<int_hash<int, -1, -2>, site_counts> by_loop_;
  hash_map<int_hash<int, -1, -2>, unsigned> site_of_loop_;
  // By number; of the function as it was before anything was inserted.
  hash_map<int_hash<int, -1, -2>, double> instructions_;
};

} // namespace memprof::plugin

#endif
