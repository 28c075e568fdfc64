// dependence_engine.cc - one access at a time.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/dependence_engine.h"

#include "runtime/backend/fault.h"

namespace memprof::backend {
namespace {

void widen(std::uint64_t& address, std::uint64_t& width) {
  const std::uint64_t end = (address + width + 7) / 8 * 8;
  address = address / 8 * 8;
  width = end - address;
}

}  // namespace

void DependenceEngine::set_thread(std::uint32_t thread) {
  if (thread >= threads_.size()) threads_.resize(thread + 1);
  if (!threads_[thread]) threads_[thread] = std::make_unique<DependenceThread>();
  thread_ = threads_[thread].get();
  thread_number_ = thread;
  sinks_ = thread_->sinks.data();
  sinks_size_ = thread_->sinks.size();
}

void DependenceEngine::grow_sinks(SiteId sink) {
  std::vector<SinkCache>& sinks = thread_->sinks;
  if (sink >= sinks.size()) sinks.resize(sink + sink / 2 + 64);
  sinks_ = sinks.data();
  sinks_size_ = sinks.size();
}

void DependenceEngine::load(SiteId site, std::uint64_t address, std::uint64_t width,
                            std::uint64_t count) {
  if (address < k_address_limit && width != 0 && !faulty_) {
    const Cell cell = ShadowMemory::writer(shadow_.page(address), address, width);
    if (writer_p(cell)) {
      depend(site, cell, count);
      return;
    }
    if (cell == 0) return;
  }
  load_slow(site, address, width, count);
}

void DependenceEngine::loop_event(const BlockEntry& e, const std::uint64_t* words) {
  if (e.kind == EventKind::loop_iteration)
    iterate(e.site);
  else if (e.kind == EventKind::loop_enter)
    enter(e.site, e.frame(words));
  else
    exit(e.site);
}

void DependenceEngine::load_slow(SiteId site, std::uint64_t address, std::uint64_t width,
                                 std::uint64_t count) {
  if (faulty_) {
    if (g_fault == Fault::first_byte && width != 0) width = 1;
    if (g_fault == Fault::granule8) widen(address, width);
  }
  if (width == 0 || !in_memory(address, width)) return;
  const std::uint64_t offset = address % k_page;
  const PageEntry page = shadow_.page(address);
  if (offset + width <= k_page && !page.fine_p()) {
    if (page.empty()) return;
    Cell cell = ShadowMemory::k_several;
    if (const CompactPage* compact = page.compact()) {
      cell = compact->writer(offset, width, cell);
      if (!in_range_) shadow_.note_visits(shadow_.entry(address), 1);
    } else if (const DensePage* dense = page.dense()) {
      if (const Cell first = dense->cells[offset / k_granule]; ShadowMemory::unlike_p(first))
        cell = shadow_.common_writer(first, offset % k_granule, width);
      if (!in_range_) shadow_.note_visits(shadow_.entry(address), 1);
    } else {
      cell = ShadowMemory::find(*page.list(), static_cast<std::uint32_t>(offset),
                                static_cast<std::uint32_t>(width));
      if (!in_range_) shadow_.note_search(shadow_.entry(address));
    }
    if (cell == 0) return;
    if (cell != ShadowMemory::k_several) {
      depend(site, cell, count);
      return;
    }
  }
  load_bytes(site, address, width, count);
}

// Several writers, or bytes in two pages.
void DependenceEngine::load_bytes(SiteId site, std::uint64_t address, std::uint64_t width,
                                  std::uint64_t count) {
  execution_++;
  const LoopContext& loops = thread_->loops;
  // Writers in [done_low, done_low + done_span], by site, are counted already.
  Cell done_low = 0, done_span = 0;
  shadow_.for_each_writer(address, width, [&](Cell cell, int direction, std::uint64_t m) {
    // Downwards from the latest.
    if (direction > 0) cell = later(cell, static_cast<std::int64_t>(m - 1));
    while (m != 0) {
      if (m == 1 && by_site(cell) - done_low <= done_span && done_low != 0) return;
      const Stamp stamp = cell_stamp(cell);
      const Place place = loops.locate(stamp);
      const std::uint64_t n = std::min(m, stamp - place.low + 1);
      DependenceRow& r = row(cell_site(cell), site, *place.loop);
      DependenceRows::add_byte(r, loops, *place.loop, stamp, count, execution_);
      if (place.bucket == k_far) {
        if (n > 1) DependenceRows::add_stamp(r, loops, *place.loop, stamp - (n - 1), 0);
        done_low = by_site(cell);  // others here have other distances
        done_span = 0;
      } else {
        done_low = by_site(make_cell(cell_site(cell), place.low));
        done_span = std::min(place.high, k_stamp_mask) - place.low;
      }
      cell = later(cell, -static_cast<std::int64_t>(n));
      m -= n;
    }
  });
}

void DependenceEngine::fault_store(std::uint64_t& address, std::uint64_t& width) {
  if (g_fault == Fault::granule8 && width != 0) widen(address, width);
}

void DependenceEngine::clear(std::uint64_t address, std::uint64_t width) {
  if (g_fault == Fault::no_clear || address >= k_address_limit) return;
  shadow_.clear(address, std::min(width, k_address_limit - address));
}

}  // namespace memprof::backend
