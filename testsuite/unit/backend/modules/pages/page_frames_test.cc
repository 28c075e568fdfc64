// page_frames_test.cc - frames and sizes of pages, from files like those of the kernel.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/page_frames.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace memprof::backend {
namespace {

constexpr std::uint64_t k_present = std::uint64_t{1} << 63;
constexpr std::uint64_t k_huge = std::uint64_t{1} << 22;

// A file of words of eight bytes, of which those that were not written are 0.
class Words {
 public:
  explicit Words(const char* name) : path(::testing::TempDir() + "memprof-" + name) {
    std::ofstream(path, std::ios::trunc);
    EXPECT_EQ(truncate(path.c_str(), 8 << 20), 0);
  }
  void put(std::uint64_t at, std::uint64_t word) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at * sizeof word));
    file.write(reinterpret_cast<const char*>(&word), sizeof word);
  }
  const std::string path;
};

struct Kernel {
  Words pagemap{"pagemap"}, flags{"kpageflags"};
  // 512 pages from the beginning of an area, with frames from FRAME on.
  void put_area(std::uint64_t area, std::uint64_t frame) {
    for (std::uint64_t i = 0; i < 512; i++) pagemap.put(area * 512 + i, k_present | (frame + i));
  }
};

using Runs = std::vector<FrameRun>;

TEST(PageFrames, OfAnAlignedFlaggedAreaAreAHugePage) {
  Kernel kernel;
  kernel.put_area(3, 1024);
  kernel.put_area(4, 1537);  // not from a multiple of 512 on
  kernel.put_area(5, 2560);  // no flag
  kernel.flags.put(1024, k_huge);
  kernel.flags.put(1537, k_huge);
  PageFrames frames(kernel.pagemap.path, kernel.flags.path);
  for (const std::uint64_t area : {3, 4, 5}) frames.touched(area << 21 | 0x9000);
  EXPECT_TRUE(frames.readable());
  EXPECT_EQ(frames.huge_page(3u << 21), 1u);
  EXPECT_EQ(frames.huge_page((3u << 21) + 0x1fffff), 1u);
  EXPECT_EQ(frames.huge_page(4u << 21), 0u);
  EXPECT_EQ(frames.huge_page(5u << 21), 0u);
  const Frames all = frames.frames(7);
  EXPECT_EQ(all.pid, 7u);
  EXPECT_EQ(all.runs, (Runs{{3 * 512, 1024, 512, true},
                            {4 * 512, 1537, 512, false},
                            {5 * 512, 2560, 512, false}}));
}

TEST(PageFrames, AreAskedForAgainAndKeepWhatWasSeenFirst) {
  Kernel kernel;
  kernel.pagemap.put(1024, k_present | 77);
  PageFrames frames(kernel.pagemap.path, kernel.flags.path);
  frames.touched(1024 << 12);
  kernel.pagemap.put(1024, k_present | 99);
  kernel.pagemap.put(1025, k_present | 78);
  frames.touched(1032 << 12);  // another stretch of the area
  kernel.pagemap.put(1027, k_present | 80);
  EXPECT_EQ(frames.frames(1).runs, (Runs{{1024, 77, 2, false}, {1027, 80, 1, false}}));
}

TEST(PageFrames, ThatTheKernelHidesAreNotReadable) {
  Kernel kernel;
  kernel.pagemap.put(1024, k_present);
  PageFrames frames(kernel.pagemap.path, kernel.flags.path);
  EXPECT_TRUE(frames.readable());
  frames.touched(1024 << 12);
  EXPECT_FALSE(frames.readable());
  EXPECT_TRUE(frames.frames(1).runs.empty());
  EXPECT_FALSE(PageFrames("", kernel.flags.path).readable());
  EXPECT_FALSE(PageFrames(kernel.pagemap.path, "/nowhere").readable());
}

TEST(Frames, AreTheSameWhenReadAgain) {
  const std::string path = frames_path(::testing::TempDir() + "frames.memprof.json");
  EXPECT_TRUE(path.ends_with("frames.memprof.frames"));
  Frames frames;
  frames.pid = 42;
  for (std::uint64_t i = 0; i < 3; i++) frames.add(0x7f0000000 + i, 0x1000 + i, false);
  frames.add(0x7f0000003, 0x1004, false);
  frames.add(0x7f0000200, 0x1200, true);
  ASSERT_TRUE(write_frames(frames, path));
  const auto read = read_frames(path);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->pid, 42u);
  EXPECT_EQ(read->runs, (Runs{{0x7f0000000, 0x1000, 3, false},
                              {0x7f0000003, 0x1004, 1, false},
                              {0x7f0000200, 0x1200, 1, true}}));
  EXPECT_EQ(read->find(0x7f0000002)->frame, 0x1000u);
  EXPECT_EQ(read->find(0x7f0000004), nullptr);
  EXPECT_EQ(read->find(0), nullptr);
  EXPECT_EQ(read->after_last(), 0x1201u);
}

TEST(Frames, OfABrokenFileAreAnError) {
  const std::string path = ::testing::TempDir() + "broken.frames";
  for (const char* text :
       {"", "frames\n", "# memprof frames 2, process 1\n", "# memprof frames 1, process 1\n1 2 3\n",
        "# memprof frames 1, process 1\n1 2 3 8K\n", "# memprof frames 1, process 1\n1 2 0 4K\n",
        "# memprof frames 1, process 1\n1 2 3 4K x\n", "# memprof frames 1, process 1\n1 2 -1 4K\n",
        "# memprof frames 1, process 1\n5 2 3 4K\n7 2 3 4K\n"}) {
    std::ofstream(path, std::ios::trunc) << text;
    const auto frames = read_frames(path);
    EXPECT_FALSE(frames) << text;
    EXPECT_NE(frames.error().text().find("line "), std::string::npos) << text;
  }
  EXPECT_FALSE(read_frames("/nowhere/frames"));
  const std::string pipe = ::testing::TempDir() + "memprof-pipe.frames";
  ::unlink(pipe.c_str());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(read_frames(pipe));  // and does not wait for a writer
  ::unlink(pipe.c_str());
  EXPECT_FALSE(write_frames({}, "/nowhere/frames"));
}

}  // namespace
}  // namespace memprof::backend
