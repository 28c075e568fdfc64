// shadow_memory.cc - the last writer of each byte of the program's memory, and when it wrote.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/shadow/shadow_memory.h"

#include <algorithm>
#include <cassert>

#include "runtime/backend/base/huge_pages.h"

namespace memprof::backend {

ShadowMemory::ShadowMemory()
    : leaves_(k_address_limit >> k_leaf_shift),
      no_leaf_(static_cast<PageEntry*>(map_pages(k_leaf_pages * sizeof(PageEntry)))) {
  std::fill(leaves_.begin(), leaves_.end(), no_leaf_);
}

ShadowMemory::~ShadowMemory() {
  for (PageEntry* leaf : leaves_)
    if (leaf != no_leaf_) munmap(leaf, k_leaf_pages * sizeof(PageEntry));
  munmap(no_leaf_, k_leaf_pages * sizeof(PageEntry));
}

PageEntry* ShadowMemory::make_leaf(std::uint64_t number) {
  assert(number < leaves_.size());
  leaves_[number] = static_cast<PageEntry*>(map_pages(k_leaf_pages * sizeof(PageEntry)));
  return leaves_[number];
}

void ShadowMemory::forget() {
  if (pages_.begin_to_list())
    for (PageEntry* leaf : leaves_)
      if (leaf != no_leaf_)
        for (PageEntry* e = leaf; e < leaf + k_leaf_pages; e++) pages_.list(*e);
  pages_.forget();
}

void ShadowMemory::store_slow(std::uint64_t address, std::uint64_t width, Cell cell) {
  while (width != 0) {
    const std::uint64_t offset = address % k_page;
    const std::uint64_t size = std::min(width, k_page - offset);
    pages_.store(entry(address), static_cast<std::uint32_t>(offset),
                  static_cast<std::uint32_t>(size), cell);
    address += size;
    width -= size;
  }
}

void ShadowMemory::store_run(const StoreRun& run) {
  if (run.width == 0 || run.count == 0) return;
  const auto stamp_of = [&run](std::uint64_t i) {
    return run.stamp + static_cast<Stamp>(run.pace) * i;
  };
  const std::uint64_t start = run.address % k_page;
  if (run.count == 1 && start + run.width <= k_page) {
    pages_.put(entry(run.address), Segment::single(static_cast<std::uint32_t>(start),
                                   static_cast<std::uint32_t>(start + run.width), run.site,
                                   run.stamp));
    return;
  }
  // Elements that do not share pages, or that are as large as pages.
  if (run.count == 1 || run.step > k_page / 8 || run.width > k_page / 8) {
    for (std::uint64_t i = 0; i < run.count; i++)
      store(run.address + i * run.step, run.width, cell_of(run.site, stamp_of(i)));
    return;
  }
  Segment s{};
  s.site = run.site;
  s.step = static_cast<std::uint16_t>(run.step);
  s.width = static_cast<std::uint16_t>(run.width);
  s.reciprocal = reciprocal_of(run.step);
  s.pace = run.pace;
  for (std::uint64_t i = 0; i < run.count;) {
    const std::uint64_t address = run.address + i * run.step;
    const std::uint64_t offset = address % k_page;
    // Elements that lie in this page as a whole, then the one that straddles.
    std::uint64_t n = offset + run.width > k_page
                          ? 0
                          : steps_in(k_page - run.width - offset, s.reciprocal) + 1;
    n = std::min(n, run.count - i);
    if (n != 0) {
      s.stamp = stamp_of(i);
      s.first = static_cast<std::uint16_t>(offset);
      s.end = static_cast<std::uint16_t>(offset + (n - 1) * run.step + run.width);
      if (n == 1)
        pages_.put(entry(address), Segment::single(s.first, s.end, s.site, s.stamp));
      else
        pages_.put(entry(address), s);
      i += n;
    }
    const std::uint64_t next = run.address + i * run.step;
    if (i < run.count && next / k_page == address / k_page) {
      const std::uint64_t split = (next / k_page + 1) * k_page;
      pages_.put(entry(next), Segment::single(static_cast<std::uint32_t>(next % k_page), k_page, run.site,
                              stamp_of(i)));
      pages_.put(entry(split), Segment::single(0, static_cast<std::uint32_t>(next + run.width - split),
                               run.site, stamp_of(i)));
      i++;
    }
  }
}

void ShadowMemory::clear_slow(std::uint64_t address, std::uint64_t width) {
  while (width != 0) {
    if (leaves_[address >> k_leaf_shift] == no_leaf_) {
      const std::uint64_t skip = (((address >> k_leaf_shift) + 1) << k_leaf_shift) - address;
      if (skip >= width) return;
      address += skip;
      width -= skip;
      continue;
    }
    const std::uint64_t offset = address % k_page;
    const std::uint64_t size = std::min(width, k_page - offset);
    PageEntry& page = entry(address);
    if (!page.empty()) {
      if (size == k_page)
        pages_.drop(page);
      else
        pages_.put(page, Segment::single(static_cast<std::uint32_t>(offset),
                         static_cast<std::uint32_t>(offset + size), k_no_site, 0));
    }
    address += size;
    width -= size;
  }
}

}  // namespace memprof::backend
