// dependence_oracle.h - dependences by definition, with a map entry per byte.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The slow reference for the dependence modules.  It shares no code with them:
// every byte has its writer and readers with their threads, every active loop the list of all its
// iteration starts and the rows seen in the current one.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "testsuite/unit/backend/backend_testutil.h"

namespace memprof::backend::testing {

class DependenceOracle {
 public:
  enum class Kinds { raw, last_reader, all_readers };
  explicit DependenceOracle(Kinds kinds = Kinds::raw) : kinds_(kinds) {}

  feedback::Profile run(const FakeProgram& program, const Trace& batch) {
    for (const FlatEvent& e : expand(batch).events) step(e);
    feedback::Profile profile;
    for (auto& [key, row] : rows_) {
      const auto& [source, sink, kind, loop] = key;
      row.source = source == k_external_site ? feedback::k_external : source;
      row.sink = sink;
      row.kind = kind;
      row.iters = std::min(row.iters, row.count);
      row.loop = loop == 0 ? feedback::k_none : loop;
      row.frequency = static_cast<double>(row.count) /
                      static_cast<double>(program.executions(sink));
      profile.dependences.push_back(row);
    }
    std::sort(profile.dependences.begin(), profile.dependences.end(),
              [](const auto& a, const auto& b) {
                return std::tie(a.source, a.sink, a.kind, a.loop) <
                       std::tie(b.source, b.sink, b.kind, b.loop);
              });
    return profile;
  }

 private:
  using Kind = feedback::DependenceKind;
  using Key = std::tuple<SiteId, SiteId, Kind, LoopId>;
  struct Loop {
    LoopId id;
    std::uint64_t entered;
    std::vector<std::uint64_t> starts;
    std::set<Key> seen;
  };
  struct Access {
    std::uint64_t stamp = 0;
    std::uint32_t thread = 0;
  };
  struct Byte {
    SiteId writer = 0;
    Access written;
    std::map<SiteId, Access> readers;
  };

  void step(const FlatEvent& e) {
    std::vector<Loop>& stack = stacks_[e.thread];
    thread_ = e.thread;
    auto matching = [&stack, &e] {
      std::size_t i = stack.size();
      while (i != 0 && stack[i - 1].id != e.index) i--;
      return i;  // one more than its index
    };
    switch (e.kind) {
      case EventKind::loop_enter: stack.push_back({e.index, clock_, {}, {}}); break;
      case EventKind::loop_iteration:
        clock_++;
        if (!late_.contains(e.thread) || matching() != 0) {
          stack.resize(matching());
        } else {  // its entry was before the gap
          stack.assign(1, {e.index, clock_ - 1, {}, {}});
        }
        if (!stack.empty() && stack.back().id == e.index) {
          stack.back().starts.push_back(clock_);
          stack.back().seen.clear();
        }
        break;
      case EventKind::loop_resume: break;  // no frames in these scripts
      case EventKind::loop_exit:
        if (const std::size_t i = matching(); i != 0) stack.resize(i - 1);
        break;
      case EventKind::load: load(e, stack); break;
      case EventKind::store: store(e, stack, e.site); break;
      case EventKind::external_store: store(e, stack, k_external_site); break;
      case EventKind::birth:
      case EventKind::death:
      case EventKind::local_birth:
        for (std::uint64_t b = 0; b < e.width; b++) bytes_.erase(e.address + b);
        break;
      case EventKind::gap:
        bytes_.clear();
        stack.clear();
        late_.insert(e.thread);
        break;
      case EventKind::thread_end:
        stack.clear();
        late_.erase(e.thread);
        break;
      case EventKind::thread:
      case EventKind::range:
      case EventKind::block:
      case EventKind::value:
      case EventKind::pointer:
      case EventKind::global_birth:
      case EventKind::function_enter:
      case EventKind::function_exit: break;
    }
  }

  // The distances at which one execution has each row. Without a loop: 1 if another thread
  // was the source during a loop of this one, else 0.
  using Found = std::map<Key, std::set<std::uint64_t>>;

  void find(Found& found, std::vector<Loop>& stack, Kind kind, SiteId source,
            Access access, SiteId sink) {
    const std::uint64_t stamp = access.stamp;
    bool concurrent = false;
    for (std::size_t i = stack.size(); i-- > 0;)
      if (stack[i].entered < stamp) {
        concurrent = access.thread != thread_;
        if (concurrent) break;
        std::uint64_t distance = 0;
        for (std::uint64_t start : stack[i].starts) distance += start > stamp;
        const Key key{source, sink, kind, stack[i].id};
        found[key].insert(distance);
        if (stack[i].seen.insert(key).second) rows_[key].iters++;
        return;
      }
    found[{source, sink, kind, 0}].insert(concurrent);
    rows_[{source, sink, kind, 0}].iters = 1;
  }

  void add(const Found& found) {
    for (const auto& [key, distances] : found) {
      feedback::Dependence& row = rows_[key];
      if (std::get<3>(key) == 0) {
        row.count++;
        row.no_loop++;
        row.concurrent += distances.contains(1);
        continue;
      }
      std::set<std::uint64_t> buckets;
      bool carried = false;
      if (row.count == 0) row.distance.min = *distances.begin();
      for (std::uint64_t d : distances) {
        row.distance.min = std::min(row.distance.min, d);
        row.distance.max = std::max(row.distance.max, d);
        buckets.insert(std::min<std::uint64_t>(d, 5));
        carried = carried || d != 0;
      }
      row.count++;
      row.intra += !carried;
      row.carried += carried;
      for (std::uint64_t b : buckets) row.distance.histogram[b]++;
    }
  }

  void load(const FlatEvent& e, std::vector<Loop>& stack) {
    Found found;
    for (std::uint64_t b = 0; b < e.width; b++) {
      Byte& byte = bytes_[e.address + b];
      if (byte.writer) find(found, stack, Kind::raw, byte.writer, byte.written, e.site);
      if (kinds_ == Kinds::last_reader) byte.readers.clear();
      byte.readers[e.site] = {clock_, thread_};
    }
    add(found);
  }

  void store(const FlatEvent& e, std::vector<Loop>& stack, SiteId site) {
    Found found;
    for (std::uint64_t b = 0; b < e.width; b++) {
      Byte& byte = bytes_[e.address + b];
      if (kinds_ != Kinds::raw && site != k_external_site) {
        if (byte.writer) find(found, stack, Kind::waw, byte.writer, byte.written, site);
        for (const auto& [reader, access] : byte.readers)
          find(found, stack, Kind::war, reader, access, site);
      }
      byte = {site, {clock_, thread_}, {}};
    }
    add(found);
  }

  Kinds kinds_;
  std::uint64_t clock_ = 1;
  std::uint32_t thread_ = 0;
  std::set<std::uint32_t> late_;  // threads that begin in the middle
  std::map<std::uint32_t, std::vector<Loop>> stacks_;
  std::map<std::uint64_t, Byte> bytes_;
  std::map<Key, feedback::Dependence> rows_;
};

}  // namespace memprof::backend::testing
