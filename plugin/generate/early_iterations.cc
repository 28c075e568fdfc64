/* early_iterations.cc - iterations that are reported before the loop's header.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/generate/early_iterations.h"
#include "plugin/generate/edge_places.h"
#include "plugin/generate/loop_shape.h"

namespace memprof::plugin {

namespace {

/* Whether what is added at the end of BB comes after all that BB does.  */

bool
open_end_p (basic_block bb)
{
  gimple *last = single_succ_p (bb) ? last_statement (bb) : nullptr;
  return single_succ_p (bb) && !(last && ends_block_p (last));
}

} // anonymous namespace

/* Whether control reaches the header of LOOP only from blocks that can say at their end that
   an iteration comes.  */

bool
early_iterations::possible_p (class loop *loop)
{
  basic_block header = loop->header, latch = loop->latch;
  if (!latch || latch == header || EDGE_COUNT (header->preds) != 2
      || any_complex_p (header->preds) || any_complex_p (latch->preds)
      || !open_end_p (loop_preheader_edge (loop)->src) || !open_end_p (latch))
    return false;
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, latch->preds)
    if (e->src->loop_father != loop || e->src == header)
      return false;
  return true;
}

void
early_iterations::start (function *fun)
{
  early_.safe_grow_cleared (number_of_loops (fun), true);
  after_.safe_grow_cleared (last_basic_block_for_fn (fun), true);
}

void
early_iterations::add (class loop *loop)
{
  early_[loop->num] = true;
  after_[loop_preheader_edge (loop)->src->index] = loop;
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, loop->latch->preds)
    if (open_end_p (e->src))
      after_[e->src->index] = loop;
    else
      on_edges_.safe_push (e);
}

} // namespace memprof::plugin
