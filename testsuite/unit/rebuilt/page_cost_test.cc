// page_cost_test.cc - huge pages are given up where touching one takes long.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <time.h>

#include <cstdint>
#include <deque>

namespace {
std::uint64_t page_clock = 1;
std::deque<std::uint64_t> touches;  // what the next ones take, in microseconds; then 100
bool touching = false;

int clock_of_pages(int, timespec* now) {
  if (touching) {
    page_clock += 1000 * (touches.empty() ? 100 : touches.front());
    if (!touches.empty()) touches.pop_front();
  }
  *now = {static_cast<time_t>(page_clock / 1000000000), static_cast<long>(page_clock % 1000000000)};
  touching = !touching;
  return 0;
}
}

#include <gtest/gtest.h>

#define clock_gettime clock_of_pages
#include "runtime/arena/arena.h"
namespace {
mprt_arena::user_options options_of_test = {};
}
#include "runtime/arena/page_cost.cc"
#undef clock_gettime

// As the environment has it.
mprt_arena::user_options mprt_arena::read_options() { return options_of_test; }

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace {

using mprt_arena::k_slab_bytes;
using mprt_arena::soon_used;

// A block of MEGABYTES that begins a few bytes after a huge page does.
struct Block {
  explicit Block(std::size_t megabytes) : bytes(megabytes << 20), memory(new char[bytes + 2 * k_slab_bytes]()) {
    begin = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(memory.get()) + k_slab_bytes) & -k_slab_bytes) + 64;
  }
  std::size_t bytes;
  std::unique_ptr<char[]> memory;
  char* begin;
};

class PageCost : public testing::Test {
 protected:
  void SetUp() override {
    touches.clear();
    touching = false;
    mprt_arena::slow_until = 0;
    options_of_test = {};
    mprt_arena::host_takes_memory = mprt_arena::NO;
  }
  static std::uint64_t pause() { return mprt_arena::slow_until - page_clock; }
  // How many touches a block of MEGABYTES takes.
  static std::size_t count(std::size_t megabytes) {
    touches.assign(10000, 100);
    EXPECT_TRUE(mprt_arena::touch_pages(Block(megabytes).begin, megabytes << 20, soon_used::all));
    return 10000 - touches.size();
  }
};

TEST_F(PageCost, QuickPagesStayHuge) {
  const Block block(64);
  EXPECT_TRUE(mprt_arena::touch_pages(block.begin, block.bytes, soon_used::all));
  EXPECT_FALSE(mprt_arena::slow_pages_p());
}

TEST_F(PageCost, ASlowPageEndsThemForAHundredTimesItsTime) {
  const Block block(64);
  touches = {4900};
  EXPECT_FALSE(mprt_arena::touch_pages(block.begin, block.bytes, soon_used::all));
  EXPECT_EQ(pause(), 490'000'000u);
  touching = false;
  EXPECT_TRUE(mprt_arena::slow_pages_p());
  page_clock += 491'000'000;
  touching = false;
  EXPECT_FALSE(mprt_arena::slow_pages_p());
}

TEST_F(PageCost, ASecondIsSlow) {
  touches = {100, 100, 1001};
  EXPECT_FALSE(mprt_arena::touch_pages(Block(200).begin, 200 << 20, soon_used::all));
}

TEST_F(PageCost, AnyCostIsPaidIfTheUserSaysSo) {
  options_of_test.any_cost = true;
  touches = {4900};
  EXPECT_TRUE(mprt_arena::touch_pages(Block(64).begin, 64 << 20, soon_used::all));
  EXPECT_FALSE(mprt_arena::slow_pages_met_p());
}

TEST_F(PageCost, NothingIsTouchedThatIsNotUsed) {
  touches = {100, 4900, 100};
  EXPECT_TRUE(mprt_arena::touch_pages(Block(64).begin, 64 << 20, soon_used::nothing));
  EXPECT_EQ(touches.size(), 3u);
  EXPECT_TRUE(mprt_arena::touch_pages(Block(64).begin, 64 << 20, soon_used::beginning));
  EXPECT_FALSE(mprt_arena::touch_pages(Block(64).begin, 64 << 20, soon_used::beginning));
  EXPECT_EQ(touches.size(), 1u);
}

TEST_F(PageCost, TouchesChangeNothing) {
  const Block block(4);
  for (std::size_t i = 0; i < block.bytes; i += 4096) block.begin[i - 64] = static_cast<char>(i >> 12);
  EXPECT_TRUE(mprt_arena::touch_pages(block.begin, block.bytes, soon_used::all));
  for (std::size_t i = 0; i < block.bytes; i += 4096) EXPECT_EQ(block.begin[i - 64], static_cast<char>(i >> 12));
}

TEST_F(PageCost, ABlockWithoutAWholePageIsNotTouched) {
  const Block block(4);
  touches = {4900};
  EXPECT_TRUE(mprt_arena::touch_pages(block.begin, (2 << 20) + 100, soon_used::all));
  EXPECT_EQ(touches.size(), 1u);
}

TEST_F(PageCost, HalfOfABlockIsTouchedWhereTheHostTakesMemory) {
  EXPECT_EQ(count(16), 1u);
  EXPECT_EQ(count(200), 4u);
  EXPECT_EQ(count(2000), 8u);
  mprt_arena::host_takes_memory = mprt_arena::YES;
  EXPECT_EQ(count(16), 4u);
  EXPECT_EQ(count(200), 50u);
}

TEST_F(PageCost, TheBalloonSaysWhetherTheHostTakesMemory) {
  const std::string folder = testing::TempDir() + "/virtio";
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(mprt_arena::balloon_reports_p(folder.c_str()));
  const auto write = [&](int number, const char* kind, const char* features) {
    const std::string device = folder + "/virtio" + std::to_string(number);
    std::filesystem::create_directories(device);
    std::ofstream(device + "/device") << kind << '\n';
    std::ofstream(device + "/features") << features << '\n';
  };
  write(0, "0x0002", "0010011001100100");
  EXPECT_FALSE(mprt_arena::balloon_reports_p(folder.c_str()));
  write(1, "0x0005", "0110000100000000");
  EXPECT_FALSE(mprt_arena::balloon_reports_p(folder.c_str()));
  write(1, "0x0005", "0110010100000000");
  EXPECT_TRUE(mprt_arena::balloon_reports_p(folder.c_str()));
  std::filesystem::remove_all(folder);
}

}  // namespace
