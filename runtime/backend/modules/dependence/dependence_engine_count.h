// dependence_engine_count.h - the second step of the dependence modules: which row it is.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The end of dependence_engine.h, which includes it: the first step has found the writers, and
// this one, maybe in another thread, knows the loops and counts.
#pragma once

#include "runtime/backend/modules/dependence/dependence_engine.h"

namespace memprof::backend {

template <Kinds kinds, typename Sites>
const Event* DependenceEngine<kinds, Sites>::count_blocks(const Batch& batch, const Event* e,
                                                          const Event* end, Answers& in) {
  const Cell* cell = in.unread_cells();
  for (; e < end; e++) {
    if (e->kind != EventKind::block) [[unlikely]] {
      if (e->kind == EventKind::loop_enter)
        count_.enter(e->index, e->address);
      else if (e->kind == EventKind::loop_exit)
        count_.exit(e->index);
      else
        break;
      continue;
    }
    if (const std::size_t n = series(batch, e, end)) {
      const Block first = batch.block_of(*e);
      cell = count_series({first.desc, first.words, n}, cell, in);
      e += n - 1;
      continue;
    }
    cell = count_block(batch.block_of(sites_[1].block(batch, *e)), cell, in);
  }
  in.read_until(cell);
  return e;
}

template <Kinds kinds, typename Sites>
[[gnu::always_inline]] inline const Cell* DependenceEngine<kinds, Sites>::count_block(
    const Block& block, const Cell* cell, Answers& in) {
  if (block.desc.iteration) count_.iterate(block.desc.loop);
  for (const BlockEntry& entry : block.entries())
    if (entry.kind > EventKind::store) [[unlikely]]
      count_.loop_event(entry, block.words);
    else
      cell = count_access(entry.site, entry.kind == EventKind::store, cell, in);
  return cell;
}

template <Kinds kinds, typename Sites>
[[gnu::noinline]] const Cell* DependenceEngine<kinds, Sites>::count_series(
    const BlockSeries& series, const Cell* cell, Answers& in) {
  const bool by_access = *cell++ != 0;
  if (by_access) return count_.series(series, cell, in);
  for (std::size_t i = 0; i < series.count; i++)
    cell = count_block({series.desc, series.words + i * series.desc.words}, cell, in);
  return cell;
}

template <Kinds kinds, typename Sites>
[[gnu::noinline]] void DependenceEngine<kinds, Sites>::count_other(const Batch& batch,
                                                                   const Event& e, Answers& in) {
  Sites& sites = sites_[1];
  switch (e.kind) {
    case EventKind::load:
    case EventKind::store: {
      const bool store = e.kind == EventKind::store;
      in.read_until(count_access(sites.id(e.site, store), store, in.unread_cells(), in));
      break;
    }
    case EventKind::range:
      for (const RangeAccess& a : batch.accesses_of(batch.ranges[e.index]))
        sites.id(a.site, a.store);
      count_.range(in);
      if (all) count_.range(in);
      break;
    case EventKind::external_store: sites.id(k_external_site, true); break;
    case EventKind::loop_iteration: count_.iterate(e.index); break;
    case EventKind::loop_resume: count_.resume(e.index, e.address), sites.follow(e); break;
    case EventKind::thread_end: count_.end_thread(), sites.follow(e); break;
    case EventKind::gap: count_.forget(), sites.follow(e); break;
    case EventKind::thread: count_.set_thread(e.index), sites.follow(e); break;
    default: sites.follow(e);
  }
}

}  // namespace memprof::backend
