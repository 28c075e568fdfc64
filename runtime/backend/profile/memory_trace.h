// memory_trace.h - requests to memory that accesses make, one by one.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The paper's tuple <paddr, r/w, time, pid, vaddr, object, page-walk>: what a card between the
// last-level cache and memory sees, with what the kernel knows of pages and malloc of objects. Here
// the accesses go through the model of the module pages (pages.h's essay), of which nothing is
// left out: every stretch of memory, every window.
//
//     load 0x4008        walk: four entries of page tables, of which each is a request: r, walk 4 to 1
//                        line 0x4000 is in no cache: r
//     store 0x4010       nothing
//     ...                the line is replaced: w, of the object that was stored to
//
// Frames and sizes of pages are those that pages:pagemap has written (frames.h). Without them, and for
// pages that they do not report, and for the page tables, which the kernel does not show, frames are
// numbered after the last one that is known, in the order in which pages are touched first, and pages
// are of 4 KB.
//
// Paper: Chen, Cui, Bao, Chen, Huang, Tan, ISPASS 2012, section 3.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "runtime/backend/modules/pages/frames.h"
#include "runtime/backend/modules/pages/page_geometry.h"
#include "runtime/backend/modules/pages/page_walker.h"
#include "runtime/backend/modules/pages/recent_lines.h"

namespace memprof::backend {

struct MemoryRequest {
  std::uint64_t paddr = 0, vaddr = 0;  // of the line; of an entry of page tables, vaddr of what it is for
  std::uint64_t time = 0;              // accesses before the one that made it
  std::uint32_t thread = 0;            // of that access
  std::uint32_t object = 0;            // its number; of a write, of the last store to the line
  bool write = false;
  std::uint8_t walk = 0;               // 1: an entry of the lowest level of page tables, ... 4; 0: data
};

class MemoryTrace {
 public:
  using Sink = std::function<void(const MemoryRequest&)>;

  // FRAMES that are known, or null.
  MemoryTrace(const PageGeometry& geometry, Sink sink, const Frames* frames = nullptr)
      : geometry_(geometry),
        known_(frames),
        first_unknown_(frames == nullptr ? 0 : frames->after_last()),
        cache_({geometry.llc.size / geometry.line, geometry.llc.ways}),
        sink_(std::move(sink)) {}

  // The next access. OBJECT is below 2^31.
  void access(std::uint32_t thread, std::uint64_t address, std::uint64_t width, bool store,
              std::uint32_t object);
  std::uint64_t time() const { return time_; }

 private:
  static constexpr std::uint64_t k_page = k_page_bytes, k_pages_of_huge = k_huge_page_bytes / k_page;
  // Lines and frames of the model have small numbers, by which these are found.
  struct Frame {
    std::uint64_t page;   // of data, as an address; 0: of page tables
    std::uint64_t place;  // in physical memory, in pages
  };

  std::uint32_t frame_of(unsigned kind, std::uint64_t page);
  void walk(MemoryRequest request);
  void use(MemoryRequest request, std::uint64_t paddr, bool store);

  bool huge_p(std::uint64_t page) const {
    const FrameRun* const run = known_ == nullptr ? nullptr : known_->find(page);
    return run != nullptr && run->huge;
  }
  std::uint64_t place_of(std::uint32_t line) const {
    const std::uint64_t address = std::uint64_t{line} * geometry_.line;
    return numbered_[address / k_page].place * k_page + address % k_page;
  }

  const PageGeometry geometry_;
  const Frames* const known_;
  const std::uint64_t first_unknown_;
  RecentLines cache_;
  Sink sink_;
  std::map<std::uint32_t, PageWalker> walkers_;  // by thread
  // Numbers of frames by page, and by kind: 0 data, else the level of the table, from 1. They
  // begin with 1.
  std::unordered_map<std::uint64_t, std::uint32_t> frames_;
  std::vector<Frame> numbered_{{0, 0}};
  std::uint64_t time_ = 0;
};

}  // namespace memprof::backend
