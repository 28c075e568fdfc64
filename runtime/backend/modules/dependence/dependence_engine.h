// dependence_engine.h - the two steps of a dependence module.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The first step knows the memory: the last writer or reader of each byte (dependence_search.h). The
// second knows the loops and the rows: which loop carries a dependence, at which
// distance, and where it is counted (dependence_count.h). Neither asks the other
// anything: the first hands over what it has found in a batch (dependence_answers.h), so
// they can be at different batches, on different processors.
//
//     search     batch 3: store 7 here, load 9 there    which site was last?
//                     |  cells, answers
//     count      batch 2: the site, how far back        which row?
//
// The exception are ranges of many iterations, of which there may be more to tell than
// one would like to keep, or which read what is known to be sorted, and those of several
// rows. The first step leaves the rest of the batch to the second, which does both from
// there on, and continues after it.
#pragma once

#include <algorithm>
#include <deque>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/backend/modules/dependence/dependence_count.h"
#include "runtime/backend/modules/dependence/dependence_search.h"
#include "runtime/wire/record.h"

namespace memprof::backend {

// Which accesses ask which question, and what they put into the shadow.
//
//                last writer                     last reader
//   flow         loads ask, stores enter         -
//   all          both ask, stores enter          stores ask, loads enter,
//                (RAW and WAW)                   a store removes the reader (WAR)
enum class Kinds { flow, all };

// Sites are what they are. Another class may give them other numbers: each step has one,
// which sees all events and so comes to the same numbers.
struct PlainSites {
  static constexpr bool plain = true;
  SiteId id(SiteId site, bool) { return site; }
  Event block(const Batch&, const Event& event) { return event; }
  void follow(const Event&) {}
};

template <Kinds kinds, typename Sites>
class DependenceEngine {
 public:
  template <typename... Args>
  explicit DependenceEngine(const Args&... args) : sites_{Sites(args...), Sites(args...)} {}

  // False: the rest of the batch is left to count().
  bool search(const Batch& batch) {
    Answers answers = take(free_);
    answers.clear();
    answer_to(answers, nullptr);
    const Event *e = batch.events.data(), *const end = e + batch.events.size();
    while (e < end && !too_much(batch, *e, answers)) e = search_some(batch, e, end, answers);
    answers.events = static_cast<std::size_t>(e - batch.events.data());
    put(found_, std::move(answers));
    return e == end;
  }
  void count(const Batch& batch) {
    Answers answers = take(found_);
    const Event *e = batch.events.data(), *const end = e + batch.events.size();
    for (const Event* const found = e + answers.events; e < found;)
      e = count_some(batch, e, found, answers);
    for (; e < end; e++) {
      answers.clear();
      answer_to(answers, e->kind == EventKind::block ? nullptr : &count_);
      if (e->kind == EventKind::range && batch.ranges[e->index].rows > 1) {
        rows(batch, batch.ranges[e->index], answers);
        continue;
      }
      search_some(batch, e, e + 1, answers);
      count_some(batch, e, e + 1, answers);
    }
    put(free_, std::move(answers));
  }

  const DependenceRows& rows(Question question) const { return count_.rows(question); }
  // As the second step has them.
  const Sites& sites() const { return sites_[1]; }

 private:
  static constexpr bool all = kinds == Kinds::all;
  static constexpr std::size_t k_ahead = 12;
  // Of a block, at most, and of many.
  static constexpr std::size_t k_block_cells = 2 * MPRT_MAX_ENTRIES, k_many_cells = 1024;
  static constexpr std::size_t k_shortest_series = 6;

  // Whether the answers to a range or a single access may be too many to keep, or need not
  // be listed if the second step is at hand.
  bool too_much(const Batch& batch, const Event& event, const Answers& out) const {
    std::uint64_t most = 0;
    if (event.kind == EventKind::range) {
      const Range& range = batch.ranges[event.index];
      if (range.rows > 1 || sorted_p(batch, range)) return true;
      most = range.count;
      for (const RangeAccess& a : batch.accesses_of(range))
        most += std::min(a.count, DependenceSearch::most_answers) * (1 + a.width / k_granule);
    } else if (event.kind == EventKind::load || event.kind == EventKind::store) {
      most = batch.width(event) / k_granule;
    }
    constexpr auto& limit = DependenceSearch::most_answers;
    return most > limit || (most != 0 && out.listed() > limit / 32);
  }
  bool sorted_p(const Batch& batch, const Range& range) const {
    return std::ranges::any_of(batch.accesses_of(range), [this](const RangeAccess& a) {
      if constexpr (all)
        if (a.store && readers_.sorted_p(a)) return true;
      return (all || !a.store) && writers_.sorted_p(a);
    });
  }
  void answer_to(Answers& out, DependenceCount* counting) {
    writers_.answer_to(out, counting);
    if constexpr (all) readers_.answer_to(out, counting);
  }
  // The shadow of random accesses is seldom in the cache. Asks for what the event
  // k_ahead after EVENT needs.
  [[gnu::always_inline]] void prefetch_ahead(const Batch& batch, const Event& event) const {
    const Event* const ahead = &event + k_ahead;
    if (ahead >= batch.events.data() + batch.events.size() || ahead->kind != EventKind::block)
      return;
    const Block block = batch.block_of(*ahead);
    for (unsigned w = 1; w < block.desc.words; w++) {
      writers_.prefetch(block.words[w]);
      if constexpr (all) readers_.prefetch(block.words[w]);
    }
  }

  // How many of the blocks from E on, which are before END, are of a run whose accesses both
  // steps may do one after the other (dependence_series.h); 0: they are done block by block.
  [[gnu::always_inline]] std::size_t series(const Batch& batch, const Event* e,
                                            const Event* end) const {
    const CompiledDesc& desc = batch.block_of(*e).desc;
    if (all || !Sites::plain || desc.kind != CompiledKind::run) [[likely]]
      return 0;
    return series_of_run(desc, e, end);
  }
  std::size_t series_of_run(const CompiledDesc& desc, const Event* e, const Event* end) const {
    if (!desc.plain_iteration() || writers_.faulty()) return 0;
    const auto most = std::min(static_cast<std::size_t>(end - e), k_many_cells / desc.entries);
    std::size_t n = 1;
    while (n < most && e[n].kind == EventKind::block && e[n].address == e->address) n++;
    return n < k_shortest_series ? 0 : n;
  }

  // What mostly comes between blocks: loops of few iterations.
  static bool between_blocks(const Event& e) {
    return e.kind == EventKind::loop_enter || e.kind == EventKind::loop_exit;
  }
  // Each returns the event after what it has done from E on: all blocks that follow, with what
  // is between them, or an event of another kind.
  const Event* search_some(const Batch& batch, const Event* e, const Event* end, Answers& out) {
    if ((e->kind == EventKind::block || between_blocks(*e)) && !writers_.faulty())
      return search_blocks(batch, e, end, out);
    search_other(batch, *e, out);
    return e + 1;
  }
  const Event* count_some(const Batch& batch, const Event* e, const Event* end, Answers& in) {
    if (e->kind == EventKind::block || between_blocks(*e)) return count_blocks(batch, e, end, in);
    count_other(batch, *e, in);
    return e + 1;
  }
  const Event* search_blocks(const Batch& batch, const Event* e, const Event* end, Answers& out);
  Cell* search_block(const CompiledDesc& desc, const std::uint64_t* words, Cell* cell);
  Cell* search_series(const BlockSeries& series, Cell* cell);
  void search_faulty(const Batch& batch, const Event& e, Answers& out);
  void search_access(SiteId site, bool store, std::uint64_t address, std::uint64_t width,
                     Answers& out);
  void search_other(const Batch& batch, const Event& e, Answers& out);
  void search_range(const Batch& batch, const Range& range);
  void rows(const Batch& batch, const Range& range, Answers& answers);
  // The clocks of both steps tick when another thread goes on.
  void set_thread(std::uint32_t thread) {
    if (std::exchange(searched_thread_, thread) == thread) return;
    writers_.tick();
    if constexpr (all) readers_.tick();
  }
  void iterate() {
    writers_.iterate();
    if constexpr (all) readers_.iterate();
  }
  // What is no access.
  void search_between(const Block& block, const BlockEntry& entry) {
    if (entry.kind == EventKind::loop_iteration)
      iterate();
    else if (entry.kind == EventKind::local_birth)
      clear(block.address(entry), entry.width);
  }
  void clear(std::uint64_t address, std::uint64_t width) {
    writers_.clear(address, width);
    if constexpr (all) readers_.clear(address, width);
  }

  const Event* count_blocks(const Batch& batch, const Event* e, const Event* end, Answers& in);
  const Cell* count_block(const Block& block, const Cell* cell, Answers& in);
  const Cell* count_series(const BlockSeries& series, const Cell* cell, Answers& in);
  void count_other(const Batch& batch, const Event& e, Answers& in);
  // Whose answers are the cells from CELL on; returns the one after them.
  [[gnu::always_inline]] const Cell* count_access(SiteId site, bool store, const Cell* cell,
                                                  Answers& in) {
    if (all || !store) count_.count(Question::last_writer, site, *cell++, in);
    if (all && store) count_.count(Question::last_reader, site, *cell++, in);
    return cell;
  }

  Answers take(std::deque<Answers>& from) {
    const std::lock_guard lock(mutex_);
    if (from.empty()) return {};
    Answers answers = std::move(from.front());
    from.pop_front();
    return answers;
  }
  void put(std::deque<Answers>& to, Answers&& answers) {
    const std::lock_guard lock(mutex_);
    to.push_back(std::move(answers));
  }

  DependenceSearch writers_{Question::last_writer};
  std::conditional_t<all, DependenceSearch, Question> readers_{Question::last_reader};
  DependenceCount count_;
  std::uint32_t searched_thread_ = 0;
  Sites sites_[2];  // of each step
  Batch asked_;     // a range, as it is passed to a search
  Batch row_;       // of a range
  std::mutex mutex_;
  std::deque<Answers> found_, free_;
};

template <Kinds kinds, typename Sites>
const Event* DependenceEngine<kinds, Sites>::search_blocks(const Batch& batch, const Event* e,
                                                           const Event* end, Answers& out) {
  Cell *cell = out.room(0), *last_room = nullptr;
  for (; e < end; e++) {
    if (e->kind != EventKind::block) [[unlikely]] {
      if (!between_blocks(*e)) break;
      continue;
    }
    if (const std::size_t n = series(batch, e, end)) {
      const Block first = batch.block_of(*e);
      out.end_cells(cell);
      cell = last_room = search_series({first.desc, first.words, n},
                                       out.room(1 + n * first.desc.entries));
      e += n - 1;
      continue;
    }
    prefetch_ahead(batch, *e);
    const Block block = batch.block_of(sites_[0].block(batch, *e));
    if (cell >= last_room) [[unlikely]] {
      out.end_cells(cell);
      cell = out.room(k_many_cells + k_block_cells);
      last_room = cell + k_many_cells;
    }
    cell = search_block(block.desc, block.words, cell);
  }
  out.end_cells(cell);
  return e;
}

// The first cell says whether the others are there access by access.
template <Kinds kinds, typename Sites>
[[gnu::noinline]] Cell* DependenceEngine<kinds, Sites>::search_series(const BlockSeries& series,
                                                                      Cell* cell) {
  Cell& by_access = *cell++;
  if (Cell* const next = writers_.series(series, cell)) {
    by_access = 1;
    return next;
  }
  by_access = 0;
  for (std::size_t i = 0; i < series.count; i++)
    cell = search_block(series.desc, series.words + i * series.desc.words, cell);
  return cell;
}

// Writes to CELL and after it; returns where it ends. A function of its own: so the
// processor's registers suffice.
template <Kinds kinds, typename Sites>
[[gnu::noinline]] Cell* DependenceEngine<kinds, Sites>::search_block(
    const CompiledDesc& desc, const std::uint64_t* words, Cell* cell) {
  const Block block{desc, words};
  if (desc.iteration) iterate();
  for (const BlockEntry& entry : block.entries()) {
    if (entry.kind > EventKind::store) [[unlikely]] {
      search_between(block, entry);
      continue;
    }
    const std::uint64_t address = block.address(entry), width = entry.width;
    const SiteId site = entry.site;
    if (entry.kind == EventKind::load) {
      *cell++ = writers_.ask(site, address, width);
      if constexpr (all) readers_.put(entry, address);
    } else if constexpr (all) {
      *cell++ = writers_.swap(site, site, address, width);
      *cell++ = readers_.swap(site, k_no_site, address, width);
    } else {
      writers_.put(entry, address);
    }
  }
  return cell;
}

// The same, by functions that know of faults.
template <Kinds kinds, typename Sites>
[[gnu::noinline]] void DependenceEngine<kinds, Sites>::search_faulty(const Batch& batch,
                                                                     const Event& e,
                                                                     Answers& out) {
  const Block block = batch.block_of(sites_[0].block(batch, e));
  if (block.desc.iteration) iterate();
  for (const BlockEntry& entry : block.entries())
    if (entry.execution())
      search_access(entry.site, entry.kind == EventKind::store, block.address(entry),
                    entry.width, out);
    else
      search_between(block, entry);
}

// An access that may be anywhere.
template <Kinds kinds, typename Sites>
void DependenceEngine<kinds, Sites>::search_access(SiteId site, bool store,
                                                   std::uint64_t address, std::uint64_t width,
                                                   Answers& out) {
  if (!store) {
    out.add_cell(writers_.find(site, address, width));
    if constexpr (all) readers_.store(site, address, width);
    return;
  }
  if constexpr (all) {
    out.add_cell(writers_.find(site, address, width));
    out.add_cell(readers_.find(site, address, width));
    readers_.store(k_no_site, address, width);
  }
  writers_.store(site, address, width);
}

template <Kinds kinds, typename Sites>
[[gnu::noinline]] void DependenceEngine<kinds, Sites>::search_other(const Batch& batch,
                                                                    const Event& e,
                                                                    Answers& out) {
  Sites& sites = sites_[0];
  const std::uint64_t width = batch.width(e);
  switch (e.kind) {
    case EventKind::block: search_faulty(batch, e, out); break;
    case EventKind::load:
    case EventKind::store: {
      const bool store = e.kind == EventKind::store;
      search_access(sites.id(e.site, store), store, e.address, width, out);
      break;
    }
    case EventKind::range: search_range(batch, batch.ranges[e.index]); break;
    case EventKind::external_store:
      writers_.store(sites.id(k_external_site, true), e.address, width);
      if constexpr (all) readers_.clear(e.address, width);
      break;
    case EventKind::maybe_written: writers_.doubt(e.address, width); break;
    case EventKind::birth:
    case EventKind::death:
    case EventKind::local_birth: clear(e.address, width); break;
    case EventKind::loop_iteration: iterate(); break;
    case EventKind::loop_enter:
    case EventKind::loop_exit: break;
    case EventKind::thread: set_thread(e.index), sites.follow(e); break;
    case EventKind::gap:
      writers_.forget();
      if constexpr (all) readers_.forget();
      [[fallthrough]];
    default: sites.follow(e);
  }
}

template <Kinds kinds, typename Sites>
void DependenceEngine<kinds, Sites>::search_range(const Batch& batch, const Range& range) {
  if constexpr (!all && Sites::plain) {
    writers_.range(batch, range);
    return;
  }
  asked_.ranges.assign(1, range);
  Range& asked = asked_.ranges[0];
  asked.first = 0;
  // Loads that ask and stores that are there, of each access.
  const auto tell = [&](DependenceSearch& search, auto&& of_access) {
    asked_.accesses.clear();
    for (RangeAccess a : batch.accesses_of(range)) {
      a.site = sites_[0].id(a.site, a.store);
      a.range = 0;
      of_access(a);
    }
    asked.size = static_cast<std::uint32_t>(asked_.accesses.size());
    search.range(asked_, asked);
  };
  const auto add = [this](RangeAccess a, bool store, SiteId site) {
    a.store = store;
    a.site = site;
    asked_.accesses.push_back(a);
  };
  tell(writers_, [&add](const RangeAccess& a) {
    if (all || !a.store) add(a, false, a.site);
    if (a.store) add(a, true, a.site);
  });
  if constexpr (all)
    tell(readers_, [&add](const RangeAccess& a) {
      if (a.store) add(a, false, a.site);
      add(a, true, a.store ? k_no_site : a.site);
    });
}

// Both steps of a range of several rows: all rows at once, or one after the other.
template <Kinds kinds, typename Sites>
void DependenceEngine<kinds, Sites>::rows(const Batch& batch, const Range& range,
                                          Answers& answers) {
  if constexpr (!all && Sites::plain)
    if (writers_.rows(batch, range)) return;
  row_.events.assign(1, {0, {0}, 0, EventKind::range});
  row_.ranges.assign(1, range);
  row_.ranges[0].first = 0;
  row_.ranges[0].rows = 1;
  if (range.whole_outer()) count_.enter(range.outer);
  for (std::uint64_t i = 0; i < range.rows; i++) {
    answers.clear();
    row_.accesses.clear();
    for (const RangeAccess& a : batch.accesses_of(range)) row_.accesses.push_back(a.row(i));
    if (range.outer != 0) {
      iterate();
      count_.iterate(range.outer);
    }
    search_other(row_, row_.events[0], answers);
    count_other(row_, row_.events[0], answers);
  }
  if (range.whole_outer()) count_.exit(range.outer);
}

}  // namespace memprof::backend

#include "runtime/backend/modules/dependence/dependence_engine_count.h"
