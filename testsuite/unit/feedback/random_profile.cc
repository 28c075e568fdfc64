// random_profile.cc - random profiles to test with.
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
namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Profile make() {
    profile_.tool = "0.1.0";
    profile_.program = {"prog", "b1d", "GNU C17 12.2.0", "x86_64-linux-gnu", "./prog x"};
    profile_.sections = {"object_relative", "mdf", "never_met", "strides", "dependences",
                         "inferred_dependences", "points_to", "cache", "types", "fields", "lifetimes",
                         "dead_stores", "values", "silent_stores",
                         "sharing", "privatisation", "pointers", "regularity", "whole_stream",
                         "stream_names", "pages", "page_phases", "co_access", "timeline"};
    modules();
    groups();
    for (const Site* site : sites_) tables(*site);
    streams();
    dependences();
    for (const Module& module : profile_.modules)
      for (const Function& function : module.functions) never_met(function);
    for (unsigned bytes : {8, 16})
      if (below(2))
        profile_.types.push_back({"struct node", "a.h", 3, bytes + 1, bytes, 8, false, false,
                                  {{"next", "struct node *next", 0, 8, 8, 0, 0}}, {}});
    for (RecordType& type : profile_.types)
      for (const char* kind : {"asm", "cast"})
        if (below(2)) type.obstacles.push_back({kind, "", "a.c:" + std::to_string(below(9))});
    for (const char* field : {"key", "next"})
      if (below(2))
        profile_.fields.push_back({"struct node", field, below(9), below(9), below(9),
                                   below(9), {{"value", 1 + below(9)}}});
    for (const Group& group : profile_.groups)
      if (below(2)) {
        const std::uint64_t max = below(100);
        const bool local = next_loop_ > 9 && below(2);
        profile_.lifetimes.push_back({group.id, local ? Id(9) : k_none, 1 + below(9), 0,
                                      below(max + 1), max, max + below(900), local,
                                      below(2) ? "build" : "", {}});
      }
    for (const Group& group : profile_.groups)
      if (next_loop_ > 9 && below(2))
        profile_.privatisation.push_back(
            {Id(9), group.id, 9 + below(9), 9 + below(9), below(9), below(9), below(9)});
    for (const Group& group : profile_.groups)
      if (below(2))
        profile_.pointers.push_back({k_none, below(2) ? "f" : "g", std::uint32_t(below(3)), "main",
                                     PointerTarget::object, group.id, "main", 1 + below(9), 0});
    for (const Group& group : profile_.groups)
      if (below(2)) {
        const std::uint64_t refs = below(100), dram = below(refs + 1);
        profile_.pages.push_back({group.id, below(3), std::uint32_t(below(2)), PageSource::model,
                                  below(900), below(900), below(90), refs, below(9),
                                  {below(50), below(9), below(2), dram}, {below(50), 0, 1, dram}});
      }
    for (std::size_t i = 0; i < profile_.groups.size(); i++)
      for (std::size_t j = 1; i + j <= profile_.groups.size() && j <= 2; j++)
        if (below(2)) co_access(i, i + j);
    Run& run = profile_.run;
    run.runs = 1 + below(3);
    run.complete = below(4) != 0;
    run.duration_s = double(below(100000)) / 1000;
    run.objects = below(1000);
    for (const char* name : {"iconv", "qsort_r", "step"})
      if (below(2)) {
        run.external_functions.push_back({name, 1 + below(9)});
        run.external_calls += run.external_functions.back().calls;
      }
    run.threads = 1 + below(8);
    if (below(4)) run.start = 1700000000 + below(1000);
    if (below(4)) run.host = "node" + std::to_string(below(2));
    for (const char* name : {"commit", "input"})
      if (below(3)) run.labels.push_back({name, std::to_string(below(2))});
    for (const Site* s : sites_)
      (s->kind == Access::load ? run.loads : run.stores) += s->executions;
    run.accesses = run.loads + run.stores;
    for (Group& group : profile_.groups) group.accesses = std::min(group.accesses, run.accesses);
    for (std::uint32_t thread = 0; thread <= run.threads; thread++) {
      Timeline& row = profile_.timeline.emplace_back();
      row.thread = thread;
      for (std::uint64_t& n : row.accesses) n = below(run.accesses + 1);
      for (std::uint64_t& n : row.live) n = thread == 0 ? below(1000) : 0;
    }
    return std::move(profile_);
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::uint64_t some() { return 1 + below(below(2) ? 10 : 1000000); }

  void modules() {
    for (const char* file : {"src/a.c", "src/b.cc", "lib/c.cc"}) {
      if (below(4) == 0) continue;
      Module& module = profile_.modules.emplace_back();
      module.file = file;
      module.options = "-O2";
      module.options_hash = 77;
      for (unsigned f = 0; f < 4; f++)
        if (below(3) != 0) function(module, f);
    }
    for (Module& module : profile_.modules)
      for (Function& f : module.functions)
        for (Site& site : f.sites) {
          sites_.push_back(&site);
          executions_[site.id] = site.executions;
        }
  }

  // The same shape for the same number: a program has one of each.
  void function(Module& module, unsigned number) {
    std::mt19937_64 shape(number);
    Function& f = module.functions.emplace_back();
    f.name = "f" + std::to_string(number);
    f.linkage_name = number % 2 ? "_Z2f" + std::to_string(number) + "v" : f.name;
    f.checksum = 1000 + number;
    f.line = 10 * number + 1;
    f.comdat = number == 3 && module.file != "src/a.c";
    const unsigned loops = shape() % 4, sites = 1 + shape() % 5;
    for (unsigned i = 0; i < loops; i++) {
      Loop& loop = f.loops.emplace_back();
      loop.id = next_loop_++;
      loop.parent = i == 0 || shape() % 2 ? k_none : f.loops[i - 1].id;
      loop.line = f.line + i;
      loop.invocations = below(5);
      if (loop.parent != k_none)
        loop.invocations = std::min(loop.invocations, f.loops[i - 1].iterations);
      loop.iterations = loop.invocations * below(100);
    }
    for (unsigned i = 0; i < sites; i++) {
      const unsigned loop = shape() % (loops + 1);
      Site site;
      site.ordinal = i;
      site.kind = shape() % 2 ? Access::store : Access::load;
      site.line = f.line + i;
      site.column = i;
      site.width = 1u << shape() % 4;
      site.loop = loop == loops ? k_none : f.loops[loop].id;
      site.type = shape() % 2 ? "struct node" : "";
      site.field = site.type.empty() ? "" : "next";
      site.expression = "p[" + std::to_string(i) + "]";
      if (shape() % 4 == 0) site.file = "inc/h.h";
      if (shape() % 4 == 0) site.inlined_at = "src/a.c:3";
      site.executions = some();
      if (below(3) == 0) {
        f.never_executed++;
      } else {
        site.id = next_site_++;
        f.sites.push_back(site);
      }
    }
  }

  void groups() {
    const char* allocators[] = {"malloc", "", "", "mmap", ""};
    for (unsigned i = 0; i < 5; i++) {
      if (below(3) == 0) continue;
      Group& group = profile_.groups.emplace_back();
      group.id = i * 3;
      group.kind = GroupKind(i);
      group.file = i == 4 ? "" : "src/a.c";
      group.line = i;
      group.function = "g" + std::to_string(i);
      group.allocator = allocators[i];
      group.type = i % 2 ? "" : "struct node";
      group.context = i == 0 ? "a.c:3 < b.c:9" : "";
      group.objects = some();
      group.bytes = group.objects * 16;
      group.span = group.bytes - below(group.bytes);
      group.accesses = below(1000);
      if (profile_.groups.size() > 1 && below(2)) group.parent = profile_.groups.front().id;
    }
  }

  template <int D>
  LmadStream<D> stream(std::uint64_t accesses) {
    LmadStream<D> out;
    // The first access is always captured.
    for (unsigned n = 1 + unsigned(below(3)); n-- > 0 && out.captured < accesses;) {
      Lmad<D>& lmad = out.lmads.emplace_back();
      for (int d = 0; d < D; d++) {
        lmad.start[d] = std::int64_t(below(1000)) - 100;
        lmad.stride[d] = std::int64_t(below(64)) - 32;
      }
      lmad.count = 1 + below(accesses - out.captured);
      out.captured += lmad.count;
    }
    out.overflow.count = accesses - out.captured;
    if (out.overflow.count != 0)
      for (int d = 0; d < D; d++) {
        out.overflow.min[d] = -std::int64_t(below(50));
        out.overflow.max[d] = std::int64_t(below(50));
        out.overflow.granularity[d] = below(8);
        out.overflow.t_closed = below(10000);
      }
    return out;
  }

  void values(const Site& site) {
    Value row{site.id, 1 + below(site.executions), {}, below(50), 0};
    row.max = row.min + below(50);
    row.repeats = below(row.executions);
    row.affine = row.executions > 1 && below(2);
    if (row.affine) row.first = below(2), row.step = std::int64_t(below(3)) - 1;
    if (below(2)) {
      row.values = {{row.min, row.executions}};
      row.max = row.min;
    }
    profile_.values.push_back(row);
  }

  void regularity(const Site& site) {
    Regularity row;
    row.site = site.id;
    row.references = 1 + below(site.executions);
    row.regular = below(row.references + 1);
    if (below(2)) {
      row.looked = 1 + below(row.references);
      row.before = below(row.references + 1);
    }
    for (std::uint64_t n = below(4); n > 0; n--) {
      add_stream(row, 3 + below(200), static_cast<std::int64_t>(below(80)) - 40);
      if (below(2)) add_period(row, 1 + below(5), 3 + below(200));
    }
    profile_.regularity.push_back(row);
  }

  // A row of the groups from BEGIN to END.
  void co_access(std::size_t begin, std::size_t end) {
    CoAccess row;
    for (; begin < end; begin++) row.groups.push_back({profile_.groups[begin].id, 30 + below(50)});
    row.before = {20 + below(9), 10 + below(9), below(9)};
    row.after = {20 + below(9), 10 + below(9), below(9)};
    profile_.co_access.push_back(row);
  }

  void streams() {
    WholeStream row;
    row.file = "a.memprof.streams";
    row.hash = 1 + below(1000);
    row.grammars = {{"site", 3, 2, 9, 1 + below(50)}};
    row.omsg_bytes = row.grammars[0].bytes;
    profile_.whole_stream.push_back(row);
    for (const Site* site : sites_)
      profile_.stream_names.push_back({std::uint32_t(profile_.stream_names.size()), site->id, k_none});
  }

  void tables(const Site& site) {
    std::uint64_t left = site.executions;
    PointsTo points{site.id, {}};
    for (const Group& group : profile_.groups) {
      const std::uint64_t part = below(left + 1);
      if (part == 0 || below(2) == 0) continue;
      left -= part;
      points.groups.push_back({group.id, part});
      profile_.object_relative.push_back({site.id, group.id, part, stream<3>(part),
                                          stream<2>(part), stream<1>(part),
                                          stream<1>(part)});
    }
    if (!points.groups.empty()) profile_.points_to.push_back(points);

    for (Id group : {k_none, profile_.groups.empty() ? k_none : profile_.groups[0].id}) {
      const std::uint64_t l1 = below(std::min<std::uint64_t>(site.executions, 1000) + 1), l2 = below(l1 + 1);
      if (below(3) == 0) profile_.cache.push_back({site.id, group, l1, l2, below(l2 + 1), below(9), {}, false});
      if (profile_.groups.empty()) break;
    }

    if (site.kind == Access::store && below(2))
      profile_.dead_stores.push_back({site.id, 1 + below(site.executions)});
    if (site.kind == Access::store && below(2))
      profile_.silent_stores.push_back({site.id, 1 + below(site.executions)});
    if (below(2)) values(site);
    if (below(2)) regularity(site);
    if (site.kind == Access::store && below(2))
      profile_.sharing.push_back({site.id, site.id, 1 + below(9), below(9)});

    Stride row;
    row.site = site.id;
    row.executions = site.executions;
    left = site.executions - 1;
    for (unsigned n = unsigned(below(5)); n > 0 && left > 0; n--) {
      const std::uint64_t part = 1 + below(left);
      left -= part;
      const std::int64_t stride = std::int64_t(below(9)) * 8 - 32;
      row.histogram.push_back({stride, part});
      if (below(2)) row.within_object.histogram.push_back({stride, part});
    }
    row.other = below(left + 1);
    row.repeats = below(site.executions);
    derive(row);
    profile_.strides.push_back(row);
  }

  void dependences() {
    std::map<std::pair<Id, Id>, bool> seen;
    for (std::size_t n = 0; n < 2 * sites_.size(); n++) {
      const Site& source = *sites_[below(sites_.size())];
      const Site& sink = *sites_[below(sites_.size())];
      const bool external = below(8) == 0;
      const bool writes = external || source.kind == Access::store;
      if (!writes && sink.kind == Access::load) continue;
      const Id from = external ? k_external : source.id;
      if (!seen.emplace(std::pair(from, sink.id), true).second) continue;
      Dependence row;
      row.source = from;
      row.sink = sink.id;
      row.kind = !writes ? DependenceKind::war
                 : sink.kind == Access::load ? DependenceKind::raw
                                             : DependenceKind::waw;
      row.loop = below(2) ? sink.loop : k_none;
      row.count = 1 + below(sink.executions);
      row.iters = 1 + below(row.count);
      row.uncertain = below(3) ? 0 : below(row.count + 1);
      row.frequency = ratio(row.count, sink.executions);
      if (row.loop == k_none) {
        row.no_loop = row.count;
        row.concurrent = below(row.count + 1);
      } else {
        row.intra = below(row.count + 1);
        row.carried = row.count - row.intra;
        row.distance.min = row.intra ? 0 : 1 + below(3);
        row.distance.max = row.carried ? row.distance.min + 1 + below(9) : 0;
        row.distance.histogram[0] = row.intra;
        row.distance.histogram[row.distance.max > 4 ? 5 : row.distance.max] += row.carried;
      }
      row.context = below(4) ? "" : "a.c:3";
      profile_.dependences.push_back(row);
      if (row.kind != DependenceKind::raw) continue;
      std::uint64_t& shared_out = inferred_[sink.id];
      if (shared_out < sink.executions && below(2)) {
        const std::uint64_t part_of = 1 + below(sink.executions - shared_out);
        shared_out += part_of;
        profile_.inferred_dependences.push_back({from, sink.id, part_of, ratio(part_of, sink.executions)});
      }
      const std::uint64_t part = below(sink.executions + 1);
      profile_.mdf.push_back({from, sink.id, ratio(part / 2, sink.executions),
                              ratio(part, sink.executions), 1});
    }
  }

  // Half of the pairs of a loop that did not meet; the others are unknown.
  void never_met(const Function& function) {
    std::map<Id, Id> parents;
    std::map<Id, StrangersOfLoop> pairs;
    for (const Loop& loop : function.loops) parents[loop.id] = loop.parent;
    std::set<std::pair<Id, Id>> met;
    for (const Mdf& r : profile_.mdf) met.emplace(r.source, r.sink);
    for (const Site& sink : function.sites)
      for (const Site& source : function.sites) {
        if (sink.kind == source.kind || sink.kind == Access::store) continue;
        const Id loop = innermost_common(sink.loop, source.loop, [&](Id l) { return parents[l]; });
        if (loop == k_none || met.contains({source.id, sink.id}) || below(2)) continue;
        pairs[loop][sink.id].emplace_back(source.id, MeetLevel(below(k_may_always_meet + 1)));
      }
    for (const auto& [loop, of_loop] : pairs) add_rows(profile_.never_met, loop, of_loop);
  }

  std::mt19937_64 random_;
  Profile profile_;
  std::vector<const Site*> sites_;
  std::map<Id, std::uint64_t> executions_;
  std::map<Id, std::uint64_t> inferred_;  // executions of a sink that have a row
  Id next_site_ = 5, next_loop_ = 9;
};

}  // namespace

Profile random_profile(std::uint64_t seed) { return Generator(seed).make(); }

}  // namespace memprof::feedback::test
