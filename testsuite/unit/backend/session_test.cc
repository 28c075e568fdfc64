// session_test.cc - whole streams to whole profiles.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <random>

#include "feedback/reader.h"
#include "runtime/backend/modules/dependence/dependence_search.h"
#include "runtime/backend/stream/file_source.h"
#include "testsuite/unit/backend/stream_builder.h"

namespace memprof::backend {
namespace {

using testing::TestFrame;
using testing::TestModule;
using testing::Words;

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() {
    char pattern[] = "/tmp/memprof-session-XXXXXX";
    folder_ = mkdtemp(pattern);
    std::snprintf(about_.program, sizeof about_.program, "/bin/lt-prog");
    std::snprintf(about_.directory, sizeof about_.directory, "%s",
                  folder_.c_str());
    about_.program_pid = 4711;
  }
  ~SessionTest() override { std::system(("rm -rf " + folder_).c_str()); }

  void options(const char* text) {
    std::snprintf(about_.options, sizeof about_.options, "%s", text);
  }
  Outcome run(const std::string& bytes,
              const std::function<void(const Outcome&)>& tell = {}) {
    const std::string path = folder_ + "/stream";
    std::ofstream(path, std::ios::binary) << bytes;
    auto file = StreamFile::open(path);
    if (!file) return {};
    FileSource source(**file);
    return profile_stream(source, {}, tell);
  }
  Outcome run(const std::vector<TestFrame>& frames,
              const std::function<void(const Outcome&)>& tell = {}) {
    return run(testing::stream_file_bytes(frames, about_), tell);
  }
  static std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string folder_;
  mprt_shared about_{};
};

// Lists, an array walked by ranges, frees and reuse: N rounds.
Words program(TestModule& m, unsigned rounds, unsigned seed) {
  m.function("walk");
  const auto outer = m.loop(), inner = m.loop(outer);
  m.site(MPRT_OP_LOAD, 8, outer), m.site(MPRT_OP_STORE, 4, outer);
  m.site(MPRT_OP_LOAD, 8, inner), m.site(MPRT_OP_STORE, 8, inner);
  const auto node = m.alloc(5, "struct node"), row = m.alloc(6);
  m.global("total", 0x601000, 8);
  const auto in = m.enter(outer), out = m.exit(outer);
  const auto body = m.block(3, {{0, 1, 0}, {1, 2, 8}}, outer, true);
  const auto range = m.range(4, inner, {{2, 2, 0, 8}, {3, 3, 0, 8, 0, 1}});
  Words w = m.load();
  std::mt19937 random(seed);
  std::vector<std::uint64_t> live;
  w.birth(0x7f0000000000, 800000, row).record(in);
  for (unsigned i = 0; i < rounds; i++) {
    const std::uint64_t at = 0x55000000 + random() % 5000 * 32;
    w.birth(at, 24, node);
    live.push_back(at);
    w.record(body, at, live[random() % live.size()]);
    if (random() % 3 == 0) w.death(live[random() % live.size()]);
    if (random() % 50 == 0)
      w.record(range, 1 + random() % 90, 0x7f0000000000 + random() % 500 * 8,
               0x7f0000000000 + random() % 500 * 8);
    if (random() % 500 == 0)
      w.record(range, 40, at & ~31ull, 0x7f0000000000);
  }
  return w.record(out).control(MPRT_PROGRAM_END, MPRT_END_EXIT, 0);
}

TEST_F(SessionTest, WritesAProfileWhereTheProgramStarted) {
  TestModule m;
  const Outcome outcome = run({{0, 0, 0, program(m, 50, 1)}});
  EXPECT_EQ(outcome.result, Outcome::complete) << outcome.message;
  EXPECT_EQ(outcome.path, folder_ + "/prog.memprof.json");
  auto profile = feedback::read_profile(outcome.path);
  ASSERT_TRUE(profile) << profile.error().text();
  EXPECT_EQ(profile->program.name, "prog");
  EXPECT_TRUE(profile->run.complete);
  ASSERT_EQ(profile->modules.size(), 1u);
  ASSERT_EQ(profile->modules[0].functions.size(), 1u);
  const feedback::Function& f = profile->modules[0].functions[0];
  EXPECT_EQ(f.linkage_name, "walk");
  EXPECT_EQ(f.sites[0].executions, 50u);
  EXPECT_EQ(f.loops[0].invocations, 1u);
  EXPECT_EQ(f.loops[0].iterations, 50u);
  EXPECT_EQ(f.loops[1].parent, f.loops[0].id);
}

TEST_F(SessionTest, TellsOnceWhenTheProfileIsThere) {
  TestModule m;
  std::vector<std::string> written;
  const Outcome outcome = run({{0, 0, 0, program(m, 50, 1)}}, [&](const Outcome& o) {
    EXPECT_EQ(o.result, Outcome::complete);
    written.push_back(contents(o.path));
  });
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0], contents(outcome.path));
  EXPECT_FALSE(written[0].empty());
}

// Nor does how much one step of a module may tell the other.
TEST_F(SessionTest, TheNumberOfWorkersChangesNothing) {
  const std::uint64_t most = DependenceSearch::most_answers;
  std::string first;
  for (const char* workers : {"1", "2", "8", "2"}) {
    TestModule m;
    options((std::string("merge=0:modules=all:workers=") + workers).c_str());
    // About 150 batches: the workers share the modules after 32, and anew after 64.
    const Outcome outcome = run({{0, 0, 0, program(m, 400000, 7)}});
    ASSERT_EQ(outcome.result, Outcome::complete) << outcome.message;
    const std::string text = contents(outcome.path);
    ASSERT_GT(text.size(), 1000u);
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << workers << " workers";
    if (workers[0] == '8') DependenceSearch::most_answers = 1000;
  }
  DependenceSearch::most_answers = most;
}

TEST_F(SessionTest, OptionsNameTheFileAndTheModules) {
  TestModule m;
  options("output=sub/%n-%p.json:modules=stride");
  const Outcome outcome = run({{0, 0, 0, program(m, 50, 1)}});
  EXPECT_EQ(outcome.path, folder_ + "/sub/prog-4711.json");
  auto profile = feedback::read_profile(outcome.path);
  ASSERT_TRUE(profile);
  EXPECT_FALSE(profile->strides.empty());
  EXPECT_TRUE(profile->points_to.empty());
  EXPECT_EQ(profile->sections, (std::vector<std::string>{"strides", "types"}));
}

TEST_F(SessionTest, ATableMayNameFolderAndModules) {
  TestModule m;
  m.blob.output_dir = m.text("profiles");
  m.blob.module_names = m.text("points_to,nonsense");
  const Outcome outcome = run({{0, 0, 0, program(m, 50, 1)}});
  EXPECT_EQ(outcome.path, folder_ + "/profiles/prog.memprof.json");
  EXPECT_EQ(outcome.message, "there is no profiling module 'nonsense'");
  auto profile = feedback::read_profile(outcome.path);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->sections, (std::vector<std::string>{"points_to", "types"}));
}

TEST_F(SessionTest, TwoRunsAddUp) {
  for (unsigned i = 1; i <= 2; i++) {
    TestModule m;
    const Outcome outcome = run({{0, 0, 0, program(m, 50, 1)}});
    auto profile = feedback::read_profile(outcome.path);
    ASSERT_TRUE(profile);
    EXPECT_EQ(profile->run.runs, i);
    EXPECT_EQ(profile->modules[0].functions[0].sites[0].executions, 50u * i);
  }
}

TEST_F(SessionTest, AnUnwritableOutputIsNoProfile) {
  TestModule m;
  options("output=/proc/nowhere/a.json");
  const Outcome outcome = run({{0, 0, 0, program(m, 5, 1)}});
  EXPECT_EQ(outcome.result, Outcome::no_profile);
  EXPECT_NE(outcome.message.find("/proc/nowhere/a.json"), std::string::npos)
      << outcome.message;
}

TEST_F(SessionTest, AStreamWithoutItsEndIsPartial) {
  TestModule m;
  Words w = program(m, 50, 1);
  w.words.resize(w.words.size() - 3);
  const Outcome outcome = run({{0, 0, 0, w}});
  EXPECT_EQ(outcome.result, Outcome::partial);
  auto profile = feedback::read_profile(outcome.path);
  ASSERT_TRUE(profile);
  EXPECT_FALSE(profile->run.complete);
  EXPECT_EQ(profile->modules[0].functions[0].sites[0].executions, 50u);
}

TEST_F(SessionTest, CopiesOfAComdatFunctionAreOneRow) {
  Words w;
  TestModule a(0x500000, "a.cc"), b(0x900000, "b.cc"), c(0xd00000, "c.cc");
  std::uint64_t block = 0;
  for (TestModule* m : {&a, &b, &c}) {
    m->function("inline_one", MPRT_FN_COMDAT, 5);
    m->site(MPRT_OP_LOAD, 8);
    m->function("inline_never", MPRT_FN_COMDAT, 6);
    m->site(MPRT_OP_LOAD, 8);
    m->function("own", MPRT_FN_STATIC, 7);
    m->site(MPRT_OP_LOAD, 8);
    block = m->block(2, {{0, 1, 0}});
    if (m == &b) w.append(Words().append(m->load()).record(block, 0x10));
    else w.append(m->load());
  }
  const Outcome outcome = run({{0, 0, 0, w}});
  auto profile = feedback::read_profile(outcome.path);
  ASSERT_TRUE(profile);
  std::string seen;
  for (const auto& module : profile->modules)
    for (const auto& f : module.functions)
      seen += module.file + ":" + f.name + ":" + std::to_string(f.sites.size()) + " ";
  EXPECT_EQ(seen,
            "a.cc:own:0 a.cc:inline_never:0 b.cc:own:0 b.cc:inline_one:1 "
            "c.cc:own:0 ");
}

TEST_F(SessionTest, OneSourceCompiledTwiceHasTwoEntries) {
  Words w;
  for (std::uint64_t at : {0x500000, 0x900000}) {
    TestModule m(at, "twice.c");
    m.function("f");
    m.site(MPRT_OP_LOAD, 8);
    const auto block = m.block(2, {{0, 1, 0}});
    w.append(m.load()).record(block, 0x1000);
    if (at == 0x900000) w.record(block, 0x1000);
  }
  auto profile = feedback::read_profile(run({{0, 0, 0, w}}).path);
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->modules.size(), 2u);
  std::uint64_t sum = 0;
  for (const auto& module : profile->modules)
    sum += module.functions[0].sites[0].executions;
  EXPECT_EQ(sum, 3u);
}

TEST_F(SessionTest, WithLtoOneFileMayBeSpreadOverTables) {
  Words w;
  for (unsigned i = 0; i < 2; i++) {
    TestModule m(0x500000 + i * 0x400000, "a.c");
    m.blob.file = m.text("ltrans" + std::to_string(i));
    m.function(i ? "g" : "f");
    m.site(MPRT_OP_LOAD, 8);
    w.append(m.load());
  }
  auto profile = feedback::read_profile(run({{0, 0, 0, w}}).path);
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->modules.size(), 1u);
  EXPECT_EQ(profile->modules[0].file, "a.c");
  EXPECT_EQ(profile->modules[0].functions.size(), 2u);
}

// Whatever is wrong in a stream: no crash, and what is written can be read.
TEST_F(SessionTest, SurvivesCorruptStreams) {
  TestModule m;
  options("merge=0:modules=all:workers=1");
  const std::string good =
      testing::stream_file_bytes({{0, 0, 0, program(m, 300, 3)}}, about_);
  const std::size_t body = sizeof(mprt_stream_header) + sizeof(mprt_shared);
  std::mt19937_64 random(11);
  unsigned written = 0;
  for (int round = 0; round < 150; round++) {
    std::string bad = good;
    for (unsigned k = 0; k < 1 + random() % 4; k++) {
      const std::size_t at = body + random() % ((bad.size() - body) / 8) * 8;
      std::uint64_t word;
      std::memcpy(&word, &bad[at], 8);
      // Not a few billion of anything: that would be followed, not refused.
      switch (random() % 4) {
        case 0: word = random() | std::uint64_t{1} << 60; break;
        case 1: word = random() % 2000; break;
        default: word ^= std::uint64_t{1} << random() % 16;
      }
      std::memcpy(&bad[at], &word, 8);
    }
    if (random() % 8 == 0) bad.resize(body + random() % (bad.size() - body));
    const Outcome outcome = run(bad);
    if (outcome.result == Outcome::no_profile) continue;
    written++;
    ASSERT_TRUE(feedback::read_profile(outcome.path)) << round;
  }
  EXPECT_GT(written, 100u);
}

}  // namespace
}  // namespace memprof::backend
