// page_frames.h - frames and sizes of a running program's pages, as its page tables have them.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// /proc/PID/pagemap has eight bytes for each page of 4 KB: bit 63, it is in memory; bits 0 to 54,
// its frame. /proc/kpageflags has eight for each frame: bits 17 and 22, it is part of a huge page.
// The kernel shows frames to those who administer the system (CAP_SYS_ADMIN); others read 0.
//
//     touched(0x7f12a0008000)      reads the entries of the 512 pages of [7f12a0000000, 7f12a0200000)
//     512 frames that follow each other from a multiple of 512 on, flagged: a huge page
//     else                         each page that is there has its frame
//
// That is asked when the program touches another 32 KB of these 2 MB for the first time, and in the
// end, which the program waits for. A page keeps the frame that was seen first. What is touched
// and given back between two questions stays unknown, and so does what the kernel makes huge later.
//
// Paper: Chen, Cui, Bao, Chen, Huang, Tan, ISPASS 2012, section 3.2: the kernel's page tables tell
// which page and process a physical address belongs to.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "runtime/backend/base/sparse_table.h"
#include "runtime/backend/modules/pages/frames.h"

namespace memprof::backend {

class PageFrames {
 public:
  static constexpr int k_huge_bits = 21;

  // PAGEMAP of the program, empty where there is none; FLAGS: of frames.
  PageFrames(const std::string& pagemap, const std::string& flags);
  ~PageFrames();
  PageFrames(const PageFrames&) = delete;
  PageFrames& operator=(const PageFrames&) = delete;

  // The kernel answers, as far as is known.
  bool readable() const { return pagemap_ >= 0; }
  // The program touches memory at ADDRESS, of which nothing was known.
  void touched(std::uint64_t address) {
    if (readable()) look(address >> k_huge_bits);
  }
  // The number of the huge page at ADDRESS, from 1; 0: it is none.
  std::uint32_t huge_page(std::uint64_t address) const {
    return huge_pages_ == 0 ? 0 : numbers_.get(address);
  }
  // All that was seen, and what is there now.
  Frames frames(std::uint32_t pid);

 private:
  static constexpr unsigned k_pages = 512;
  // Of 2 MB; frames by page, 0: not known.
  struct Area {
    std::array<std::uint64_t, k_pages> frames{};
    bool huge = false;
  };

  void look(std::uint64_t area);
  bool huge_p(const std::array<std::uint64_t, k_pages>& frames) const;
  void give_up();

  int pagemap_ = -1, flags_ = -1;
  std::map<std::uint64_t, Area> areas_;  // by address / 2 MB
  std::uint32_t huge_pages_ = 0;
  SparseTable<std::uint32_t, k_huge_bits> numbers_;
};

}  // namespace memprof::backend
