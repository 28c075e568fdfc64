// frames.h - where the pages of a program lay in physical memory: PROG.memprof.frames.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Text, a line for each run of pages whose frames follow each other:
//
//     # memprof frames 1, process 2304
//     # page frame pages size        numbers of 4 KB each; the first two hexadecimal
//     55e012340 1a2b3c 16 4K
//     7f12a0000 4c6800 512 2M
//
// Page 55e012340 is the addresses from 0x55e012340000 on. A huge page has 512 frames. Runs are
// sorted and do not overlap. `memprof trace' reads it beside the profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "feedback/result.h"

namespace memprof::backend {

struct FrameRun {
  std::uint64_t page = 0, frame = 0, pages = 0;
  bool huge = false;

  bool operator==(const FrameRun&) const = default;
};

struct Frames {
  std::uint32_t pid = 0;
  std::vector<FrameRun> runs;  // by page

  // Adds the next page, which is after those that are there.
  void add(std::uint64_t page, std::uint64_t frame, bool huge);
  // The run that PAGE is in, or null.
  const FrameRun* find(std::uint64_t page) const;
  // A number that is larger than that of any frame.
  std::uint64_t after_last() const;
};

std::string frames_path(const std::string& profile_path);
feedback::Status write_frames(const Frames& frames, const std::string& path);
feedback::Result<Frames> read_frames(const std::string& path);

}  // namespace memprof::backend
