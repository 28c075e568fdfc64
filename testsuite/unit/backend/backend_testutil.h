// backend_testutil.h - what the tests of the profiling modules share.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program that knows nothing but counts, programs written down event by event, and the rows
// of a profile as text, so that differences between two can be read.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "runtime/backend/event/column_writer.h"
#include "runtime/backend/event/module.h"

namespace memprof::backend::testing {

// An event with all that a batch leaves out.
struct FlatEvent {
  std::uint64_t address, time, base, width;
  SiteId site;
  GroupId group;
  std::uint32_t object, index, thread;
  EventKind kind;
  std::uint32_t object_bytes = 0;
};

// Events as tests write them down; ranges as in a batch.
struct Trace {
  std::vector<FlatEvent> events;
  std::vector<Range> ranges;
  std::vector<RangeAccess> accesses;

  std::span<const RangeAccess> accesses_of(const Range& range) const {
    return {accesses.data() + range.first, range.size};
  }
};

// Whether events of this kind have a target for an index.
inline bool object_p(EventKind kind) {
  return kind == EventKind::birth || kind == EventKind::death || kind == EventKind::global_birth;
}

inline Batch make_batch(const Trace& trace) {
  Batch batch;
  Columns columns;
  columns.open(batch);
  batch.ranges = trace.ranges;
  batch.accesses = trace.accesses;
  if (!trace.events.empty()) batch.time = trace.events[0].time;
  std::uint32_t thread = 0;
  for (const FlatEvent& e : trace.events) {
    if (e.thread != thread) {
      thread = e.thread;
      batch.events.push_back({0, {thread}, 0, EventKind::thread});
    }
    const auto time = static_cast<std::uint32_t>(e.time - batch.time);
    if (e.kind <= EventKind::store) {
      Columns::State& state = columns[e.site];
      columns.begin(e.site, state);
      columns.set_target(state, {e.base, e.width, e.group, e.object, thread, e.object_bytes});
      columns.put(e.site, state, {e.address, time, state.target});
    } else if (e.kind == EventKind::range) {
      Range& range = batch.ranges[e.index];
      range.thread = thread;
      for (std::uint32_t i = range.first; i < range.first + range.size; i++) {
        RangeAccess& a = batch.accesses[i];
        a.range = e.index;
        if (a.count == 0) continue;
        columns.begin(a.site, columns[a.site]);
        columns.put_range(a.site, columns[a.site], {a.address, time, k_range_item | i});
      }
    } else if (e.kind == EventKind::thread_end) {
      batch.ended_threads.push_back(thread);
    } else if (e.kind == EventKind::gap) {
      batch.gaps.push_back(thread);
    }
    batch.note_width(batch.events.size(), e.width);
    std::uint32_t index = e.kind <= EventKind::store ? e.site : e.index;
    if (object_p(e.kind)) {
      index = static_cast<std::uint32_t>(batch.targets.size());
      batch.targets.push_back({e.base, e.width, e.group, e.object, thread});
    }
    batch.events.push_back({e.address, {index},
                            Batch::short_width(e.width), e.kind});
  }
  batch.end = batch.time;
  if (!trace.events.empty()) batch.end = trace.events.back().time + 1;
  for (const Range& range : batch.ranges) {
    std::uint64_t accesses = 0;
    for (const RangeAccess& a : batch.accesses_of(range)) accesses += a.executions();
    batch.end = std::max(batch.end, range.first_time + accesses);
  }
  columns.finish(batch, [](Column&, Columns::State&) {});
  return batch;
}

// And back: what a batch of the decoder says, THREAD being that of its start.
inline Trace trace_of(const Batch& batch, std::uint32_t thread = 0) {
  Trace trace{{}, batch.ranges, batch.accesses};
  struct Execution {
    std::uint64_t address, time, base;
    GroupId group;
    std::uint32_t object;
  };
  std::map<SiteId, std::vector<Execution>> items;
  for (const Column& column : batch.columns)
    Batch::for_items(column, [&](const Item& item) {
      if ((item.target & k_range_item) != 0) {
        const RangeAccess& a = batch.accesses[item.target - k_range_item];
        const Range& range = batch.ranges[a.range];
        for (std::uint64_t i = 0; i < a.count && range.per_iteration != 0; i++)
          items[a.site].push_back({a.address + i * static_cast<std::uint64_t>(a.step),
                                   range.first_time + a.before + i * range.per_iteration, a.base,
                                   a.group, a.object});
        return;
      }
      const Target& t = batch.targets[item.target];
      items[column.site].push_back({item.address, batch.time + item.time, t.base, t.group,
                                    t.object});
    });
  std::map<SiteId, std::size_t> used;
  std::uint64_t time = batch.time;
  const auto add = [&](const Event& e) {
    FlatEvent flat{e.address, time, 0, batch.width(e), 0, 0, 0, 0, thread, e.kind};
    if (e.kind <= EventKind::store) {
      const Execution& item = items[e.site][used[e.site]++];
      EXPECT_EQ(item.address, e.address);
      EXPECT_EQ(item.time, time);
      flat.site = e.site;
      flat.base = item.base;
      flat.group = item.group;
      flat.object = item.object;
      time++;
    } else {
      flat.index = e.index;
      if (object_p(e.kind)) {
        const Target& target = batch.targets[e.index];
        flat.base = target.base;
        flat.group = target.group;
        flat.object = target.object;
      }
      if (e.kind == EventKind::range)
        for (const RangeAccess& a : batch.accesses_of(batch.ranges[e.index]))
          time += a.executions();
    }
    if (e.kind == EventKind::thread)
      thread = e.index;
    else
      trace.events.push_back(flat);
  };
  for (const Event& e : batch.events)
    if (e.kind == EventKind::block)
      for_each(batch, e, add);
    else
      add(e);
  for (const auto& [site, list] : items) EXPECT_EQ(list.size(), used[site]);
  return trace;
}

// Calls fn(const FlatEvent&) for every event that the range represents.
template <typename Fn>
void for_each(const Trace& trace, const FlatEvent& range_event, Fn&& fn) {
  const Range& range = trace.ranges[range_event.index];
  FlatEvent loop = range_event;
  const auto say = [&](EventKind kind, LoopId id) {
    loop.kind = kind;
    loop.index = id;
    if (id != range.outer || id != 0) fn(loop);
  };
  if (!range.inside) say(EventKind::loop_enter, range.outer);
  for (std::uint64_t row = 0; row < range.rows; row++) {
    say(EventKind::loop_iteration, range.outer);
    say(EventKind::loop_enter, range.loop);
    for (std::uint64_t k = 0; k < range.count; k++) {
      say(EventKind::loop_iteration, range.loop);
      for (const RangeAccess& a : trace.accesses_of(range))
        if (k < a.count)
          fn(FlatEvent{a.address + row * static_cast<std::uint64_t>(a.row_step) +
                           k * static_cast<std::uint64_t>(a.step),
                       loop.time++, a.base, a.width, a.site, a.group, a.object, 0,
                       range_event.thread, a.store ? EventKind::store : EventKind::load});
    }
    say(EventKind::loop_exit, range.loop);
  }
  if (!range.inside) say(EventKind::loop_exit, range.outer);
}

// Document ids are the stream's ids, but for those without a row.
class FakeProgram : public ProgramInfo {
 public:
  std::vector<std::uint64_t> counts;  // executions by site
  std::vector<bool> stores;
  GroupId stack_group = 0;
  bool pointers = true;  // whether sites move pointers
  std::string folder;
  std::map<std::string, std::string, std::less<>> options{{"period", "0"}};
  std::set<std::pair<SiteId, SiteId>> apart;  // never alias; the smaller one first

  bool may_alias(SiteId a, SiteId b) const override { return !apart.contains(std::minmax(a, b)); }
  bool store_p(SiteId site) const override {
    return site < stores.size() && stores[site];
  }
  feedback::GroupKind group_kind(GroupId group) const override {
    if (group == 0) return feedback::GroupKind::unknown;
    return group == stack_group ? feedback::GroupKind::stack
                                : feedback::GroupKind::heap;
  }
  std::uint64_t executions(SiteId site) const override {
    return site < counts.size() ? counts[site] : 0;
  }
  bool pointer_p(SiteId) const override { return pointers; }
  std::string_view option(std::string_view key) const override {
    return options.contains(key) ? std::string_view(options.find(key)->second) : "";
  }
  std::string process() const override { return folder; }
  std::size_t sites() const override { return counts.empty() ? 0 : counts.size() - 1; }
  feedback::Id site_id(SiteId site) const override {
    if (site == k_external_site) return feedback::k_external;
    return executions(site) == 0 ? feedback::k_none : site;
  }
  feedback::Id loop_id(LoopId loop) const override {
    return loop == 0 ? feedback::k_none : loop;
  }
  feedback::Id group_id(GroupId group) const override {
    return group == 0 ? feedback::k_none : group;
  }
  std::string function_name(FunctionId f) const override { return "f" + std::to_string(f); }

  void count(SiteId site, bool store, std::uint64_t n = 1) {
    if (site >= counts.size()) {
      counts.resize(site + 1);
      stores.resize(site + 1);
    }
    counts[site] += n;
    stores[site] = store;
  }
  void count(const Trace& batch) {
    for (const FlatEvent& e : batch.events)
      if (e.kind == EventKind::load || e.kind == EventKind::store)
        count(e.site, e.kind == EventKind::store);
      else if (e.kind == EventKind::range)
        for (const RangeAccess& a : batch.accesses_of(batch.ranges[e.index]))
          count(a.site, a.store, a.executions());
  }
};

// The batch with every range replaced by what it represents.
inline Trace expand(const Trace& batch) {
  Trace result;
  for (const FlatEvent& event : batch.events)
    if (event.kind == EventKind::range)
      for_each(batch, event, [&](const FlatEvent& e) { result.events.push_back(e); });
    else
      result.events.push_back(event);
  return result;
}

// Writes a program as events; time runs by itself.
class Script {
 public:
  Trace batch;
  std::uint32_t thread = 0;
  std::uint64_t time = 0;
  std::uint64_t frame = 0x7fff0000;

  Script& load(SiteId site, std::uint64_t address, std::uint64_t width) {
    return access(EventKind::load, site, address, width);
  }
  Script& store(SiteId site, std::uint64_t address, std::uint64_t width) {
    return access(EventKind::store, site, address, width);
  }
  Script& access(EventKind kind, SiteId site, std::uint64_t address,
                 std::uint64_t width, GroupId group = 0, std::uint32_t object = 0,
                 std::uint64_t base = 0) {
    batch.events.push_back({address, time++, base, width, site, group, object, 0,
                            thread, kind});
    return *this;
  }
  Script& event(EventKind kind, std::uint64_t address, std::uint64_t width) {
    batch.events.push_back({address, time, 0, width, 0, 0, 0, 0, thread, kind});
    return *this;
  }
  Script& enter(LoopId loop) { return context(EventKind::loop_enter, loop); }
  Script& iterate(LoopId loop) { return context(EventKind::loop_iteration, loop); }
  Script& exit(LoopId loop) { return context(EventKind::loop_exit, loop); }
  // The stack grows downwards.
  Script& call(FunctionId function) {
    context(EventKind::function_enter, function);
    batch.events.back().address = frame -= 0x100;
    return *this;
  }
  Script& back(FunctionId function) {
    frame += 0x100;
    return context(EventKind::function_exit, function);
  }
  Script& context(EventKind kind, LoopId loop) {
    batch.events.push_back({0, time, 0, 0, 0, 0, 0, loop, thread, kind});
    return *this;
  }
  Script& range(LoopId loop, std::uint64_t count,
                const std::vector<RangeAccess>& accesses, LoopId outer = 0) {
    Range r{count, time, loop, static_cast<std::uint32_t>(batch.accesses.size()),
            static_cast<std::uint32_t>(accesses.size())};
    r.rows = accesses.at(0).rows;
    r.outer = outer;
    for (const RangeAccess& a : accesses) time += a.executions();
    batch.accesses.insert(batch.accesses.end(), accesses.begin(), accesses.end());
    batch.events.push_back({0, r.first_time, 0, 0, 0, 0, 0,
                            static_cast<std::uint32_t>(batch.ranges.size()), thread,
                            EventKind::range});
    batch.ranges.push_back(r);
    return *this;
  }
};

inline void text_of_addresses(const feedback::Profile& profile, std::ostream& out) {
  for (const auto& r : profile.strides) {
    out << "stride " << r.site << " n " << r.executions << " top " << r.dominant
        << ' ' << r.share << " class " << int(r.klass) << " other " << r.other
        << " repeats " << r.repeats << " within " << r.within_object.dominant << ' '
        << r.within_object.share << ' ' << int(r.within_object.klass) << " other "
        << r.within_object.other << " :";
    for (const auto& h : r.within_object.histogram)
      out << ' ' << h.stride << '*' << h.count;
    out << " all";
    for (const auto& h : r.histogram) out << ' ' << h.stride << '*' << h.count;
    out << '\n';
  }
  for (const auto& r : profile.points_to) {
    out << "points_to " << r.site;
    for (const auto& g : r.groups) out << ' ' << g.group << '*' << g.count;
    out << '\n';
  }
}

inline void text_of_values(const feedback::Profile& profile, std::ostream& out) {
  for (const auto& r : profile.dead_stores)
    out << "dead_store " << r.site << " dead " << r.count << '\n';
  for (const auto& r : profile.pointers) {
    if (r.at == feedback::k_none)
      out << "pointer " << r.function << '/' << r.argument;
    else
      out << "pointer " << r.at;
    out << " in " << (r.context.empty() ? "-" : r.context) << " to ";
    if (r.target == feedback::PointerTarget::object)
      out << r.group << " from " << (r.allocated.empty() ? "-" : r.allocated);
    else
      out << (r.target == feedback::PointerTarget::null      ? "null"
              : r.target == feedback::PointerTarget::unknown ? "unknown"
                                                             : "many");
    out << ' ' << r.count << (r.ends ? " ends " : "") << (r.ends ? std::to_string(r.ends) : "") << '\n';
  }
  for (const auto& r : profile.privatisation)
    out << "private " << r.loop << ' ' << r.group << " loads " << r.loads << " exposed "
        << r.exposed << " stores " << r.stores << " rewritten " << r.rewritten << " out "
        << r.live_out << '\n';
  for (const auto& r : profile.sharing)
    out << "sharing " << r.site << " by " << r.source << " same " << r.same_bytes
        << " other " << r.other_bytes << '\n';
  for (const auto& r : profile.silent_stores)
    out << "silent_store " << r.site << " silent " << r.count << '\n';
  for (const auto& r : profile.regularity) {
    out << "regularity " << r.site << ' ' << r.regular << '/' << r.references << " squares "
        << r.squares << " steps " << r.steps << " pages " << r.pages << " wide " << r.wide;
    for (const auto& c : r.streams)
      out << " [" << c.length << " of " << c.step << ": " << c.streams << ", " << c.elements << ']';
    for (const auto& p : r.periods) out << ' ' << p.period << '*' << p.elements;
    if (r.looked != 0) out << " looked " << r.looked << " before " << r.before;
    out << '\n';
  }
  for (const auto& r : profile.pages) {
    out << "pages " << (r.group == feedback::k_none ? 0 : r.group) << '/' << r.object << " thread "
        << r.thread << " reads " << r.reads << " writes " << r.writes << " walks " << r.walks
        << " refs " << r.walk_refs;
    for (const auto& m : {r.memory, r.as_read})
      out << " | requests " << m.requests << " back " << m.write_backs << " left " << m.left
          << " dram " << m.walk_dram;
    out << '\n';
  }
  for (const auto& r : profile.values) {
    out << "value " << r.site << " n " << r.executions << " [" << r.min << ".." << r.max
        << "] repeats " << r.repeats;
    if (r.affine) out << " affine " << r.first << (r.step < 0 ? "" : "+") << r.step;
    for (const auto& v : r.values) out << ' ' << v.value << '*' << v.count;
    out << '\n';
  }
  for (const auto& r : profile.lifetimes)
    out << "lifetime " << r.group << " loop "
        << (r.loop == feedback::k_none ? 0 : r.loop) << " objects " << r.objects
        << " alive " << r.alive << ' ' << r.min << ".." << r.max << " total "
        << r.total << (r.always ? " always" : "") << (r.function.empty() ? "" : " in ") << r.function
        << (r.context.empty() ? "" : " from ") << r.context << '\n';
}

inline void text_of_memory(const feedback::Profile& profile, std::ostream& out) {
  for (const auto& r : profile.cache)
    out << "cache " << r.site << ' '
        << (r.group == feedback::k_none ? 0 : r.group) << " l1 " << r.l1 << " l2 "
        << r.l2 << " llc " << r.llc << " tlb " << r.tlb << '\n';
  for (const auto& r : profile.dependences) {
    out << "dep " << int(r.kind) << ' ' << static_cast<std::int64_t>(
               r.source == feedback::k_external ? -1 : std::int64_t{r.source})
        << "->" << r.sink << " loop "
        << (r.loop == feedback::k_none ? 0 : r.loop) << " count " << r.count
        << " iters " << r.iters << " intra " << r.intra << " carried " << r.carried
        << " no loop " << r.no_loop << " concurrent " << r.concurrent
        << " min " << r.distance.min << " max " << r.distance.max << " h";
    for (auto h : r.distance.histogram) out << ' ' << h;
    out << " f " << r.frequency << '\n';
  }
}

inline void text_of_lmads(const feedback::Profile& profile, std::ostream& out) {
  auto stream = [&out](const char* name, const auto& s) {
    out << "  " << name << " captured " << s.captured << " :";
    for (const auto& l : s.lmads) {
      out << " [";
      for (auto v : l.start) out << v << ' ';
      out << "| ";
      for (auto v : l.stride) out << v << ' ';
      out << "* " << l.count << ']';
    }
    if (s.overflow.count != 0) {
      out << " overflow " << s.overflow.count << " t " << s.overflow.t_closed;
      for (std::size_t d = 0; d < s.overflow.min.size(); d++)
        out << " (" << s.overflow.min[d] << ".." << s.overflow.max[d] << " g "
            << s.overflow.granularity[d] << ')';
    }
    out << '\n';
  };
  for (const auto& r : profile.object_relative) {
    out << "object_relative " << r.site << ' ' << r.group << " n " << r.accesses << '\n';
    stream("v3", r.v3);
    stream("v2", r.v2);
    stream("v1", r.v1);
    stream("o1", r.o1);
  }
  for (const auto& r : profile.mdf)
    out << "mdf " << r.source << "->" << r.sink << ' ' << r.lo << ' ' << r.est << ' '
        << r.hi << '\n';
}

// All rows that the modules made, one per line.
inline std::string text(const feedback::Profile& profile) {
  std::ostringstream out;
  text_of_addresses(profile, out);
  text_of_values(profile, out);
  text_of_memory(profile, out);
  text_of_lmads(profile, out);
  return out.str();
}

// The first line in which two texts differ, or nothing.
inline std::string difference(const std::string& found, const std::string& expected) {
  std::istringstream a(found), b(expected);
  std::string x, y;
  for (;;) {
    const bool more_a = static_cast<bool>(std::getline(a, x));
    const bool more_b = static_cast<bool>(std::getline(b, y));
    if (!more_a && !more_b) return "";
    if (!more_a) x = "(end)";
    if (!more_b) y = "(end)";
    if (x != y) return "found    " + x + "\nexpected " + y;
  }
}

inline void consume(Module& module, const Batch& batch) {
  module.prepare(batch);
  module.consume(batch);
}

using Make = std::unique_ptr<Module> (*)(const ProgramInfo&);

// What it has to say in the end.
inline feedback::Profile finish(Module& module) {
  feedback::Profile profile;
  module.settle();
  module.finish(profile);
  return profile;
}

inline feedback::Profile run(Make make, const ProgramInfo& program, const Trace& trace) {
  auto module = make(program);
  consume(*module, make_batch(trace));
  return finish(*module);
}
inline feedback::Profile run(Make make, const Trace& batch) {
  FakeProgram program;
  program.count(batch);
  return run(make, program, batch);
}

}  // namespace memprof::backend::testing
