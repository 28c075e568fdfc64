// recorder_test.cc - accesses into a file of streams and back.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/recorder.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>

#include "feedback/streams/access_reader.h"

namespace memprof::streams {
namespace {

class Streams : public ::testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/memprof-streams.XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    folder_ = folder;
  }
  void TearDown() override {
    unlink(path().c_str());
    rmdir(folder_.c_str());
  }
  std::string path() const { return folder_ + "/a.memprof.streams"; }

  // A program of THREADS threads that goes round lists, and frees and makes objects.
  void record(RecorderOptions options, unsigned threads, std::uint64_t seed) {
    StreamWriter out(path());
    Recorder recorder(options, out);
    std::mt19937_64 random(seed);
    struct Live {
      ObjectName name;
      std::uint64_t base;
    };
    std::vector<Live> live;
    std::uint32_t serial[3] = {};
    for (int i = 0; i < 3000; i++) {
      const auto thread = static_cast<std::uint32_t>(random() % threads);
      if (live.size() < 5 || random() % 20 == 0) {
        const auto group = static_cast<std::uint32_t>(1 + random() % 2);
        live.push_back({{group, serial[group]++}, random() >> 20});
        recorder.birth(thread, live.back().name, live.back().base, 64);
      }
      if (live.size() > 8) {
        recorder.death(live.front().name);
        live.erase(live.begin());
      }
      for (int k = 0; k < 10; k++) {
        const Live& object = live[static_cast<std::size_t>(k) % live.size()];
        const std::uint64_t offset = 8 * (random() % 3);
        const std::uint64_t address = object.base + offset;
        const auto site = static_cast<std::uint32_t>(1 + k % 4);
        recorder.access(thread, site, object.name, offset, address);
        expected_.push_back({thread, site, object.name.group, object.name.serial, offset, address});
      }
      const std::uint64_t unknown = random();
      recorder.access(thread, 9, {0, 0}, unknown, unknown);
      expected_.push_back({thread, 9, 0, 0, unknown, unknown});
    }
    recorder.finish();
    EXPECT_EQ(out.error(), "");
    totals_ = recorder.totals();
    hash_ = out.hash();
  }

  static std::string text(const Access& a) {
    std::ostringstream out;
    out << a.thread << ' ' << a.site << ' ' << a.group << ' ' << a.object << ' ' << a.offset << ' '
        << a.address;
    return out.str();
  }
  void expect_all_back() {
    auto file = StreamFile::open(path());
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(file->hash(), hash_);
    auto objects = ObjectTable::read(*file);
    ASSERT_TRUE(objects) << objects.error().text();
    std::size_t i = 0;
    const auto status = for_each_access(*file, *objects, [&](const Access& a) {
      ASSERT_LT(i, expected_.size());
      ASSERT_EQ(text(a), text(expected_[i])) << i;
      i++;
    });
    EXPECT_TRUE(status) << status.error().text();
    EXPECT_EQ(i, expected_.size());
  }

  std::string folder_;
  std::vector<Access> expected_;
  RecorderTotals totals_;
  std::uint64_t hash_ = 0;
};

TEST_F(Streams, ComeBackAccessByAccess) {
  record({}, 1, 1);
  expect_all_back();
  EXPECT_EQ(totals_.segments, 1u);
  EXPECT_EQ(totals_.accesses, expected_.size());
}

TEST_F(Streams, OfSeveralThreadsInTheirTurns) {
  record({}, 4, 2);
  expect_all_back();
  EXPECT_EQ(totals_.threads, 4u);
}

TEST_F(Streams, InSegmentsWithDifferencesAndAddresses) {
  RecorderOptions options;
  options.limit = 1;
  options.object_differences = options.addresses = true;
  record(options, 3, 3);
  expect_all_back();
  EXPECT_GT(totals_.segments, 1u);
  EXPECT_NE(totals_.sizes[static_cast<unsigned>(Dimension::address)].bytes, 0u);
}

TEST_F(Streams, StopAfterSoManyAccesses) {
  RecorderOptions options;
  options.stop = 1234;
  record(options, 2, 4);
  EXPECT_TRUE(totals_.stopped);
  EXPECT_EQ(totals_.accesses, 1234u);
  expected_.resize(1234);
  expect_all_back();
}

// B-1 of the object table: which object is alive when.
TEST_F(Streams, KnowWhenObjectsLive) {
  StreamWriter out(path());
  Recorder recorder({}, out);
  recorder.birth(0, {7, 0}, 1000, 16);
  recorder.birth(0, {7, 1}, 2000, 16);
  recorder.access(0, 1, {7, 1}, 8, 2008);
  recorder.death({7, 0});
  recorder.birth(0, {7, 2}, 1000, 16);
  recorder.access(0, 1, {7, 2}, 0, 1000);
  recorder.access(0, 1, {0, 0}, 1016, 1016);
  recorder.finish();
  auto file = StreamFile::open(path());
  ASSERT_TRUE(file);
  auto objects = ObjectTable::read(*file);
  ASSERT_TRUE(objects) << objects.error().text();
  std::string rows;
  for (const ObjectRow& r : objects->rows())
    rows += std::to_string(r.group) + ',' + std::to_string(r.serial) + ' ' +
            std::to_string(r.birth) + ".." + (r.death == k_alive ? "" : std::to_string(r.death)) +
            "; ";
  EXPECT_EQ(rows, "7,0 0..1; 7,1 0..; 7,2 1..; ");
}

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST_F(Streams, DamagedFilesAreErrors) {
  record({}, 2, 5);
  const std::string whole = slurp(path());
  const auto opens = [&](const std::string& bytes) {
    std::ofstream(path(), std::ios::binary) << bytes;
    return bool(StreamFile::open(path()));
  };
  EXPECT_TRUE(opens(whole));
  std::mt19937 random(1);
  for (int i = 0; i < 200; i++) EXPECT_FALSE(opens(whole.substr(0, random() % whole.size())));
  for (int i = 0; i < 200; i++) {
    std::string bytes = whole;
    bytes[random() % bytes.size()] ^= 1 << random() % 8;
    EXPECT_FALSE(opens(bytes));
  }
  EXPECT_FALSE(opens(whole + whole));
  unlink(path().c_str());
  EXPECT_FALSE(StreamFile::open(path()));
}

TEST(StreamWriter, SaysWhatItCannotWrite) {
  StreamWriter out("/nowhere/at/all.streams");
  out.block({}, "x");
  out.finish();
  EXPECT_NE(out.error().find("/nowhere/at/all.streams: cannot create"), std::string::npos);
}

TEST(StreamWriter, NamesItsFileAfterTheProfile) {
  EXPECT_EQ(streams_path("a/b.memprof.json"), "a/b.memprof.streams");
  EXPECT_EQ(streams_path("a/b"), "a/b.streams");
}

}  // namespace
}  // namespace memprof::streams
