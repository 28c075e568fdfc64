// access_reader_test.cc - files of streams that claim more than they have.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/access_reader.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "feedback/streams/grammar.h"
#include "feedback/streams/uleb.h"

namespace memprof::streams {
namespace {

std::string birth(std::uint64_t group, std::int64_t serial) {
  std::string out;
  put_flagged(out, 0, false);
  put_uleb(out, group);
  put_uleb(out, zigzag(serial));
  for (unsigned i = 0; i < 3; i++) put_uleb(out, 0);  // bytes, base, thread
  return out;
}

// What is wrong with a file whose only block is HEADER with PAYLOAD; empty: nothing.
std::string trouble(const BlockHeader& header, const std::string& payload) {
  char folder[] = "/tmp/access_reader_test.XXXXXX";
  if (!mkdtemp(folder)) return "no folder";
  const std::string path = std::string(folder) + "/a.streams";
  StreamWriter out(path);
  out.block(header, payload);
  out.finish();
  const auto file = StreamFile::open(path);
  std::filesystem::remove_all(folder);
  if (!file) return file.error().what;
  const auto objects = ObjectTable::read(*file);
  if (!objects) return objects.error().what;
  const auto status = for_each_access(*file, *objects, [](const Access&) {});
  return status ? "" : status.error().what;
}

TEST(AccessReader, TakesNoMemoryForNumbersThatCannotBe) {
  BlockHeader header;
  header.kind = BlockKind::objects;
  header.count = 1;
  EXPECT_EQ(trouble(header, birth(3, 0)), "");
  EXPECT_EQ(trouble(header, birth((1 << 24) - 1, 0)), "an object of no group");
  EXPECT_EQ(trouble(header, birth(1, 1 << 20)), "an object has an impossible number");
  // Each table alone may have as many entries as the file has bytes, but not all of them.
  std::string many;
  for (unsigned group = 0; group < 50; group++) many += birth(group, 100);
  header.count = 50;
  EXPECT_EQ(trouble(header, many), "an object has an impossible number");
  header.segment = std::uint64_t{1} << 50;
  EXPECT_EQ(trouble(header, many), "an impossible segment");
}

TEST(AccessReader, RefusesSitesThatCannotBe) {
  Grammar g;
  g.symbols = {g.alphabet.terminal(std::uint64_t{1} << 31)};
  g.starts = {0, 1};
  BlockHeader header;
  header.kind = BlockKind::grammar;
  header.count = 1;
  std::string payload;
  encode(g, payload);
  EXPECT_EQ(trouble(header, payload), "a site or group has an impossible number");
}

}  // namespace
}  // namespace memprof::streams
