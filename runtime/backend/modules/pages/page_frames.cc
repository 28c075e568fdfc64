// page_frames.cc - frames and sizes of a running program's pages, as its page tables have them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/page_frames.h"

#include <fcntl.h>
#include <unistd.h>

namespace memprof::backend {

namespace {

// Documentation/admin-guide/mm/pagemap.rst of Linux.
constexpr std::uint64_t k_present = std::uint64_t{1} << 63;
constexpr std::uint64_t k_frame = (std::uint64_t{1} << 55) - 1;
constexpr std::uint64_t k_huge_flags = std::uint64_t{1} << 17 | std::uint64_t{1} << 22;

}  // namespace

PageFrames::PageFrames(const std::string& pagemap, const std::string& flags) {
  if (pagemap.empty()) return;
  pagemap_ = open(pagemap.c_str(), O_RDONLY | O_CLOEXEC);
  flags_ = open(flags.c_str(), O_RDONLY | O_CLOEXEC);
  if (flags_ < 0) give_up();
}

PageFrames::~PageFrames() {
  give_up();
  if (flags_ >= 0) close(flags_);
}

void PageFrames::give_up() {
  if (pagemap_ >= 0) close(pagemap_);
  pagemap_ = -1;
}

// Whether the pages of an area with FRAMES are one huge page.
bool PageFrames::huge_p(const std::array<std::uint64_t, k_pages>& frames) const {
  const std::uint64_t first = frames[0];
  if (first == 0 || first % k_pages != 0) return false;
  for (unsigned i = 1; i < k_pages; i++)
    if (frames[i] != first + i) return false;
  std::uint64_t flags = 0;
  return pread(flags_, &flags, sizeof flags, static_cast<off_t>(first * sizeof flags)) ==
             sizeof flags &&
         (flags & k_huge_flags) != 0;
}

void PageFrames::look(std::uint64_t number) {
  Area& area = areas_[number];
  if (area.huge) return;
  std::array<std::uint64_t, k_pages> entries;
  // A program that has ended has none; what was seen stays.
  if (pread(pagemap_, entries.data(), sizeof entries,
            static_cast<off_t>(number * sizeof entries)) != sizeof entries)
    return;
  for (std::uint64_t& entry : entries) {
    const bool present = (entry & k_present) != 0;
    entry &= k_frame;
    if (!present) entry = 0;
    if (present && entry == 0) {  // hidden
      give_up();
      return;
    }
  }
  for (unsigned i = 0; i < k_pages; i++)
    if (area.frames[i] == 0) area.frames[i] = entries[i];
  if (area.frames != entries || !huge_p(entries)) return;
  area.huge = true;
  numbers_.at(number << k_huge_bits) = ++huge_pages_;
}

Frames PageFrames::frames(std::uint32_t pid) {
  Frames all;
  all.pid = pid;
  for (auto& [number, area] : areas_) {
    touched(number << k_huge_bits);
    for (unsigned i = 0; i < k_pages; i++)
      if (area.frames[i] != 0) all.add(number * k_pages + i, area.frames[i], area.huge);
  }
  return all;
}

}  // namespace memprof::backend
