// memory_trace.cc - requests to memory that accesses make, one by one.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/profile/memory_trace.h"

#include <algorithm>

namespace memprof::backend {

std::uint32_t MemoryTrace::frame_of(unsigned kind, std::uint64_t page) {
  const auto [at, fresh] =
      frames_.try_emplace(page << 3 | kind, static_cast<std::uint32_t>(numbered_.size()));
  if (!fresh) return at->second;
  Frame frame{kind == 0 ? page * k_page : 0, first_unknown_ + numbered_.size()};
  if (const FrameRun* const run = kind == 0 && known_ != nullptr ? known_->find(page) : nullptr)
    frame.place = run->frame + (page - run->page);
  numbered_.push_back(frame);
  return at->second;
}

// A line is used. Lines are numbered by frame and place in it.
void MemoryTrace::use(MemoryRequest request, std::uint64_t paddr, bool store) {
  const auto line = static_cast<std::uint32_t>(paddr / geometry_.line);
  const RecentLines::Use found = cache_.use(line, request.object, store);
  if (found.hit) return;
  request.paddr = place_of(line);
  sink_(request);
  if (!found.evicted.changed) return;
  const std::uint64_t written = std::uint64_t{found.evicted.number} * geometry_.line;
  request.paddr = place_of(found.evicted.number);
  request.vaddr = numbered_[written / k_page].page + written % k_page;
  request.object = found.evicted.owner;
  request.write = true;
  request.walk = 0;
  sink_(request);
}

void MemoryTrace::walk(MemoryRequest request) {
  constexpr std::uint64_t k_entry_bytes = 8, k_entries = 512;
  PageWalker& walker = walkers_.try_emplace(request.thread, geometry_).first->second;
  const std::uint64_t address = request.vaddr, page = address / k_page;
  const bool huge = huge_p(page);
  const std::uint32_t number = frame_of(0, huge ? page / k_pages_of_huge * k_pages_of_huge : page);
  const unsigned lowest = huge ? 1 : 0;  // a huge page has no entry in the lowest level
  for (unsigned level = lowest + walker.access({number, address, huge}); level > lowest; level--) {
    const std::uint64_t entry = address >> page_table_shift(level - 1);
    request.walk = static_cast<std::uint8_t>(level);
    use(request, frame_of(level, entry / k_entries) * k_page + entry % k_entries * k_entry_bytes,
        false);
  }
}

void MemoryTrace::access(std::uint32_t thread, std::uint64_t address, std::uint64_t width,
                         bool store, std::uint32_t object) {
  // A damaged stream may have accesses that end beyond the last address.
  const std::uint64_t last = address + std::min(std::max<std::uint64_t>(width, 1) - 1, ~address);
  MemoryRequest request;
  request.time = time_;
  request.thread = thread;
  request.object = object;
  for (std::uint64_t line = address & -std::uint64_t{geometry_.line};; line += geometry_.line) {
    request.vaddr = std::max(address, line);
    walk(request);
    request.vaddr = line;
    use(request, frame_of(0, line / k_page) * k_page + line % k_page, store);
    if (last - line < geometry_.line) break;
  }
  time_++;
}

}  // namespace memprof::backend
