// dependence_count.cc - answers that take more than one cell.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/dependence/dependence_count.h"

#include <algorithm>

#include "runtime/backend/base/first_number.h"
#include "runtime/backend/modules/dependence/cell_blocks.h"

namespace memprof::backend {

void DependenceCount::go_on_with(std::uint32_t thread) {
  if (thread >= threads_.size()) threads_.resize(thread + 1);
  if (!threads_[thread]) threads_[thread] = std::make_unique<DependenceThread>();
  thread_ = threads_[thread].get();
  thread_number_ = thread;
  if (turns_.several()) thread_->loops.begin_turn(turns_, thread, turns_.at(clock_).first);
  for (int i = 0; i < 2; i++) tallies_[i].sinks = &thread_->sinks[i];
}

void DependenceCount::depend_far(SinkCache& cache, DependenceRow& row, const ActiveLoop& loop,
                                 Cell cell, std::uint64_t count) {
  if (!DependenceRows::add_far_once(row, thread_->loops, loop, cell_stamp(cell), count))
    depend_farther(cache, row, loop, cell, count);
}

void DependenceCount::depend_farther(SinkCache& cache, DependenceRow& row,
                                     const ActiveLoop& loop, Cell cell, std::uint64_t count) {
  const LoopContext& loops = thread_->loops;
  const Stamp stamp = cell_stamp(cell);
  if (DependenceRows::add_far(row, loops, loop, stamp, count)) return;
  if (cell != cache.cell) {
    cache.cell = cell;
    cache.starts = SinkCache::k_unknown;
    DependenceRows::widen(row, loops, loop, stamp);
    return;
  }
  if (cache.starts == SinkCache::k_unknown)
    cache.starts = loop.starts - loops.distance(&loop, stamp);
  DependenceRows::add_distance(row, loop.starts - cache.starts, 0);
}

void DependenceCount::depend_anew(Tally& tally, SinkCache& cache, SiteId sink, Cell cell,
                                  std::uint64_t count) {
  const LoopContext& loops = thread_->loops;
  const Stamp stamp = cell_stamp(cell);
  const ActiveLoop* loop = loops.carrier(stamp);
  cache.cell = 0;
  cache.loop = loop->recursive ? &LoopContext::k_no_loop : loop;
  cache.serial = loop->serial;
  DependenceRows::add_stamp(row(tally, cache, cell_site(cell), sink, *loop), loops, *loop, stamp,
                            count);
}

void DependenceCount::loop_event(const BlockEntry& e, const std::uint64_t* words) {
  if (e.kind == EventKind::loop_iteration)
    iterate(e.site);
  else if (e.kind == EventKind::loop_enter)
    enter(e.site, e.frame(words));
  else if (e.kind == EventKind::loop_exit)
    exit(e.site);
}

void DependenceCount::settle(Answers& in) {
  while (!in.all_read()) settle_next(in);
  in.clear_list();
}

Answer::Kind DependenceCount::settle_next(Answers& in) {
  const Answer& a = in.next();
  LoopContext& loops = thread_->loops;
  switch (a.kind) {
    case Answer::Kind::read: depend(tally(a), a.sink, a.cell, a.count); break;
    case Answer::Kind::progression: progression(a); break;
    case Answer::Kind::cells: {
      const Cell* const cell = in.next_cells(a.count);
      SourcePlace place;
      for (std::uint64_t n = 0; n < a.count;)
        n += count_cells(a.question, a.sink, cell + n, 0, 1, a.count - n, place);
      break;
    }
    case Answer::Kind::bytes:
      sink_ = a.sink;
      executions_ = a.count;
      execution_++;
      done_low_ = done_span_ = 0;
      break;
    case Answer::Kind::part: part(a); break;
    case Answer::Kind::begin:
      range_loop_ = a.sink;
      entered_ = clock_ = a.count;
      break;
    case Answer::Kind::own: own(a); break;
    case Answer::Kind::enter: loops.enter(range_loop_, clock_); break;
    case Answer::Kind::iterate:
      loops.iterate(range_loop_, clock_ + 1, a.count);
      clock_ += a.count;
      break;
    case Answer::Kind::exit:
      loops.exit(range_loop_);
      clock_ = entered_;
      break;
    case Answer::Kind::end: clock_ = a.count; break;
    case Answer::Kind::end_bytes: break;
  }
  return a.kind;
}

// Of an execution that has several writers.
void DependenceCount::part(const Answer& answer) {
  const LoopContext& loops = thread_->loops;
  std::uint64_t m = answer.count;
  const std::uint64_t pace = magnitude(answer.step);
  const auto back = [pace](Cell cell, std::uint64_t n) {
    return later(cell, -static_cast<std::int64_t>(n * pace));
  };
  // Downwards from the latest.
  Cell cell = answer.step > 0 ? back(answer.cell, 1 - m) : answer.cell;
  while (m != 0) {
    if (m == 1 && by_site(cell) - done_low_ <= done_span_ && done_low_ != 0) return;
    const Stamp stamp = cell_stamp(cell);
    const SourcePlace place = loops.locate(stamp);
    const std::uint64_t n = pace == 0 ? m : std::min(m, (stamp - place.low) / pace + 1);
    DependenceRow& r = row(tally(answer), cell_site(cell), sink_, *place.loop);
    DependenceRows::add_byte(r, loops, *place.loop, stamp, executions_, execution_);
    if (place.bucket == k_far) {
      if (n > 1) DependenceRows::add_stamp(r, loops, *place.loop, stamp - (n - 1) * pace, 0);
      done_low_ = by_site(cell);  // others here have other distances
      done_span_ = 0;
    } else {
      done_low_ = by_site(make_cell(cell_site(cell), place.low));
      done_span_ = std::min(place.high, k_stamp_mask) - place.low;
    }
    cell = back(cell, n);
    m -= n;
  }
}

void DependenceCount::progression(const Answer& answer) {
  // Downwards from the latest.
  std::uint64_t m = answer.count;
  const std::uint64_t pace = magnitude(answer.step);
  Stamp high = cell_stamp(answer.cell) + (answer.step > 0 ? (m - 1) * pace : 0);
  const LoopContext& loops = thread_->loops;
  while (m != 0) {
    const SourcePlace place = loops.locate(high);
    const std::uint64_t n = pace == 0 ? m : std::min(m, (high - place.low) / pace + 1);
    DependenceRows::add_stamps(row(tally(answer), cell_site(answer.cell), answer.sink, *place.loop), loops,
                               *place.loop, high - (n - 1) * pace, high, n);
    high -= n * pace;
    m -= n;
  }
}

std::uint64_t DependenceCount::count_cells(Question question, SiteId sink, const Cell* cell,
                                           std::size_t second, std::size_t step,
                                           std::uint64_t count, SourcePlace& place) {
  const LoopContext& loops = thread_->loops;
  const Cell c = *cell;
  if (!place.has(cell_stamp(c))) place = loops.locate(cell_stamp(c));
  const Cell low = by_site(make_cell(cell_site(c), place.low));
  const Cell span = std::min(place.high, k_stamp_mask) - place.low;
  Cell first = c, last = c;
  std::uint64_t n = 0;
  const auto one_by_one = [&](std::uint64_t end) {
    for (; n < end; n++, cell += step) {
      const Cell next = *cell;
      if (by_site(next) - low > span || next != cell[second]) break;
      first = std::min(first, next);
      last = std::max(last, next);
    }
  };
  // Near distances are one cell's each: blocks are for those far away.
  constexpr std::uint64_t k_first = 8;
  if (step == 1 && second == 0 && count >= k_first + k_cell_block) {
    one_by_one(k_first);
    if (n == k_first) {
      CellBounds bounds{by_site(first), by_site(last)};
      const std::size_t more = blocks_within(cell, count - n, low, span, bounds);
      first = from_by_site(bounds.least);
      last = from_by_site(bounds.most);
      n += more;
      cell += more;
      one_by_one(count);
    }
  } else {
    one_by_one(count);
  }
  Tally& tally = tallies_[static_cast<int>(question)];
  DependenceRows::add_stamps(row(tally, cell_site(c), sink, *place.loop), loops, *place.loop,
                             cell_stamp(first), cell_stamp(last), n);
  return n;
}

void DependenceCount::count_sorted(Question question, SiteId sink, const Cell* cell,
                                   std::size_t step, std::uint64_t count) {
  const LoopContext& loops = thread_->loops;
  Tally& tally = tallies_[static_cast<int>(question)];
  while (count != 0) {
    const SourcePlace place = loops.locate(cell_stamp(*cell));
    const auto here = [&](std::uint64_t i) { return cell_stamp(cell[i * step]) <= place.high; };
    std::uint64_t n = count;  // of one bucket
    if (!here(n - 1)) n = first_number(std::uint64_t{1}, n, [&](std::uint64_t i) { return !here(i); });
    DependenceRows::add_stamps(row(tally, cell_site(*cell), sink, *place.loop), loops, *place.loop,
                               cell_stamp(*cell), cell_stamp(cell[(n - 1) * step]), n);
    cell += n * step;
    count -= n;
  }
}

bool DependenceCount::gather_anew(Question question, SiteId sink, Cell least, Cell most,
                                  std::uint64_t count) {
  const SourcePlace place = thread_->loops.locate(cell_stamp(least));
  if (cell_stamp(most) > place.high) return false;
  Gathered& g = gathered_[next_gathered_++ % std::size(gathered_)];
  add(g);
  const SiteId site = cell_site(least);
  g = {least, most, make_cell(site, place.low), make_cell(site, std::min(place.high, k_stamp_mask)),
       count, place.loop, sink, question};
  return true;
}

void DependenceCount::add(Gathered& g) {
  if (g.sink != 0)
    DependenceRows::add_stamps(
        row(tallies_[static_cast<int>(g.question)], cell_site(g.least), g.sink, *g.loop),
        thread_->loops, *g.loop, cell_stamp(g.least), cell_stamp(g.most), g.count);
  g = {};
}

void DependenceCount::end_gathering() {
  for (Gathered& g : gathered_) add(g);
}

// Dependences between accesses of a range.
void DependenceCount::own(const Answer& answer) {
  // The loop is not on the stack: its iterations are new and all different.
  LoopContext& loops = thread_->loops;
  loops.enter(range_loop_, entered_);
  DependenceRow& r = row(tally(answer), cell_site(answer.cell), answer.sink, loops.innermost());
  auto distance = static_cast<std::uint64_t>(answer.step);
  std::uint64_t left = answer.count;
  for (; distance != answer.last && distance < k_far; distance++, left--)
    DependenceRows::add_distance(r, distance, 1);
  DependenceRows::add_distance(r, distance, left);
  if (distance != answer.last) DependenceRows::add_distance(r, answer.last, 0);
  DependenceRows::new_iteration(r, loops, entered_ + answer.end);
  loops.exit(range_loop_);
  r.iterations += answer.count - 1;
}

}  // namespace memprof::backend
