// feedback_samples.cc - profiles to test with: a fixed one, and what tests do with files.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "testsuite/unit/feedback/feedback_samples.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "feedback/derive.h"
#include "feedback/never_met.h"
#include "feedback/regularity.h"
#include "feedback/writer.h"

namespace memprof::feedback::test {
static void add_rows(Profile& p) {
  ObjectRelative r;
  r.site = 1;
  r.group = 0;
  r.accesses = 12;
  r.v3 = {{{{1, -2, 3}, {4, 5, -6}, 7}}, 7,
          {{-(1ll << 62), -8, -7}, {9, 8, INT64_MAX}, {1, 2, UINT64_MAX}, 5, 17}};
  r.v2 = {{{{1, 2}, {3, 4}, 12}}, 12, {}};
  r.v1 = {{{{INT64_MIN}, {3}, 5}, {{2}, {3}, 7}}, 12, {}};
  r.o1 = {{}, 0, {{1}, {1}, {0}, 12, 0}};
  p.object_relative = {r};
  p.mdf = {{1, 0, 0.1, 1.0 / 3, 0.5, {0x1999999999999a0, 0x555555555555540, 0x800000000000000}}, {k_external, 0, 0, 0, 1}};
  p.never_met = {{1, 0.1, {0}, {2}}};
  Stride s;
  s.site = 1;
  s.executions = 12;
  s.histogram = {{8, 7}, {-16, 2}};
  s.other = 2;
  s.repeats = 6;
  s.within_object.histogram = {{8, 3}, {4, 2}};
  s.within_object.other = 1;
  derive(s);
  p.strides = {s};
  Dependence d;
  d.source = k_external;
  d.sink = 1;
  d.kind = DependenceKind::waw;
  d.count = 9;
  d.frequency = ratio(9, 12);
  d.iters = 8;
  d.loop = 1;
  d.intra = 4;
  d.carried = 5;
  d.uncertain = 2;
  d.distance = {0, 7, {4, 0, 0, 0, 0, 5}};
  d.context = "a.c:3";
  Dependence apart;
  apart.source = k_external;
  apart.sink = 1;
  apart.kind = DependenceKind::waw;
  apart.count = apart.no_loop = 3;
  apart.frequency = ratio(3, 12);
  apart.iters = 1;
  apart.concurrent = 2;
  apart.context = "a.c:3";
  p.dependences = {d, apart};
  p.inferred_dependences = {{1, 0, 1ull << 58, 0.25}, {k_external, 0, 1ull << 57, 0.125}};
  p.points_to = {{1, {{0, 11}, {1, 1}}}};
  p.run.caches = "L1=4K/8,L2=64K/8";
  p.cache = {{0, k_none, 0, 0, 0, 3, {}, true}, {1, 0, 9, 8, 7, 6, {4, 2, 9, 12}, false}};
  p.reuse = {{0, k_none, {{16, 20}}, {}}, {1, 0, {{16, 12}, {512, 3}}, {{16, 4}}, {{16, 6}, {512, 5}}, {{16, 6}, {512, 3}}}};
  p.types = {{"struct s", "s.h", 4, 77, 24, 8, true, true,
              {{"", "_Alignas (8) unsigned char memprof_1[8]", 0, 8, 8, 0, 0},
               {"flags", "unsigned int flags : 3", 8, 0, 4, 2, 3},
               {"x", "int x[3]", 12, 12, 4, 0, 0}},
              {{"cast", "", "a.c:7"}, {"external", "qsort", "a.c:9"}}}};
  p.fields = {{"struct s", "flags", 7, 5, 9, 2, {{"x", 6}}}};
  p.lifetimes = {{0, 1, 5, 0, 1, 9, 20, true, "build", "build < main"},
                 {1, k_none, 0, 7, 0, 0, 0, false, {}, {}}};
  p.dead_stores = {{1, 12}};
  p.values = {{0, 20, {}, 5, 1ull << 60, 3, true, 5, -7}, {1, 12, {{0, 4}, {9, 8}}, 0, 9, 6}};
  p.silent_stores = {{1, 6}};
  p.sharing = {{0, 1, 4, 5}};
  p.privatisation = {{1, 0, 9, 8, 3, 2, 1}};
  p.pointers = {{0, "", 0, "f < main", PointerTarget::object, 0, "build < main", 5, 2},
                {k_none, "f", 2, "", PointerTarget::null, k_none, "", 1, 0}};
  p.regularity = {{0, 20, 18, 15, 16, {{5, 8, 2, 18}}, 170, 16, 2, 0, {{3, 9}, {4, 9}}},
                  {1, 12, 0, 0, 0, {}, 0, 0, 0, 0, {}}};
  p.whole_stream = {{"prog.memprof.streams", 7, "no space", 900, 12, 3, 2, 1, true, true, true, 9, 4,
                     20, 30, 40, 50, {{"site", 9, 4, 30, 20}, {"address", 8, 3, 31, 40}}}};
  p.stream_names = {{1, 0, k_none}, {2, 1, k_none}, {1, k_none, 0}};
  p.pages = {{0, 2, 1, PageSource::model, 18, 9, 5, 7, 3, {4, 2, 1, 6}, {5, 1, 0, 3}},
             {k_none, 0, 0, PageSource::pmu, 40, 0, 0, 0, 0, {}, {}}};
  p.page_phases = {{0, {4, 1}, {2, 3}}, {k_none, {}, {0, 5}}};
  p.co_access = {{{{0, 9}}, {8, 5, 2}, {6, 3, 1}, {4, 2, 0}},
                 {{{0, 9}, {1, 4}}, {12, 6, 2}, {3, 2, 1}, {}}};
  p.timeline = {{0, {20, 3}, {5, 1}, {64, 4096}}, {2, {1, 3}, {}, {}}};
}

Profile full_profile() {
  Profile p;
  p.tool = "0.1.0";
  p.program = {"prog", "b1d", "GNU C17 12.2.0 \"x\" \\ \n\t\x01 \xc3\xa9",
               "x86_64-linux-gnu", "./prog x"};
  p.run = {false, "full", 2, (1ull << 60) + 36, (1ull << 60) + 20, 16, 3, 4, 5, 6, 1.25, "",
           0, 0, 0, 0, 3, 900, "sizes=smaps", {{"qsort_r", 3}, {"step", 1}},
           1700000000, "node7", {{"commit", "1f"}, {"input", "large"}}};
  p.sections = {"object_relative", "mdf", "never_met", "strides", "dependences",
                "inferred_dependences", "points_to", "cache", "reuse", "types", "fields", "lifetimes", "dead_stores", "values", "silent_stores",
                         "sharing", "privatisation", "pointers", "regularity", "whole_stream",
                         "stream_names", "pages", "page_phases", "co_access", "timeline"};
  Module& m = p.modules.emplace_back();
  m.file = "a.c";
  m.options = "-O2 -ffast-math";
  m.options_hash = 0xffffffff;
  Function f;
  f.name = "f(int)";
  f.linkage_name = "_Z1fi";
  f.checksum = 0xdeadbeef;
  f.file = "h.h";
  f.line = 3;
  f.comdat = true;
  f.never_executed = 2;
  f.loops = {{0, k_none, "", 4, 1, 10, 0, 0.5}, {1, 0, "h.h", 5, 10, 1ull << 63, 0.75, 0, 2}};
  f.calls = {{"_ZSt4sortv", "", 8}, {"_ZSt4sortv", "h.h", 2}};
  f.frames = {{0, "g", "", 9, 3}, {1, "std::find", "h.h", 12, 0}};
  f.sites = {{0, 0, Access::load, "h.h", 5, 7, 4, 1, "struct s", "x.y", "p->x.y",
              "a.c:9", (1ull << 60) + 20, 0, 2, "/usr/include/v.h:3:4"},
             {1, 3, Access::store, "", 6, 8, 8, k_none, "", "", "q[i]", "", 12},
             {2, 4, Access::store, "", 7, 8, 8, 1, "", "", "r[i]", "", 4}};
  m.functions.push_back(f);
  p.groups = {{0, GroupKind::heap, "a.c", 3, "f", "malloc", "struct s",
               "a.c:3 < b.c:9", 5, 80, 64, 32, 48, 16, 1, 0.25, "f:2"},
              {1, GroupKind::unknown, "", 0, "", "", "", "", 0, 0, 0, 0, 0, 0, k_none, 0}};
  add_rows(p);
  canonicalise(p);
  return p;
}

Profile without_streams(Profile profile) {
  std::erase(profile.sections, "whole_stream");
  std::erase(profile.sections, "stream_names");
  profile.whole_stream.clear();
  profile.stream_names.clear();
  return profile;
}

Profile shuffled(Profile profile, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto mix = [&random](auto& rows) { std::shuffle(rows.begin(), rows.end(), random); };
  // Ids: x -> 3 x + 100, another order after shuffling.
  auto other = [](Id& id) { if (id < k_external) id = 3 * id + 100; };
  for (Module& module : profile.modules)
    for (Function& f : module.functions) {
      for (Loop& loop : f.loops) { other(loop.id); other(loop.parent); }
      for (Site& site : f.sites) { other(site.id); other(site.loop); }
      mix(f.sites);
    }
  for (Module& module : profile.modules) mix(module.functions);
  mix(profile.modules);
  for (Group& group : profile.groups) { other(group.id); other(group.parent); }
  mix(profile.groups);
  for (ObjectRelative& r : profile.object_relative) { other(r.site); other(r.group); }
  for (Mdf& r : profile.mdf) { other(r.source); other(r.sink); }
  for (NeverMet& r : profile.never_met) {
    other(r.loop);
    for (std::vector<Id>* ids : {&r.sinks, &r.sources}) {
      for (Id& id : *ids) other(id);
      mix(*ids);
    }
  }
  mix(profile.never_met);
  for (Stride& r : profile.strides) { other(r.site); mix(r.histogram); }
  for (Dependence& r : profile.dependences) {
    other(r.source);
    other(r.sink);
    other(r.loop);
  }
  for (PointsTo& r : profile.points_to) {
    other(r.site);
    for (auto& target : r.groups) other(target.group);
    mix(r.groups);
  }
  for (Cache& r : profile.cache) { other(r.site); other(r.group); }
  for (Reuse& r : profile.reuse) { other(r.site); other(r.group); }
  mix(profile.object_relative);
  mix(profile.mdf);
  mix(profile.strides);
  mix(profile.dependences);
  for (InferredDependence& r : profile.inferred_dependences) { other(r.source); other(r.sink); }
  mix(profile.inferred_dependences);
  mix(profile.points_to);
  mix(profile.cache);
  mix(profile.reuse);
  for (Lifetime& r : profile.lifetimes) { other(r.group); other(r.loop); }
  mix(profile.types);
  mix(profile.fields);
  mix(profile.lifetimes);
  for (DeadStore& r : profile.dead_stores) other(r.site);
  mix(profile.dead_stores);
  for (Value& r : profile.values) { other(r.site); mix(r.values); }
  mix(profile.values);
  for (SilentStore& r : profile.silent_stores) other(r.site);
  mix(profile.silent_stores);
  for (Regularity& r : profile.regularity) other(r.site);
  mix(profile.regularity);
  for (StreamName& r : profile.stream_names) { other(r.site); other(r.group); }
  mix(profile.stream_names);
  for (Pages& r : profile.pages) other(r.group);
  mix(profile.pages);
  for (PagePhases& r : profile.page_phases) other(r.group);
  mix(profile.page_phases);
  for (CoAccess& r : profile.co_access) {
    for (CoAccess::Member& m : r.groups) other(m.group);
    mix(r.groups);
  }
  mix(profile.co_access);
  mix(profile.timeline);
  for (Sharing& r : profile.sharing) { other(r.site); other(r.source); }
  mix(profile.sharing);
  for (Privatisation& r : profile.privatisation) { other(r.loop); other(r.group); }
  mix(profile.privatisation);
  for (PointerUse& r : profile.pointers) { other(r.at); other(r.group); }
  mix(profile.pointers);
  mix(profile.sections);
  return profile;
}

std::string source_path(const std::string& name) {
  return std::string(MEMPROF_SRCDIR "/testsuite/") + name;
}

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void spill(const std::string& path, const std::string& text) {
  // A new file each time: ext4 flushes one that is truncated and written again.
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << text;
}

TemporaryFolder::TemporaryFolder() {
  const char* base = std::getenv("TMPDIR");
  name_ = std::string(base ? base : "/tmp") + "/memprof-test-XXXXXX";
  if (!::mkdtemp(name_.data())) std::abort();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(name_, ignored);
}

}  // namespace memprof::feedback::test
