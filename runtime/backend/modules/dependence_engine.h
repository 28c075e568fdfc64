// dependence_engine.h - the two steps of a dependence module.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The first step knows the memory: who was at each byte last (dependence_search.h). The
// second knows the loops and the rows: which loop carries a dependence, at which
// distance, and where it is counted (dependence_count.h). Neither asks the other
// anything: the first hands over what it has found in a batch (dependence_answers.h), so
// they can be at different batches, on different processors.
//
//     search     batch 3: store 7 here, load 9 there    who was there?
//                     |  cells, answers
//     count      batch 2: who it was, how far back      whose row?
//
// The exception are ranges of many iterations, of which there may be more to tell than
// one would like to keep. The first step leaves the rest of the batch to the second,
// which does both from there on, and goes on behind it.
#pragma once

#include <algorithm>
#include <deque>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/backend/modules/dependence_count.h"
#include "runtime/backend/modules/dependence_search.h"

namespace memprof::backend {

// Which accesses ask which question, and who is in the shadow from then on.
//
//                last writer                     last reader
//   flow         loads ask, stores are there     -
//   all          both ask, stores are there      stores ask, loads are there,
//                (RAW and WAW)                   nobody is where a store was (WAR)
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
    const std::size_t size = batch.events.size();
    std::size_t i = 0;
    for (; i < size && !too_much(batch, batch.events[i], answers); i++)
      search_event(batch, batch.events[i], answers);
    answers.events = i;
    put(found_, std::move(answers));
    return i == size;
  }
  void count(const Batch& batch) {
    Answers answers = take(found_);
    std::size_t i = 0;
    for (; i < answers.events; i++) count_event(batch, batch.events[i], answers);
    for (; i < batch.events.size(); i++) {
      const Event& e = batch.events[i];
      answers.clear();
      answer_to(answers, e.kind == EventKind::block ? nullptr : &count_);
      search_event(batch, e, answers);
      count_event(batch, e, answers);
    }
    put(free_, std::move(answers));
  }

  const DependenceRows& rows(Question question) const { return count_.rows(question); }
  // As the second step has them.
  const Sites& sites() const { return sites_[1]; }

 private:
  static constexpr bool all = kinds == Kinds::all;
  static constexpr std::size_t k_ahead = 12;

  // Whether the answers to a range or a single access may be too many to keep.
  static bool too_much(const Batch& batch, const Event& event, const Answers& out) {
    std::uint64_t most = 0;
    if (event.kind == EventKind::range) {
      const Range& range = batch.ranges[event.index];
      most = range.count;
      for (const RangeAccess& a : batch.accesses_of(range))
        most += std::min(a.count, DependenceSearch::most_answers) * (1 + a.width / k_granule);
    } else if (event.kind == EventKind::load || event.kind == EventKind::store) {
      most = batch.width(event) / k_granule;
    }
    constexpr auto& limit = DependenceSearch::most_answers;
    return most > limit || (most != 0 && out.listed() > limit / 32);
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

  // Blocks first: all else is rare.
  void search_event(const Batch& batch, const Event& e, Answers& out) {
    prefetch_ahead(batch, e);
    if (e.kind == EventKind::block)
      search_block(batch, sites_[0].block(batch, e), out);
    else
      search_other(batch, e, out);
  }
  void search_block(const Batch& batch, const Event& e, Answers& out);
  void search_other(const Batch& batch, const Event& e, Answers& out);
  void search_range(const Batch& batch, const Range& range);
  void iterate() {
    writers_.iterate();
    if constexpr (all) readers_.iterate();
  }
  void clear(std::uint64_t address, std::uint64_t width) {
    writers_.clear(address, width);
    if constexpr (all) readers_.clear(address, width);
  }

  void count_event(const Batch& batch, const Event& e, Answers& in) {
    if (e.kind == EventKind::block)
      count_block(batch, sites_[1].block(batch, e), in);
    else
      count_other(batch, e, in);
  }
  void count_block(const Batch& batch, const Event& e, Answers& in);
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
  Sites sites_[2];  // of each step
  Batch told_;      // a range, as a search is told of it
  std::mutex mutex_;
  std::deque<Answers> found_, free_;
};

template <Kinds kinds, typename Sites>
[[gnu::always_inline]] inline void DependenceEngine<kinds, Sites>::search_block(
    const Batch& batch, const Event& e, Answers& out) {
  const Block block = batch.block_of(e);
  if (block.desc.iteration) iterate();
  Cell* cell = out.room(2 * std::size_t{block.desc.entries});
  for (const BlockEntry& entry : block.entries()) {
    if (entry.kind > EventKind::store) [[unlikely]] {
      if (entry.kind == EventKind::loop_iteration) iterate();
      continue;
    }
    const std::uint64_t address = block.address(entry), width = entry.width;
    const SiteId site = entry.site;
    if (entry.kind == EventKind::load) {
      *cell++ = writers_.ask(site, address, width);
      if constexpr (all) readers_.put(site, address, width);
    } else if constexpr (all) {
      *cell++ = writers_.swap(site, site, address, width);
      *cell++ = readers_.swap(site, k_no_site, address, width);
    } else {
      writers_.put(site, address, width);
    }
  }
  out.end_cells(cell);
}

template <Kinds kinds, typename Sites>
[[gnu::noinline]] void DependenceEngine<kinds, Sites>::search_other(const Batch& batch,
                                                                    const Event& e,
                                                                    Answers& out) {
  Sites& sites = sites_[0];
  const std::uint64_t width = batch.width(e);
  switch (e.kind) {
    case EventKind::load: {
      const SiteId site = sites.id(e.site, false);
      out.add_cell(writers_.find(site, e.address, width));
      if constexpr (all) readers_.store(site, e.address, width);
      break;
    }
    case EventKind::store: {
      const SiteId site = sites.id(e.site, true);
      if constexpr (all) {
        out.add_cell(writers_.find(site, e.address, width));
        out.add_cell(readers_.find(site, e.address, width));
        readers_.store(k_no_site, e.address, width);
      }
      writers_.store(site, e.address, width);
      break;
    }
    case EventKind::range: search_range(batch, batch.ranges[e.index]); break;
    case EventKind::external_store:
      writers_.store(sites.id(k_external_site, true), e.address, width);
      if constexpr (all) readers_.clear(e.address, width);
      break;
    case EventKind::birth:
    case EventKind::death:
    case EventKind::local_birth: clear(e.address, width); break;
    case EventKind::loop_iteration: iterate(); break;
    case EventKind::loop_enter:
    case EventKind::loop_exit: break;
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
  told_.ranges.assign(1, range);
  Range& told = told_.ranges[0];
  told.first = 0;
  // Loads that ask and stores that are there, of each access.
  const auto tell = [&](DependenceSearch& search, auto&& of_access) {
    told_.accesses.clear();
    for (RangeAccess a : batch.accesses_of(range)) {
      a.site = sites_[0].id(a.site, a.store);
      a.range = 0;
      of_access(a);
    }
    told.size = static_cast<std::uint32_t>(told_.accesses.size());
    search.range(told_, told);
  };
  const auto add = [this](RangeAccess a, bool store, SiteId site) {
    a.store = store;
    a.site = site;
    told_.accesses.push_back(a);
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

template <Kinds kinds, typename Sites>
[[gnu::always_inline]] inline void DependenceEngine<kinds, Sites>::count_block(
    const Batch& batch, const Event& e, Answers& in) {
  const Block block = batch.block_of(e);
  if (block.desc.iteration) count_.iterate(block.desc.loop);
  const Cell* cell = in.unread_cells();
  for (const BlockEntry& entry : block.entries())
    if (entry.kind > EventKind::store) [[unlikely]]
      count_.loop_event(entry, block.words);
    else
      cell = count_access(entry.site, entry.kind == EventKind::store, cell, in);
  in.read_until(cell);
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
    case EventKind::loop_enter: count_.enter(e.index, e.address); break;
    case EventKind::loop_iteration: count_.iterate(e.index); break;
    case EventKind::loop_exit: count_.exit(e.index); break;
    case EventKind::loop_resume: count_.resume(e.index, e.address), sites.follow(e); break;
    case EventKind::thread_end: count_.end_thread(), sites.follow(e); break;
    case EventKind::gap: count_.forget(), sites.follow(e); break;
    case EventKind::thread: count_.set_thread(e.index), sites.follow(e); break;
    default: sites.follow(e);
  }
}

}  // namespace memprof::backend
