// dependence_count.h - the second step of a dependence module: which loop, which row?
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "runtime/backend/base/fault.h"
#include "runtime/backend/modules/dependence/dependence_answers.h"
#include "runtime/backend/modules/dependence/dependence_rows.h"
#include "runtime/backend/modules/dependence/dependence_search.h"

namespace memprof::backend {

class DependenceCount {
 public:
  DependenceCount() { go_on_with(0); }

  // What follows is of THREAD.
  void set_thread(std::uint32_t thread) {
    if (thread == thread_number_) return;
    turns_.begin(thread, ++clock_);
    go_on_with(thread);
  }
  // What one execution of SINK found: CELL, or what the list of IN has.
  [[gnu::always_inline]] void count(Question question, SiteId sink, Cell cell, Answers& in) {
    if (writer_p(cell)) [[likely]]
      depend(tallies_[static_cast<int>(question)], sink, cell, 1);
    else if (cell != 0) [[unlikely]]
      settle_until(Answer::Kind::end_bytes, in);
  }
  // What the blocks of SERIES found, which is in CELLS access by access; where it ends.
  const Cell* series(const BlockSeries& series, const Cell* cells, Answers& in);
  // What a range found.
  void range(Answers& in) { settle_until(Answer::Kind::end, in); }
  // As many of COUNT > 0 executions of SINK, which read what the writers in CELL, CELL +
  // STEP, ... have written, as fall into one row and bucket: how many. An execution has
  // SECOND further cells, of which the last one must be like the first. PLACE is where others
  // were, as seen from the same iteration, or none; then where these are.
  std::uint64_t count_cells(Question question, SiteId sink, const Cell* cell,
                            std::size_t second, std::size_t step, std::uint64_t count,
                            SourcePlace& place);
  // COUNT > 0 executions of SINK that read what one site has written, in the order of time.
  void count_sorted(Question question, SiteId sink, const Cell* cell, std::size_t step,
                    std::uint64_t count);
  // COUNT executions of SINK that read what one site has written from the time of LEAST to
  // that of MOST. False, and nothing was done, if these are not of one row and bucket. Until
  // end_gathering(), which follows before any other iteration, what is alike is added up.
  bool gather(Question question, SiteId sink, Cell least, Cell most, std::uint64_t count) {
    for (Gathered& g : gathered_)
      if (cell_site(least) == cell_site(g.least) && sink == g.sink && question == g.question &&
          least >= g.low && most <= g.high) [[likely]] {
        g.least = std::min(g.least, least);
        g.most = std::max(g.most, most);
        g.count += count;
        return true;
      }
    return gather_anew(question, sink, least, most, count);
  }
  void end_gathering();
  // All that the list of IN has.
  void settle(Answers& in);
  void enter(LoopId loop, std::uint64_t frame = 0) {
    thread_->loops.enter(loop, clock_, frame);
  }
  void resume(LoopId loop, std::uint64_t frame) { thread_->loops.resume(loop, frame); }
  void iterate(LoopId loop) {
    if (faulty_ && g_fault == Fault::iters) [[unlikely]] return;
    thread_->loops.iterate(loop, ++clock_);
  }
  void exit(LoopId loop) { thread_->loops.exit(loop); }
  // COUNT iterations of LOOP were started, the last of them TICKS ticks ago, each other TICKS
  // before the next.
  void iterated(LoopId loop, std::uint64_t count, std::uint64_t ticks) {
    for (Stamp back = count * ticks; back != 0; back -= ticks)
      thread_->loops.iterate(loop, clock_ - back + 1);
  }
  Stamp entered(LoopId loop) const { return thread_->loops.entered(loop); }
  void end_thread() {
    *thread_ = {};
    go_on_with(thread_number_);
  }
  // What happened before matters no more to the thread.  Its sinks keep their rows:
  // there is one such gap per burst of sample mode, and many more sites than a burst
  // executes.
  void forget() {
    thread_->loops.leave_all();
    go_on_with(thread_number_);
  }

  void loop_event(const BlockEntry& e, const std::uint64_t* words);

  const DependenceRows& rows(Question question) const {
    return tallies_[static_cast<int>(question)].rows;
  }

 private:
  struct Tally {
    PerSite<SinkCache>* sinks = nullptr;  // of thread_
    DependenceRows rows;
  };

  // Of one row and bucket, as all writers of the site of [low, high] are.
  struct Gathered {
    Cell least = 0, most = 0, low = 0, high = 0;
    std::uint64_t count = 0;
    const ActiveLoop* loop = nullptr;
    SiteId sink = 0;  // 0: it is not in use
    Question question{};
  };
  void go_on_with(std::uint32_t thread);
  bool gather_anew(Question question, SiteId sink, Cell least, Cell most, std::uint64_t count);
  void add(Gathered& gathered);

  Tally& tally(const Answer& answer) { return tallies_[static_cast<int>(answer.question)]; }
  static SinkCache& sink_cache(Tally& tally, SiteId sink) { return (*tally.sinks)[sink]; }
  DependenceRow& row(Tally& tally, SinkCache& cache, SiteId source, SiteId sink,
                     const ActiveLoop& loop) {
    const std::uint64_t key = SinkCache::key(source, loop);
    if (const SinkCache::Way& way = cache.way(key); way.key == key) [[likely]] return *way.row;
    DependenceRow& row =
        tally.rows.row({feedback::DependenceKind::raw, source, sink, loop.id, thread_number_});
    cache.insert(key, &row);
    return row;
  }
  DependenceRow& row(Tally& tally, SiteId source, SiteId sink, const ActiveLoop& loop) {
    return row(tally, sink_cache(tally, sink), source, sink, loop);
  }
  // COUNT executions of SINK that read only what CELL wrote.  Which writer it is, is
  // as hard to foresee as the program's data, so nothing branches on it: as long as
  // the loop that carried the last one carries this one, too, its row is looked up.
  [[gnu::always_inline]] void depend(Tally& tally, SiteId sink, Cell cell,
                                       std::uint64_t count) {
    SinkCache& cache = sink_cache(tally, sink);
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
    depend_anew(tally, cache, sink, cell, count);
  }
  // Calls nothing but depend_farther() at its end, so that it needs no registers saved.
  [[gnu::noinline]] void depend_far(SinkCache& cache, DependenceRow& row, const ActiveLoop& loop,
                                    Cell cell, std::uint64_t count);
  [[gnu::noinline]] void depend_farther(SinkCache& cache, DependenceRow& row,
                                        const ActiveLoop& loop, Cell cell, std::uint64_t count);
  [[gnu::noinline]] void depend_anew(Tally& tally, SinkCache& cache, SiteId sink, Cell cell,
                                     std::uint64_t count);
  Answer::Kind settle_next(Answers& in);
  [[gnu::noinline]] void settle_until(Answer::Kind last, Answers& in) {
    while (!in.all_read() && settle_next(in) != last) {
    }
  }
  bool count_before(Stamp begin, SiteId sink, const Cell* cell, std::uint64_t count,
                    SourcePlace& place);
  void part(const Answer& answer);
  void progression(const Answer& answer);
  void own(const Answer& answer);

  const bool faulty_ = g_fault != Fault::none;
  DependenceThread* thread_ = nullptr;
  Stamp clock_ = 1;
  ThreadTurns turns_;
  Tally tallies_[2];  // by Question
  std::uint32_t thread_number_ = 0;
  std::vector<std::unique_ptr<DependenceThread>> threads_;
  Gathered gathered_[4];
  std::size_t next_gathered_ = 0;  // to be replaced
  // The range whose answers are being read.
  LoopId range_loop_ = 0;
  Stamp entered_ = 0;
  // The execution whose bytes have parts.
  SiteId sink_ = 0;
  std::uint64_t executions_ = 0;  // that it represents
  std::uint64_t execution_ = 0;   // its serial number
  // Writers in [done_low, done_low + done_span], by site, are counted already.
  Cell done_low_ = 0, done_span_ = 0;
};

}  // namespace memprof::backend
