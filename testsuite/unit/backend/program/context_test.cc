// context_test.cc - calling contexts, and dependences by context.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/program/context_manager.h"

#include <algorithm>
#include <map>
#include <set>

#include "runtime/backend/event/module.h"
#include "testsuite/unit/backend/dependence_oracle.h"
#include "testsuite/unit/backend/random_program.h"

namespace memprof::backend::testing {
namespace {

// The stack grows downwards.
constexpr std::uint64_t k_stack = 0x7fff0000;

TEST(Context, PathsHaveNumbers) {
  ContextTree tree;
  ContextManager at;
  EXPECT_EQ(at.encode(), 0u);
  at.push(tree, 1, k_stack);
  at.push(tree, 2, k_stack - 100);
  at.push(tree, 3, k_stack - 200);
  const ContextId deep = at.encode();
  EXPECT_EQ(tree.decode(deep), (std::vector<FunctionId>{3, 2, 1}));
  at.pop(3);
  at.pop(2);
  at.push(tree, 3, k_stack - 100);
  EXPECT_NE(at.encode(), deep);
  at.pop(3);
  at.push(tree, 2, k_stack - 100);
  at.push(tree, 3, k_stack - 200);
  EXPECT_EQ(at.encode(), deep);
}

TEST(Context, RecursionDoesNotMakeItLonger) {
  ContextTree tree;
  ContextManager at;
  std::set<ContextId> seen;
  at.push(tree, 1, k_stack);
  for (std::uint64_t i = 1; i < 1000; i++) {
    at.push(tree, 2 + i % 2, k_stack - 100 * i);
    seen.insert(at.encode());
  }
  EXPECT_LE(seen.size(), 3u);
  for (std::uint64_t i = 999; i > 0; i--) at.pop(2 + i % 2);
  EXPECT_EQ(tree.decode(at.encode()), std::vector<FunctionId>{1});
}

TEST(Context, JumpsLeaveFunctions) {
  ContextTree tree;
  ContextManager at;
  for (FunctionId f = 1; f <= 4; f++) at.push(tree, f, k_stack - 100 * f);
  at.resume(k_stack - 200);  // a longjmp to function 2
  EXPECT_EQ(tree.decode(at.encode()), (std::vector<FunctionId>{2, 1}));
  at.pop(9);  // a return without a call
  EXPECT_EQ(tree.decode(at.encode()), (std::vector<FunctionId>{2, 1}));
  at.pop(1);  // 2 never said that it was over
  EXPECT_EQ(at.encode(), 0u);
}

Script& call(Script& s, FunctionId function, std::uint64_t frame) {
  s.context(EventKind::function_enter, function);
  s.batch.events.back().address = frame;
  return s;
}
Script& back(Script& s, FunctionId function) {
  return s.context(EventKind::function_exit, function);
}

struct NamedProgram final : ProgramInfo {
  bool store_p(SiteId) const override { return false; }
  feedback::GroupKind group_kind(GroupId) const override { return feedback::GroupKind::heap; }
  std::uint64_t executions(SiteId) const override { return 8; }
  std::size_t sites() const override { return 9; }
  feedback::Id site_id(SiteId site) const override { return site; }
  feedback::Id loop_id(LoopId loop) const override { return loop; }
  feedback::Id group_id(GroupId group) const override { return group; }
  std::string function_name(FunctionId f) const override {
    return std::string(1, static_cast<char>('a' + f - 1));
  }
};

std::string rows(const Script& s) {
  const NamedProgram program;
  const feedback::Profile profile = run(make_dependence_context, program, s.batch);
  std::ostringstream out;
  static constexpr const char* kinds[] = {"RAW", "WAR", "WAW"};
  for (const auto& d : profile.dependences)
    out << kinds[static_cast<int>(d.kind)] << ' ' << d.source << "->" << d.sink << " loop "
        << (d.loop == feedback::k_none ? 0 : d.loop) << ' ' << d.count << '/' << d.iters << '/'
        << d.distance.min << " (" << d.context << ")\n";
  return out.str();
}

TEST(DependenceContext, RowsOfDifferentCallersAreApart) {
  Script s;
  call(s, 1, k_stack);
  for (int i = 0; i < 2; i++) {
    call(s, 2, k_stack - 100), s.store(2, 0x1000, 4), back(s, 2);
    call(s, 3, k_stack - 100), call(s, 4, k_stack - 200);
    s.load(1, 0x1000, 4);
    back(s, 4), back(s, 3);
  }
  call(s, 4, k_stack - 100), s.load(1, 0x1000, 4);
  EXPECT_EQ(rows(s),
            "WAR 1->2 loop 0 1/1/0 (d < c < a -> b < a)\n"
            "RAW 2->1 loop 0 1/1/0 (b < a -> d < a)\n"
            "RAW 2->1 loop 0 2/1/0 (b < a -> d < c < a)\n"
            "WAW 2->2 loop 0 1/1/0 (b < a -> b < a)\n");
}

TEST(DependenceContext, NestedLoops) {  // the same as without contexts
  Script s;
  s.enter(1);
  for (int i = 0; i < 2; i++) {
    s.iterate(1).enter(2);
    for (int j = 0; j < 3; j++) s.iterate(2).load(3, 0x1000, 4).store(4, 0x1000, 4);
    s.exit(2);
  }
  s.exit(1);
  EXPECT_EQ(rows(s),
            "WAR 3->4 loop 2 6/6/0 ( -> )\n"
            "RAW 4->3 loop 1 1/1/1 ( -> )\nRAW 4->3 loop 2 4/4/1 ( -> )\n"
            "WAW 4->4 loop 1 1/1/1 ( -> )\nWAW 4->4 loop 2 4/4/1 ( -> )\n");
}

TEST(DependenceContext, RecursionKeepsIterationsApart) {
  Script s;
  s.enter(1).iterate(1).store(1, 0x1000, 4).load(2, 0x1000, 4);
  s.enter(1).iterate(1).store(1, 0x1008, 4).load(2, 0x1008, 4).exit(1);
  s.load(2, 0x1000, 4).exit(1);
  EXPECT_EQ(rows(s), "RAW 1->2 loop 1 3/2/0 ( -> )\n");
}

TEST(DependenceContext, AgreesWithAllKindsWithoutContexts) {
  for (std::uint64_t seed = 0; seed < 200; seed++) {
    RandomProgram::Options options;
    options.threads = seed % 5 == 0 ? 3 : 1;
    options.events = 8;
    const Trace batch = RandomProgram(seed, options).make();
    FakeProgram program;
    program.count(batch);
    feedback::Profile with = run(make_dependence_context, program, batch);
    for (auto& row : with.dependences) row.context.clear();
    ASSERT_EQ(text(with), text(run(make_dependence_all, program, batch))) << "seed " << seed;
  }
}

// The path of a call, as context_manager.h defines it: a function that is active already is met again.
using Path = std::vector<FunctionId>;
Path extended(Path path, FunctionId function) {
  const auto at = std::find(path.begin(), path.end(), function);
  if (at != path.end()) path.erase(at + 1, path.end());
  else path.push_back(function);
  return path;
}
std::string path_text(const Path& path, const FakeProgram& program) {
  std::string text;
  for (auto f = path.rbegin(); f != path.rend(); f++)
    text += (text.empty() ? "" : " < ") + program.function_name(*f);
  return text;
}

// BATCH with calls and returns in between, some of functions that are not active. Without stores of code
// that is not profiled: these have one name in the oracle, and that of their caller's context in the module.
Trace with_calls(const Trace& batch, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Trace calls = batch;
  calls.events.clear();
  for (const FlatEvent& e : batch.events) {
    if (e.kind != EventKind::external_store) calls.events.push_back(e);
    if (random() % 3 != 0) continue;
    FlatEvent call = e;
    call.kind = random() % 5 < 3 ? EventKind::function_enter : EventKind::function_exit;
    call.index = static_cast<FunctionId>(1 + random() % 4);
    call.address = call.width = 0;
    calls.events.push_back(call);
  }
  return calls;
}

// Each site in each calling context as a site of its own: their numbers, and what these represent.
struct Renamed {
  Trace batch;
  std::vector<std::pair<SiteId, std::string>> names{{}};

  Renamed(const Trace& calls, const FakeProgram& program) : batch(calls) {
    std::map<std::pair<SiteId, std::string>, SiteId> numbers;
    std::map<std::uint32_t, std::vector<std::pair<FunctionId, Path>>> stacks;
    for (FlatEvent& e : batch.events) {
      auto& stack = stacks[e.thread];
      const Path path = stack.empty() ? Path() : stack.back().second;
      if (e.kind == EventKind::function_enter) {
        stack.emplace_back(e.index, extended(path, e.index));
      } else if (e.kind == EventKind::function_exit) {
        const auto last = std::find_if(stack.rbegin(), stack.rend(), [&e](const auto& a) { return a.first == e.index; });
        if (last != stack.rend()) stack.erase(std::next(last).base(), stack.end());
      } else if (e.kind == EventKind::thread_end) {
        stack.clear();
      } else if (e.kind == EventKind::load || e.kind == EventKind::store) {
        const std::pair<SiteId, std::string> name{e.site, path_text(path, program)};
        const auto [at, fresh] = numbers.try_emplace(name, static_cast<SiteId>(names.size()));
        if (fresh) names.push_back(name);
        e.site = at->second;
      }
    }
  }
};

std::multiset<std::string> lines(const feedback::Profile& profile, const Renamed* renamed) {
  std::multiset<std::string> found;
  for (const auto& d : profile.dependences) {
    std::ostringstream out;
    auto source = d.source, sink = d.sink;
    std::string context = d.context;
    if (renamed) {
      context = renamed->names[source].second + " -> " + renamed->names[sink].second;
      source = renamed->names[source].first;
      sink = renamed->names[sink].first;
    }
    out << static_cast<int>(d.kind) << ' ' << source << ' ' << sink << ' ' << d.loop << ' ' << d.count << ' ' << d.iters << ' '
        << d.intra << ' ' << d.carried << ' ' << d.no_loop << ' ' << d.concurrent << ' ' << d.distance.min << ' '
        << d.distance.max << ' ' << context;
    for (const auto n : d.distance.histogram) out << ' ' << n;
    found.insert(out.str());
  }
  return found;
}

TEST(DependenceContext, RandomCallsAgreeWithSitesOfTheirOwn) {
  std::size_t rows = 0, contexts = 0;
  for (std::uint64_t seed = 0; seed < 200; seed++) {
    RandomProgram::Options options;
    options.threads = seed % 5 == 0 ? 3 : 1;
    options.events = 8 + seed % 9;
    options.area = seed % 2 ? 60 : 600;
    const Trace calls = with_calls(expand(RandomProgram(seed, options).make()), seed);
    FakeProgram program;
    program.count(calls);
    const Renamed renamed(calls, program);
    FakeProgram apart;
    apart.count(renamed.batch);
    const auto expected = lines(DependenceOracle(DependenceOracle::Kinds::last_reader).run(apart, renamed.batch), &renamed);
    ASSERT_EQ(lines(run(make_dependence_context, program, calls), nullptr), expected) << "seed " << seed;
    rows += expected.size(), contexts += renamed.names.size();
  }
  EXPECT_GT(rows, 3000u);
  EXPECT_GT(contexts, 3000u);
}

}  // namespace
}  // namespace memprof::backend::testing
