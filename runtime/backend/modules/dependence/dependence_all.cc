// dependence_all.cc - flow, anti and output dependences, also by calling contexts.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The engine of dependence.cc looks up the last readers of memory as well. In the
// variant `context' a site is another one in each calling context
// (numbered_descriptors.h), so rows of different contexts are apart:
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
#include "runtime/backend/event/module.h"
#include "runtime/backend/modules/dependence/dependence_engine.h"
#include "runtime/backend/modules/dependence/numbered_descriptors.h"
#include "runtime/backend/program/context_sites.h"
#include "runtime/backend/program/thread_contexts.h"

namespace memprof::backend {
namespace {

using feedback::DependenceKind;

// Sites have numbers of their own in each calling context.
class NumberedSites {
 public:
  static constexpr bool plain = false;

  explicit NumberedSites(const ProgramInfo& program) : sites_(program, true) {}

  SiteId id(SiteId site, bool store) { return sites_.id(site, store, context_); }
  Event block(const Batch& batch, const Event& e) {
    const auto number = [this](SiteId site, bool store) { return id(site, store); };
    return descriptors_.of(batch.block_of(e).desc, context_, number).event(e);
  }
  void follow(const Event& e) {
    at_.follow(e);
    context_ = at_.context();
  }
  const ContextSites& all() const { return sites_; }
  const ContextTree& contexts() const { return at_.tree(); }

 private:
  ContextSites sites_;
  NumberedDescriptors descriptors_;
  ThreadContexts at_;
  ContextId context_ = 0;
};

template <typename Sites>
class AllKindsModule final : public Module {
 public:
  template <typename... Args>
  explicit AllKindsModule(const ProgramInfo& program, const Args&... args)
      : program_(program), engine_(args...) {}

  bool two_steps() const override { return true; }
  bool prepare(const Batch& batch) override { return engine_.search(batch); }
  void consume(const Batch& batch) override { engine_.count(batch); }
  bool reads_columns() const override { return false; }
  void finish(feedback::Profile& profile) override {
    if constexpr (Sites::plain)
      add_rows(ContextSites(program_, false), profile);
    else
      add_rows(engine_.sites().all(), profile);
  }

 private:
  void add_rows(const ContextSites& sites, feedback::Profile& profile);
  std::string context(ContextId id) const {
    if constexpr (Sites::plain)
      return {};
    else
      return engine_.sites().contexts().text(id, program_);
  }

  const ProgramInfo& program_;
  DependenceEngine<Kinds::all, Sites> engine_;
};

template <typename Sites>
void AllKindsModule<Sites>::add_rows(const ContextSites& sites, feedback::Profile& profile) {
  // Several sites and contexts may be one in the document.
  std::map<std::tuple<feedback::Id, feedback::Id, DependenceKind, feedback::Id, std::string>,
           feedback::Dependence> sums;
  const auto add = [&](const feedback::Dependence& row, Question question) {
    const auto source = sites.name(row.source), sink = sites.name(row.sink);
    const DependenceKind kind = question == Question::last_reader ? DependenceKind::war
                                : sink.store                      ? DependenceKind::waw
                                                                  : DependenceKind::raw;
    std::string contexts;
    if (!Sites::plain) contexts = context(source.context) + " -> " + context(sink.context);
    feedback::Dependence& sum = sums[{program_.site_id(source.site),
                                      program_.site_id(sink.site), kind, row.loop, contexts}];
    sum.distance.min =
        sum.count == 0 ? row.distance.min : std::min(sum.distance.min, row.distance.min);
    sum.distance.max = std::max(sum.distance.max, row.distance.max);
    for (std::size_t i = 0; i < k_distance_buckets; i++)
      sum.distance.histogram[i] += row.distance.histogram[i];
    sum.count += row.count;
    sum.iters = row.loop == feedback::k_none ? 1 : sum.iters + row.iters;
    sum.intra += row.intra;
    sum.carried += row.carried;
    sum.no_loop += row.no_loop;
    sum.concurrent += row.concurrent;
    sum.uncertain += row.uncertain;
    sum.frequency = feedback::ratio(sum.count, program_.executions(sink.site));
  };
  for (const Question question : {Question::last_writer, Question::last_reader}) {
    feedback::Profile found;
    engine_.rows(question).finish(found, sites);
    for (const feedback::Dependence& row : found.dependences) add(row, question);
  }
  for (auto& [key, sum] : sums) {
    std::tie(sum.source, sum.sink, sum.kind, sum.loop, sum.context) = key;
    sum.iters = std::min(sum.iters, sum.count);
    profile.dependences.push_back(std::move(sum));
  }
}

}  // namespace

std::unique_ptr<Module> make_dependence_all(const ProgramInfo& program) {
  return std::make_unique<AllKindsModule<PlainSites>>(program);
}
std::unique_ptr<Module> make_dependence_context(const ProgramInfo& program) {
  return std::make_unique<AllKindsModule<NumberedSites>>(program, program);
}

}  // namespace memprof::backend
