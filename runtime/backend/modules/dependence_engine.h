// dependence_engine.h - shadow memory, loops and counters put together.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "runtime/backend/fault.h"
#include "runtime/backend/modules/dependence_rows.h"
#include "runtime/backend/shadow_memory.h"

namespace memprof::backend {

// Which accesses ask who was at their bytes last, and which ones are there from then on.
// Flow dependences are one question, all kinds are two, each for an engine:
//
//               load         store
//   flow        asks         is there
//   writers     asks         asks, is there                 RAW and WAW
//   readers     is there     asks, nobody is there          WAR
enum class Role { flow, writers, readers };

class DependenceEngine {
 public:
  DependenceEngine() { set_thread(0); }

  void set_thread(std::uint32_t thread);
  template <Role role>
  [[gnu::always_inline]] void block(const Batch& batch, const Event& event);
  template <Role role>
  void access(SiteId site, std::uint64_t address, std::uint64_t width, bool store);
  // COUNT executions of one load: all read the same.
  void load(SiteId site, std::uint64_t address, std::uint64_t width, std::uint64_t count = 1);
  // SITE may be k_no_site: nobody is there.
  void store(SiteId site, std::uint64_t address, std::uint64_t width) {
    if (faulty_) [[unlikely]] fault_store(address, width);
    if (width != 0 && in_memory(address, width))
      shadow_.store(address, width, cell_of(site, clock_));
  }
  void clear(std::uint64_t address, std::uint64_t width);
  void enter(LoopId loop, std::uint64_t frame = 0) {
    thread_->loops.enter(loop, clock_, frame);
  }
  void resume(LoopId loop, std::uint64_t frame) { thread_->loops.resume(loop, frame); }
  void iterate(LoopId loop) {
    if (faulty_ && g_fault == Fault::iters) [[unlikely]] return;
    thread_->loops.iterate(loop, ++clock_);
  }
  void exit(LoopId loop) { thread_->loops.exit(loop); }
  void end_thread() {
    *thread_ = {};
    sinks_size_ = 0;
  }
  // What happened before matters no more to the thread; nor does who wrote what.  Its
  // sinks keep their rows: there is one such gap per burst of sample mode, and many
  // more sites than a burst executes.
  void forget() {
    thread_->loops.leave_all();
    shadow_.forget();
  }
  // Of a range, whose loads ask and whose stores are there, as in flow dependences.
  void range(const Batch& batch, const Event& event);
  // That range for other roles, the only one of OUT. Site ID (site, store) stands for site.
  template <Role role, typename Id>
  static void tell(const Batch& batch, const Range& range, Id&& id, Batch& out);

  // The shadow of random accesses is seldom in the cache. Asks for what the event
  // k_ahead after EVENT needs.
  [[gnu::always_inline]] void prefetch_ahead(const Batch& batch, const Event& event) {
    const Event* const ahead = &event + k_ahead;
    if (ahead >= batch.events.data() + batch.events.size() || ahead->kind != EventKind::block)
      return;
    const Block block = batch.block_of(*ahead);
    for (unsigned w = 1; w < block.desc.words; w++) shadow_.prefetch(block.words[w]);
  }

  const DependenceRows& rows() const { return rows_; }
  const ShadowMemory& shadow() const { return shadow_; }

 private:
  static constexpr std::size_t k_ahead = 12;

  SinkCache& sink_cache(SiteId sink) {
    if (sink >= sinks_size_) [[unlikely]] grow_sinks(sink);
    return sinks_[sink];
  }
  void grow_sinks(SiteId sink);
  DependenceRow& row(SinkCache& cache, SiteId source, SiteId sink, const ActiveLoop& loop) {
    const std::uint64_t key = SinkCache::key(source, loop);
    if (const SinkCache::Way& way = cache.way(key); way.key == key) [[likely]] return *way.row;
    DependenceRow& row =
        rows_.row(feedback::DependenceKind::raw, source, sink, loop.id, thread_number_);
    cache.insert(key, &row);
    return row;
  }
  DependenceRow& row(SiteId source, SiteId sink, const ActiveLoop& loop) {
    return row(sink_cache(sink), source, sink, loop);
  }
  // COUNT executions of SINK that read only what CELL wrote.  Which writer it is, is
  // as hard to foresee as the program's data, so nothing branches on it: as long as
  // the loop that carried the last one carries this one, too, its row is looked up.
  [[gnu::always_inline]] void depend(SiteId sink, Cell cell, std::uint64_t count) {
    SinkCache& cache = sink_cache(sink);
    const LoopContext& loops = thread_->loops;
    const Stamp stamp = cell_stamp(cell);
    const ActiveLoop* loop = cache.loop;
    if (LoopContext::active_p(loop, cache.serial) && loops.carries(loop, stamp)) [[likely]] {
      const std::uint64_t key = SinkCache::key(cell_site(cell), *loop);
      if (const SinkCache::Way& way = cache.way(key); way.key == key) [[likely]] {
        if (LoopContext::near_p(*loop, stamp)) [[likely]]
          DependenceRows::add_near_once(*way.row, loops, *loop, stamp, count);
        else
          depend_far(cache, *way.row, *loop, cell, count);
        return;
      }
    }
    depend_anew(cache, sink, cell, count);
  }
  [[gnu::noinline]] void depend_far(SinkCache& cache, DependenceRow& row, const ActiveLoop& loop,
                                    Cell cell, std::uint64_t count) {
    const LoopContext& loops = thread_->loops;
    if (cell != cache.cell) {
      cache.cell = cell;
      cache.starts = SinkCache::k_unknown;
      DependenceRows::add_stamp(row, loops, loop, cell_stamp(cell), count);
      return;
    }
    if (cache.starts == SinkCache::k_unknown)
      cache.starts = loop.starts - loops.distance(&loop, cell_stamp(cell));
    DependenceRows::add(row, loops, loop, loop.starts - cache.starts, count);
  }
  [[gnu::noinline]] void depend_anew(SinkCache& cache, SiteId sink, Cell cell,
                                     std::uint64_t count) {
    const LoopContext& loops = thread_->loops;
    const Stamp stamp = cell_stamp(cell);
    const ActiveLoop* loop = loops.carrier(stamp);
    cache.cell = 0;
    cache.loop = loop->recursive ? &LoopContext::k_no_loop : loop;
    cache.serial = loop->serial;
    DependenceRows::add_stamp(row(cache, cell_site(cell), sink, *loop), loops, *loop, stamp,
                              count);
  }
  void loop_event(const BlockEntry& e, const std::uint64_t* words);
  static void fault_store(std::uint64_t& address, std::uint64_t& width);
  void load_slow(SiteId site, std::uint64_t address, std::uint64_t width,
                 std::uint64_t count);
  void load_bytes(SiteId site, std::uint64_t address, std::uint64_t width,
                  std::uint64_t count);

  // Closed form: dependence_range.cc.
  struct Loads;
  class RangeWalk;
  // A block or a range, access by access.
  template <Role role>
  void expand(const Batch& batch, const Event& event);
  // M executions of SINK that read what SITE wrote at the stamps from, from +
  // step, ...
  void depend_progression(SiteId sink, SiteId site, Stamp from, std::int64_t step,
                          std::uint64_t m);
  void load_progression(const Loads& loads);
  void load_page(const Loads& loads, std::uint64_t address, std::uint64_t m);
  void load_cells(const Loads& loads, const Cell* cells, unsigned shift,
                  std::uint64_t address, std::uint64_t m);
  void load_list(const Loads& loads, const SegmentList& list, std::uint32_t older,
                 std::uint64_t address, std::uint64_t m);
  void load_each(const Loads& loads, std::uint64_t address, std::uint64_t m);

  bool in_range_ = false;  // lists of segments are in use: they must stay
  const bool faulty_ = g_fault != Fault::none;
  DependenceThread* thread_ = nullptr;
  SinkCache* sinks_ = nullptr;  // of thread_
  std::size_t sinks_size_ = 0;
  Stamp clock_ = 1;
  ShadowMemory shadow_;
  DependenceRows rows_;
  std::uint32_t thread_number_ = 0;
  std::uint64_t execution_ = 0;  // serial number of those of load_bytes
  std::vector<std::unique_ptr<DependenceThread>> threads_;
};

template <Role role>
void DependenceEngine::access(SiteId site, std::uint64_t address, std::uint64_t width,
                              bool is_store) {
  if (is_store ? role != Role::flow : role != Role::readers) load(site, address, width);
  if (is_store ? role != Role::readers : role == Role::readers) store(site, address, width);
  if (is_store && role == Role::readers) store(k_no_site, address, width);
}

template <Role role, typename Id>
void DependenceEngine::tell(const Batch& batch, const Range& range, Id&& id, Batch& out) {
  out.accesses.clear();
  for (RangeAccess a : batch.accesses_of(range)) {
    const bool is_store = a.store;
    a.site = id(a.site, is_store);
    a.range = 0;
    a.store = !is_store && role == Role::readers;
    out.accesses.push_back(a);
    if (!is_store) continue;
    a.store = true;
    if (role == Role::readers) a.site = k_no_site;
    out.accesses.push_back(a);
  }
  out.ranges.assign(1, range);
  out.ranges[0].first = 0;
  out.ranges[0].size = static_cast<std::uint32_t>(out.accesses.size());
}

template <Role role>
void DependenceEngine::expand(const Batch& batch, const Event& event) {
  for_each(batch, event, [this, &batch](const Event& e) {
    switch (e.kind) {
      case EventKind::load:
      case EventKind::store:
        access<role>(e.site, e.address, batch.width(e), e.kind == EventKind::store);
        break;
      case EventKind::loop_enter: enter(e.index, e.address); break;
      case EventKind::loop_iteration: iterate(e.index); break;
      case EventKind::loop_exit: exit(e.index); break;
      default: break;
    }
  });
}

template <Role role>
inline void DependenceEngine::block(const Batch& batch, const Event& event) {
  if (faulty_) [[unlikely]] {
    expand<role>(batch, event);
    return;
  }
  const Block block = batch.block_of(event);
  if (block.desc.iteration) iterate(block.desc.loop);
  for (const BlockEntry& e : block.entries()) {
    if (e.kind > EventKind::store) [[unlikely]] {
      loop_event(e, block.words);
      continue;
    }
    const std::uint64_t address = block.address(e);
    const PageEntry page = shadow_.page(address);
    const bool is_store = e.kind == EventKind::store;
    if (role != Role::readers && !is_store) {
      const Cell cell = ShadowMemory::writer(page, address, e.width);
      if (writer_p(cell)) [[likely]]
        depend(e.site, cell, 1);
      else if (cell != 0)
        load_slow(e.site, address, e.width, 1);
    } else if (role == Role::flow || !is_store) {
      const Cell cell = make_cell(e.site, clock_);
      if (!ShadowMemory::overwrite(page, address, e.width, cell)) [[unlikely]]
        shadow_.store(address, e.width, cell);
    } else {
      const Cell next = role == Role::readers ? 0 : make_cell(e.site, clock_);
      const Cell cell = ShadowMemory::exchange(page, address, e.width, next);
      if (writer_p(cell)) [[likely]]
        depend(e.site, cell, 1);
      else if (cell != 0)
        access<role>(e.site, address, e.width, true);
    }
  }
}

}  // namespace memprof::backend
