// dependence_context.cc - dependences of all kinds by calling context.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Like dependence_all.cc, but each byte also remembers in which calling context
// it was written last and read last, and rows of different contexts are apart:
//
//     void put (int *p) { *p = 1; }     put < setup, get < check
//     int get (int *p) { return *p; }   put < setup, get < use
//
// A store depends on the last read of its bytes only (WAR), not on all reads since
// the last write.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "feedback/derive.h"
#include "runtime/backend/byte_shadow.h"
#include "runtime/backend/modules/dependence.h"
#include "runtime/backend/thread_contexts.h"

namespace memprof::backend {
namespace {

using feedback::DependenceKind;

// Who has accessed a byte last; `site' 0: nobody.
struct Last {
  SiteId site = 0;
  ContextId context = 0;
  Stamp stamp = 0;
};

struct Byte {
  Last writer, reader;
};

struct Row {
  feedback::Dependence sum;
  Stamp iteration = 0;          // counted in last
  std::set<Stamp> outer;        // the same, of activations around a recursive one
  std::uint64_t execution = 0;  // the same
  unsigned buckets = 0;         // of that execution
};

class DependenceContextModule final : public Module {
 public:
  explicit DependenceContextModule(const ProgramInfo& program) : program_(program) {}

  void consume(const Batch& batch) override {
    for_each(batch, [this](const Event& e, std::uint64_t width) { event(e, width); });
  }
  void finish(feedback::Profile& profile) override;

 private:
  using Key = std::tuple<DependenceKind, SiteId, SiteId, LoopId, ContextId, ContextId>;

  void event(const Event& e, std::uint64_t width);
  void access(const Event& e, SiteId site, std::uint64_t width);
  void add(DependenceKind kind, const Last& source, SiteId sink);
  static void note_iteration(Row& row, const LoopContext& loops, const ActiveLoop& loop);

  const ProgramInfo& program_;
  ThreadContexts at_;
  std::uint64_t execution_ = 0;
  ByteShadow<Byte> shadow_;
  std::map<std::pair<Key, std::uint32_t>, Row> rows_;  // by thread, for the iterations
};

void DependenceContextModule::event(const Event& e, std::uint64_t width) {
  switch (e.kind) {
    case EventKind::load:
    case EventKind::store: access(e, e.site, width); break;
    case EventKind::external_store: access(e, k_external_site, width); break;
    case EventKind::birth:
    case EventKind::death:
    case EventKind::local_birth:
      shadow_.for_touched(e.address, width, [](Byte& byte) { byte = {}; });
      break;
    default: at_.follow(e);
  }
}

void DependenceContextModule::access(const Event& e, SiteId site, std::uint64_t width) {
  execution_++;
  const Last now{site, at_.context(), at_.now()};
  for (std::uint64_t a = e.address; a != e.address + width; a++) {
    Byte& byte = shadow_.at(a);
    if (e.kind == EventKind::load) {
      add(DependenceKind::raw, byte.writer, site);
      byte.reader = now;
      continue;
    }
    if (site != k_external_site) {
      add(DependenceKind::waw, byte.writer, site);
      add(DependenceKind::war, byte.reader, site);
    }
    byte = {now, {}};
  }
}

// One byte of the execution of SINK depends on SOURCE.
void DependenceContextModule::add(DependenceKind kind, const Last& source, SiteId sink) {
  if (source.site == 0) return;
  const LoopContext& loops = at_.loops();
  const ActiveLoop* loop = loops.carrier(source.stamp);
  const std::uint64_t distance = loops.distance(loop, source.stamp);
  Row& row = rows_[{{kind, source.site, sink, loop->id, source.context, at_.context()},
                    at_.thread()}];
  feedback::Dependence& sum = row.sum;
  if (row.execution != execution_) {
    sum.distance.min = sum.count == 0 ? distance : std::min(sum.distance.min, distance);
    row.execution = execution_;
    row.buckets = 0;
    sum.count++;
  }
  note_iteration(row, loops, *loop);
  sum.distance.min = std::min(sum.distance.min, distance);
  sum.distance.max = std::max(sum.distance.max, distance);
  const auto bucket = std::min<std::uint64_t>(distance, k_far);
  if (row.buckets >> bucket & 1) return;
  sum.intra += bucket == 0;
  sum.carried += bucket != 0 && row.buckets < 2;
  row.buckets |= 1u << bucket;
  sum.distance.histogram[bucket]++;
}

// Recursion comes back to iterations of a loop that have been counted before.
void DependenceContextModule::note_iteration(Row& row, const LoopContext& loops,
                                             const ActiveLoop& loop) {
  if (row.iteration == loop.iteration) return;
  bool seen = false;
  if (!row.outer.empty() || loops.activations(loop.id) > 1) {
    row.outer.insert(row.iteration);
    seen = row.outer.contains(loop.iteration);
    std::erase_if(row.outer, [&](Stamp start) { return !loops.current_p(loop.id, start); });
  }
  row.sum.iters += !seen;
  row.iteration = loop.iteration;
}

// Threads are added up, and what is one in the document.
void DependenceContextModule::finish(feedback::Profile& profile) {
  std::map<std::tuple<DependenceKind, feedback::Id, feedback::Id, feedback::Id, std::string>,
           feedback::Dependence> sums;
  for (const auto& [key, row] : rows_) {
    const auto& [kind, source, sink, loop, from, to] = key.first;
    const feedback::Id source_id = program_.site_id(source), sink_id = program_.site_id(sink);
    if (source_id == feedback::k_none || sink_id == feedback::k_none) continue;
    const feedback::Id loop_id = loop == 0 ? feedback::k_none : program_.loop_id(loop);
    const std::string context =
        at_.tree().text(from, program_) + " -> " + at_.tree().text(to, program_);
    feedback::Dependence& sum = sums[{kind, source_id, sink_id, loop_id, context}];
    const feedback::Distance& distance = row.sum.distance;
    sum.distance.min =
        sum.count == 0 ? distance.min : std::min(sum.distance.min, distance.min);
    sum.distance.max = std::max(sum.distance.max, distance.max);
    for (std::size_t i = 0; i < k_distance_buckets; i++)
      sum.distance.histogram[i] += distance.histogram[i];
    sum.kind = kind, sum.source = source_id, sum.sink = sink_id, sum.loop = loop_id;
    sum.context = context;
    sum.count += row.sum.count;
    sum.iters = loop == 0 ? 1 : sum.iters + row.sum.iters;
    sum.intra += row.sum.intra;
    sum.carried += row.sum.carried;
    sum.frequency = feedback::ratio(sum.count, program_.executions(sink));
  }
  for (auto& [key, sum] : sums) {
    sum.iters = std::min(sum.iters, sum.count);
    profile.dependences.push_back(std::move(sum));
  }
}

}  // namespace

std::unique_ptr<Module> make_dependence_context(const ProgramInfo& program) {
  return std::make_unique<DependenceContextModule>(program);
}

}  // namespace memprof::backend
