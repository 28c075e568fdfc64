// dependence_search.h - the first step of a dependence module: which site was here last?
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "runtime/backend/base/fault.h"
#include "runtime/backend/modules/dependence/dependence_answers.h"
#include "runtime/backend/shadow/shadow_memory.h"

namespace memprof::backend {

class DependenceCount;

// Where the executions of an access of a range are, in all rows: bytes [low, high).
struct Hull {
  std::uint64_t low, high;

  bool meets(const Hull& other) const { return low < other.high && other.low < high; }
};

// One shadow memory. Which sites are in it, and which ask, is up to its user.
class DependenceSearch {
 public:
  explicit DependenceSearch(Question question) : question_(question) {}

  // From now on what takes more than a cell goes to OUT; if COUNTING is not null, it goes
  // on to that one whenever it is much.
  void answer_to(Answers& out, DependenceCount* counting = nullptr) {
    out_ = &out;
    counting_ = counting;
  }

  // Of a block, unless faulty(). The writers of the bytes that COUNT executions of SITE access.
  [[gnu::always_inline]] Cell ask(SiteId site, std::uint64_t address, std::uint64_t width,
                                  std::uint64_t count = 1) {
    const Cell cell = ShadowMemory::writer(shadow_.page(address), address, width);
    return writer_p(cell) || cell == 0 ? cell : find_slow(site, address, width, count);
  }
  // The site of ENTRY is there from then on.
  [[gnu::always_inline]] void put(const BlockEntry& entry, std::uint64_t address) {
    if (!ShadowMemory::overwrite(shadow_.page(address), address, entry.width, entry.unit_shift,
                                 make_cell(entry.site, clock_))) [[unlikely]]
      store(entry.site, address, entry.width);
  }
  // Both: ASKER asks, then SITE is there; k_no_site: no site is.
  [[gnu::always_inline]] Cell swap(SiteId asker, SiteId site, std::uint64_t address,
                                   std::uint64_t width) {
    Cell cell = ShadowMemory::exchange(shadow_.page(address), address, width,
                                       cell_of(site, clock_));
    if (writer_p(cell) || cell == 0) [[likely]] return cell;
    cell = ask(asker, address, width);
    store(site, address, width);
    return cell;
  }

  // The same anywhere.
  Cell find(SiteId site, std::uint64_t address, std::uint64_t width, std::uint64_t count = 1) {
    return address < k_address_limit && width != 0 && !faulty_
               ? ask(site, address, width, count)
               : find_slow(site, address, width, count);
  }
  void store(SiteId site, std::uint64_t address, std::uint64_t width) {
    if (faulty_) [[unlikely]] fault_store(address, width);
    if (width != 0 && in_memory(address, width))
      shadow_.store(address, width, cell_of(site, clock_));
  }
  // Blocks of SERIES, each an iteration of accesses only: what they find goes to CELL and
  // after it, access by access. Null, and nothing was done: that is not possible.
  Cell* series(const BlockSeries& series, Cell* cell);
  void clear(std::uint64_t address, std::uint64_t width);
  // From now on it is uncertain that the recorded writers have written these bytes.
  void doubt(std::uint64_t address, std::uint64_t width);
  void iterate() { clock_ += tick_; }
  void tick() { clock_++; }
  // A range, whose loads ask and whose stores are there; no load is there.
  void range(const Batch& batch, const Range& range);
  // One of several rows, if the second step is at hand. False: nothing was done.
  bool rows(const Batch& batch, const Range& range);
  void forget() { shadow_.forget(); }
  // Whether much is known of what such a range reads, if one need not hand it over.
  bool sorted_p(const RangeAccess& access) const {
    return access.count >= SortedRuns::k_shortest &&
           shadow_.page_of_any(access.address).sorted_p();
  }
  // Whether what it does is wrong, on purpose.
  bool faulty() const { return faulty_; }

  [[gnu::always_inline]] void prefetch(std::uint64_t address) const { shadow_.prefetch(address); }

  // Of a range, to keep; of a batch, far fewer: one would rather have them in the caches.
  static inline std::uint64_t most_answers = 1 << 17;  // less in tests

 private:
  [[gnu::noinline]] Cell find_slow(SiteId site, std::uint64_t address, std::uint64_t width,
                                   std::uint64_t count);
  Cell find_bytes(SiteId site, std::uint64_t address, std::uint64_t width, std::uint64_t count);
  static void fault_store(std::uint64_t& address, std::uint64_t& width);
  [[gnu::always_inline]] void answer(Answer answer) {
    make_room();
    answer.question = question_;
    out_->add(answer);
  }
  void make_room() {
    if (counting_ && out_->listed() >= most_answers / 32) settle();
  }
  void settle();

  // What is not one access: each works on this shadow.
  friend class SeriesSearch;  // several blocks
  friend class RangeSearch;   // a range
  friend class RangeLoads;    // its loads
  friend class NestSearch;    // several rows

  const Question question_;
  Answers* out_ = nullptr;
  DependenceCount* counting_ = nullptr;
  bool in_range_ = false;  // lists of segments are in use: they must stay
  bool gathers_ = false;   // the second step adds up what is alike
  const bool faulty_ = g_fault != Fault::none;
  const Stamp tick_ = g_fault == Fault::iters ? 0 : 1;
  Stamp clock_ = 1;
  ShadowMemory shadow_;
};

}  // namespace memprof::backend
