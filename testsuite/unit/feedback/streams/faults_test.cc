// faults_test.cc - each deliberate error of whole streams is noticed.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The checks are those of the other tests, in small. Each fault runs them in a process of its own, which
// may end as it likes, but not well.
#include "feedback/streams/fault.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <random>

#include "feedback/streams/access_reader.h"
#include "feedback/streams/block_grammar.h"
#include "feedback/streams/recorder.h"
#include "feedback/streams/sequitur.h"
#include "testsuite/unit/feedback/streams/oracle.h"

namespace memprof::streams {
namespace {

using oracle::Text;

// Words of 2 to LONGEST names, with a name here and there between them.
Text random_text(std::mt19937& random, std::size_t length, std::size_t longest = 6) {
  Text text;
  const std::uint32_t names = 2 + random() % 4;
  std::vector<Text> words(3);
  for (Text& word : words)
    for (std::size_t n = 2 + random() % (longest - 1); n > 0; n--) word.push_back(random() % names);
  while (text.size() < length) {
    const Text& word = words[random() % 3];
    text.insert(text.end(), word.begin(), word.end());
    if (random() % 3 == 0) text.push_back(random() % names);
  }
  return text;
}

bool grammars_are_right() {
  std::mt19937 random(5);
  for (int round = 0; round < 1000; round++) {
    const Text text = random_text(random, 120);
    Sequitur sequitur;
    sequitur.append(text.data(), text.size());
    const Grammar g = sequitur.grammar();
    if (!oracle::broken_property(g).empty() || TextIndex(g).text() != text) return false;
  }
  return true;
}

bool streams_are_right() {
  std::mt19937 random(6);
  for (int round = 0; round < 100; round++) {
    const Text text = random_text(random, 120);
    BlockGrammar blocks;
    blocks.append(text.data(), text.size());
    const TextIndex index(blocks.finish());
    const auto streams = minimal_hot_streams(index, {20, 1});
    if (oracle::heats_of(streams) != oracle::minimal_streams(text, 20, {})) return false;
    if (covered_names(index, StreamTokens(index, streams).tokeniser()) != oracle::covered(text, streams))
      return false;
  }
  return true;
}

// Rules that are long enough to be remembered, each after different names.
bool long_rules_are_right() {
  std::mt19937 random(7);
  for (int round = 0; round < 100; round++) {
    const Text text = random_text(random, 1000, 60);
    BlockGrammar blocks;
    blocks.append(text.data(), text.size());
    const TextIndex index(blocks.finish());
    const auto streams = minimal_hot_streams(index, {60, 1}, {});
    if (covered_names(index, StreamTokens(index, streams).tokeniser()) != oracle::covered(text, streams))
      return false;
  }
  return true;
}

bool accesses_come_back(const std::string& path) {
  constexpr std::uint32_t k_accesses = 100000;
  const auto offset = [](std::uint32_t i) { return i * i % 64 * 8; };
  {
    StreamWriter out(path);
    Recorder recorder({}, out);
    recorder.birth(0, {1, 0}, 4096, 512);
    for (std::uint32_t i = 0; i < k_accesses; i++)
      recorder.access(0, 1 + i % 3, {1, 0}, offset(i), 4096 + offset(i));
    recorder.finish();
  }
  auto file = StreamFile::open(path);
  if (!file) return false;
  auto objects = ObjectTable::read(*file);
  if (!objects) return false;
  std::uint32_t i = 0;
  bool equal = true;
  const auto status = for_each_access(*file, *objects, [&](const Access& a) {
    equal = equal && a.site == 1 + i % 3 && a.address == 4096 + offset(i);
    i++;
  });
  return status && equal && i == k_accesses;
}

// Whether all checks pass with FAULT.
bool passes(Fault fault) {
  char path[] = "/tmp/memprof-faults.XXXXXX";
  close(mkstemp(path));
  unlink(path);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    alarm(60);
    g_fault = fault;
    _exit(grammars_are_right() && streams_are_right() && long_rules_are_right() &&
          accesses_come_back(path) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  unlink(path);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Faults, NoneIsNotNoticed) { EXPECT_TRUE(passes(Fault::none)); }

TEST(Faults, AreNoticed) {
  const std::pair<const char*, Fault> faults[] = {
#define FAULT(name, what, test) {what, Fault::name},
#include "feedback/streams/faults.def"
  };
  for (const auto& [what, fault] : faults) EXPECT_FALSE(passes(fault)) << what;
}

}  // namespace
}  // namespace memprof::streams
