// dependence_all.cc - flow, anti and output dependences, also by calling contexts.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two engines do the work, one for the last writers of memory and one for its last
// readers (enum Role), each in a module of its own. In the variant `context' a site is
// another one in each calling context (numbered_descriptors.h), so rows of different
// contexts are apart:
//
//     void put (int *p) { *p = 1; }     put < setup, get < check
//     int get (int *p) { return *p; }   put < setup, get < use
//
// A store depends on the last read of its bytes only (WAR), not on all reads since the
// last write: those are in dependence_readers.cc.
#include <algorithm>
#include <map>
#include <tuple>

#include "feedback/derive.h"
#include "runtime/backend/context_sites.h"
#include "runtime/backend/modules/dependence.h"
#include "runtime/backend/modules/dependence_engine.h"
#include "runtime/backend/modules/numbered_descriptors.h"
#include "runtime/backend/thread_contexts.h"

namespace memprof::backend {
namespace {

using feedback::DependenceKind;

// One of the two engines, so that they can run on different processors.
template <Role role>
class TwinModule final : public Module {
 public:
  TwinModule(const ProgramInfo& program, bool contexts)
      : program_(program), contexts_(contexts), sites_(program, contexts) {}

  void consume(const Batch& batch) override;
  bool reads_columns() const override { return false; }
  void finish(feedback::Profile& profile) override;

 private:
  void event(const Batch& batch, const Event& e);
  SiteId id(SiteId site, bool store) { return sites_.id(site, store, context_); }
  void follow(const Event& e) {
    if (!contexts_) return;
    at_.follow(e);
    context_ = at_.context();
  }

  const ProgramInfo& program_;
  const bool contexts_;
  ContextSites sites_;
  DependenceEngine engine_;
  NumberedDescriptors descriptors_;
  Batch range_;
  ThreadContexts at_;
  ContextId context_ = 0;
};

template <Role role>
void TwinModule<role>::consume(const Batch& batch) {
  for (const Event& e : batch.events) {
    engine_.prefetch_ahead(batch, e);
    event(batch, e);
  }
}

template <Role role>
void TwinModule<role>::event(const Batch& batch, const Event& e) {
  const auto number = [this](SiteId site, bool store) { return id(site, store); };
  if (e.kind == EventKind::block) {
    engine_.template block<role>(
        batch, contexts_ ? descriptors_.of(batch.block_of(e).desc, context_, number).event(e) : e);
    return;
  }
  const std::uint64_t width = batch.width(e);
  switch (e.kind) {
    case EventKind::range:
      DependenceEngine::tell<role>(batch, batch.ranges[e.index], number, range_);
      engine_.range(range_, {0, {0}, 0, e.kind});
      break;
    case EventKind::load:
    case EventKind::store: {
      const bool store = e.kind == EventKind::store;
      engine_.template access<role>(id(e.site, store), e.address, width, store);
      break;
    }
    case EventKind::external_store:
      if (role == Role::writers)
        engine_.store(id(k_external_site, true), e.address, width);
      else
        engine_.clear(e.address, width);
      break;
    case EventKind::birth:
    case EventKind::death:
    case EventKind::local_birth: engine_.clear(e.address, width); break;
    case EventKind::loop_enter: engine_.enter(e.index, e.address); break;
    case EventKind::loop_iteration: engine_.iterate(e.index); break;
    case EventKind::loop_exit: engine_.exit(e.index); break;
    case EventKind::loop_resume: engine_.resume(e.index, e.address), follow(e); break;
    case EventKind::thread_end: engine_.end_thread(), follow(e); break;
    case EventKind::gap: engine_.forget(), follow(e); break;
    case EventKind::thread: engine_.set_thread(e.index), follow(e); break;
    default: follow(e);
  }
}

template <Role role>
void TwinModule<role>::finish(feedback::Profile& profile) {
  feedback::Profile found;
  engine_.rows().finish(found, sites_);
  // Several sites and contexts may be one in the document.
  std::map<std::tuple<feedback::Id, feedback::Id, DependenceKind, feedback::Id, std::string>,
           feedback::Dependence> sums;
  for (const feedback::Dependence& row : found.dependences) {
    const auto source = sites_.name(row.source), sink = sites_.name(row.sink);
    const DependenceKind kind = role == Role::readers ? DependenceKind::war
                                : sink.store          ? DependenceKind::waw
                                                      : DependenceKind::raw;
    std::string context;
    if (contexts_)
      context = at_.tree().text(source.context, program_) + " -> " +
                at_.tree().text(sink.context, program_);
    feedback::Dependence& sum = sums[{program_.site_id(source.site),
                                      program_.site_id(sink.site), kind, row.loop, context}];
    sum.distance.min =
        sum.count == 0 ? row.distance.min : std::min(sum.distance.min, row.distance.min);
    sum.distance.max = std::max(sum.distance.max, row.distance.max);
    for (std::size_t i = 0; i < k_distance_buckets; i++)
      sum.distance.histogram[i] += row.distance.histogram[i];
    sum.count += row.count;
    sum.iters = row.loop == feedback::k_none ? 1 : sum.iters + row.iters;
    sum.intra += row.intra;
    sum.carried += row.carried;
    sum.frequency = feedback::ratio(sum.count, program_.executions(sink.site));
  }
  for (auto& [key, sum] : sums) {
    std::tie(sum.source, sum.sink, sum.kind, sum.loop, sum.context) = key;
    sum.iters = std::min(sum.iters, sum.count);
    profile.dependences.push_back(std::move(sum));
  }
}

}  // namespace

std::unique_ptr<Module> make_dependence_all(const ProgramInfo& program) {
  return std::make_unique<TwinModule<Role::writers>>(program, false);
}
std::unique_ptr<Module> make_anti_dependence(const ProgramInfo& program) {
  return std::make_unique<TwinModule<Role::readers>>(program, false);
}
std::unique_ptr<Module> make_dependence_context(const ProgramInfo& program) {
  return std::make_unique<TwinModule<Role::writers>>(program, true);
}
std::unique_ptr<Module> make_anti_dependence_context(const ProgramInfo& program) {
  return std::make_unique<TwinModule<Role::readers>>(program, true);
}

}  // namespace memprof::backend
