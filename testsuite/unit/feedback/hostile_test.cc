// hostile_test.cc - no input makes the reader crash, hang or lie.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A profile is read by the compiler, so a file that somebody damaged, or wrote
// with bad intent, must end in a message.  MEMPROF_FUZZ_ROUNDS sets the number
// of random mutations (default 3000); MEMPROF_FUZZ_SEED the first seed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <unordered_set>

#include "feedback/diff.h"
#include "feedback/merge.h"
#include "feedback/reader.h"
#include "feedback/validate.h"
#include "feedback/writer.h"
#include "testsuite/unit/feedback/feedback_samples.h"

namespace memprof::feedback {
namespace {

using namespace test;

unsigned from_environment(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text ? unsigned(std::strtoul(text, nullptr, 10)) : otherwise;
}

// What reader.h promises: all ids resolve; PARTIAL: or are k_none, when the
// source is in a function that was not read.
void expect_resolved(const Profile& p, bool partial = false) {
  std::unordered_set<Id> sites, groups, loops;
  for (const Module& m : p.modules)
    for (const Function& f : m.functions) {
      for (const Site& s : f.sites) ASSERT_TRUE(sites.insert(s.id).second);
      for (const Loop& l : f.loops) ASSERT_TRUE(loops.insert(l.id).second);
    }
  for (const Group& g : p.groups) ASSERT_TRUE(groups.insert(g.id).second);
  for (const Module& m : p.modules)
    for (const Function& f : m.functions) {
      for (const Site& s : f.sites) ASSERT_TRUE(s.loop == k_none || loops.contains(s.loop));
      for (const Loop& l : f.loops) ASSERT_TRUE(l.parent == k_none || loops.contains(l.parent));
    }
  for (const ObjectRelative& r : p.object_relative)
    ASSERT_TRUE(sites.contains(r.site) && groups.contains(r.group));
  for (const Stride& r : p.strides) ASSERT_TRUE(sites.contains(r.site));
  for (const Dependence& r : p.dependences) {
    ASSERT_TRUE(sites.contains(r.sink));
    ASSERT_TRUE(r.loop == k_none || loops.contains(r.loop));
    ASSERT_TRUE(r.source == k_external || sites.contains(r.source) ||
                (partial && r.source == k_none));
  }
  for (const InferredDependence& r : p.inferred_dependences)
    ASSERT_TRUE(sites.contains(r.sink) && (r.source == k_external || sites.contains(r.source)));
  for (const Mdf& r : p.mdf)
    ASSERT_TRUE(sites.contains(r.sink) && (r.source == k_external || sites.contains(r.source)));
  for (const NeverMet& r : p.never_met) {
    ASSERT_TRUE(loops.contains(r.loop));
    for (const Id id : r.sinks) ASSERT_TRUE(sites.contains(id));
    for (const Id id : r.sources) ASSERT_TRUE(sites.contains(id));
  }
  for (const PointsTo& r : p.points_to) {
    ASSERT_TRUE(sites.contains(r.site));
    for (const auto& target : r.groups) ASSERT_TRUE(groups.contains(target.group));
  }
}

// Reading gives a sound profile that can be written, merged and compared, or
// an error with words.
void try_text(const std::string& text) {
  Result<Profile> profile = parse_profile(text, "x");
  if (!profile) {
    EXPECT_FALSE(profile.error().what.empty());
    return;
  }
  expect_resolved(*profile);
  const std::string canonical = to_json(*profile);
  Result<Profile> again = parse_profile(canonical, "x");
  ASSERT_TRUE(bool(again)) << again.error().text() << '\n' << text;
  EXPECT_EQ(to_json(*again), canonical);
  EXPECT_TRUE(bool(parse_profile(to_json(merge(*profile, *again)), "x")));
  const Difference d = diff(*profile, *again);
  EXPECT_GE(d.executions, 0);
  EXPECT_LE(d.executions, 1);
}

TEST(Hostile, TruncatedAtEveryByte) {
  const std::string text = to_json(full_profile());
  TemporaryFolder folder;
  const std::string path = folder.path("t.json");
  for (std::size_t n = 0; n + 2 < text.size(); n++) {
    const std::string part = text.substr(0, n);
    const Result<Profile> profile = parse_profile(part, "x");
    ASSERT_FALSE(bool(profile)) << n;
    EXPECT_TRUE(profile.error().what.find("truncated") != std::string::npos ||
                profile.error().what.find("empty") != std::string::npos)
        << n << ' ' << profile.error().text();
    spill(path, part);
    ASSERT_FALSE(bool(read_module(path, "a.c"))) << n;
    ASSERT_FALSE(validate_file(path).empty()) << n;
  }
}

std::string mutated(std::string text, std::mt19937_64& random) {
  static const char* const k_pieces[] = {
      "null", "-1", "1e5", "\"\"", "[]", "{}", "true", "4294967295", "0.5",
      "18446744073709551615", "\"0xffffffffffffffff\"", "\"-0x1\"", "]", "}", ",",
      "\"external\"", "\\u0000", "\xff", "[[[[", "99999999999999999999"};
  for (unsigned n = 1 + unsigned(random() % 3); n > 0; n--) {
    const std::size_t at = random() % text.size();
    switch (random() % 6) {
      case 0: text[at] = char(random()); break;
      case 1: text[at] = char('0' + random() % 10); break;
      case 2: text.erase(at, 1 + random() % 20); break;
      case 3: text.insert(at, k_pieces[random() % std::size(k_pieces)]); break;
      case 4: text.insert(at, text.substr(random() % text.size(), random() % 80)); break;
      default: {
        // A number becomes another: the change that survives parsing.
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit == text.npos) break;
        const std::size_t end = text.find_first_not_of("0123456789", digit);
        text.replace(digit, end - digit, std::to_string(random() % 5));
      }
    }
    if (text.empty()) text = " ";
  }
  return text;
}

TEST(Hostile, RandomMutations) {
  const unsigned rounds = from_environment("MEMPROF_FUZZ_ROUNDS", 3000);
  std::mt19937_64 random(from_environment("MEMPROF_FUZZ_SEED", 1));
  const std::string bases[] = {to_json(full_profile()), to_json(random_profile(4))};
  TemporaryFolder folder;
  const std::string path = folder.path("m.json");
  unsigned read = 0, modules = 0;
  for (unsigned i = 0; i < rounds && !HasFailure(); i++) {
    const std::string text = mutated(bases[i % 2], random);
    try_text(text);
    read += bool(parse_profile(text, "x"));
    spill(path, text);
    Result<Profile> module = read_module(path, "a.c");
    modules += bool(module);
    EXPECT_TRUE(module || !module.error().what.empty());
    validate_file(path);
    if (HasFailure()) std::fprintf(stderr, "round %u:\n%s\n", i, text.c_str());
  }
  // Otherwise the mutations would only ever test the JSON parser.
  EXPECT_GT(read, rounds / 20);
  EXPECT_GT(modules, rounds / 20);
}

// Random bytes inside of the index must never give another module's rows.
TEST(Hostile, DamagedIndexGivesTheSameRows) {
  TemporaryFolder folder;
  const std::string path = folder.path("i.json");
  std::mt19937_64 random(7);
  unsigned good = 0;
  for (unsigned i = 0; i < 400; i++) {
    const std::string text = to_json(random_profile(i % 8));
    const std::size_t from = text.find("\"index\":"), to = text.find("\"program\":");
    std::string damaged = text;
    const std::size_t at = damaged.find_first_of("0123456789", from + random() % (to - from));
    if (at >= to) continue;
    damaged[at] = char('0' + random() % 10);
    spill(path, damaged);
    Result<Profile> whole = parse_profile(text, "x");
    ASSERT_TRUE(bool(whole));
    Result<Profile> module = read_module(path, "src/a.c");
    if (!module) continue;
    expect_resolved(*module, true);
    good++;
    // Each site that came with the module is that of the document.
    for (const Module& m : module->modules)
      for (const Function& f : m.functions)
        EXPECT_TRUE(m.file == "src/a.c" || f.comdat);
  }
  EXPECT_GT(good, 100u);
}

TEST(Hostile, DeepNestingIsRefusedWithoutRecursion) {
  const std::string deep = "{\"memprof\":{\"format\":\"1.0\"},\"x\":" +
                           std::string(2000000, '[');
  const Result<Profile> profile = parse_profile(deep, "x");
  ASSERT_FALSE(bool(profile));
  EXPECT_NE(profile.error().what.find("nested"), std::string::npos);
}

TEST(Hostile, FileOf2GBIsRefusedAtOnce) {
  TemporaryFolder folder;
  const std::string path = folder.path("big.json");
  spill(path, to_json(full_profile()));
  ASSERT_EQ(::truncate(path.c_str(), off_t(1) << 31), 0);
  const auto start = std::chrono::steady_clock::now();
  const Result<Profile> profile = read_profile(path);
  ASSERT_FALSE(bool(profile));
  EXPECT_EQ(profile.error().text(), path + ": larger than 1 GiB, which no profile is");
  EXPECT_FALSE(bool(read_module(path, "a.c")));
  EXPECT_EQ(validate_file(path).size(), 1u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(Hostile, EndlessInputIsRefused) {
  const Result<Profile> profile = read_profile("/dev/zero");
  ASSERT_FALSE(bool(profile));
  EXPECT_NE(profile.error().what.find("not a regular file"), std::string::npos);
}

// No process writes there; a descriptor that the command was given is another matter.
TEST(Hostile, APipeIsNotWaitedFor) {
  TemporaryFolder folder;
  const std::string path = folder.path("p.json");
  ASSERT_EQ(::mkfifo(path.c_str(), 0666), 0);
  for (const Input input : {Input::file, Input::descriptor_too, Input::no_link})
    EXPECT_EQ(read_profile(path, input).error().what, "not a regular file");
  EXPECT_EQ(read_module(path, "a.c").error().what, "not a regular file");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string name = "/dev/fd/" + std::to_string(ends[0]);
  ::close(ends[1]);
  EXPECT_NE(read_profile(name, Input::descriptor_too).error().what, "not a regular file");
  EXPECT_EQ(read_profile(name).error().what, "not a regular file");
  ::close(ends[0]);
}

TEST(Hostile, MissingFoldersAndForbiddenFiles) {
  TemporaryFolder folder;
  Result<Profile> profile = read_profile(folder.path("none.json"));
  ASSERT_FALSE(bool(profile));
  EXPECT_EQ(profile.error().kind, Error::Kind::missing);
  EXPECT_EQ(profile.error().text(),
            folder.path("none.json") + ": cannot open: No such file or directory");
  EXPECT_EQ(read_module(folder.path("none.json"), "a.c").error().kind, Error::Kind::missing);
  profile = read_profile(folder.name());
  ASSERT_FALSE(bool(profile));
  EXPECT_EQ(profile.error().kind, Error::Kind::unreadable);
  if (::geteuid() == 0) return;  // may read everything
  spill(folder.path("secret.json"), "{}");
  ::chmod(folder.path("secret.json").c_str(), 0);
  EXPECT_EQ(read_profile(folder.path("secret.json")).error().kind, Error::Kind::unreadable);
}

TEST(Hostile, ManyFaultsAreReportedUpToTheLimit) {
  TemporaryFolder folder;
  const std::string path = folder.path("f.json");
  Profile p = full_profile();
  for (unsigned i = 0; i < 50; i++) p.groups.emplace_back().id = 100 + i;
  std::string text = to_json(p);
  for (std::size_t at; (at = text.find("\"heap\"}")) != text.npos;)
    text.replace(at, 6, "\"hoop\"");
  spill(path, text);
  EXPECT_EQ(validate_file(path).size(), 50u);
  EXPECT_EQ(validate_file(path, 7).size(), 7u);
}

}  // namespace
}  // namespace memprof::feedback
