// inferred_dependences_testutil.h - programs of bursts, and the dependences inferred of them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "runtime/backend/event/module.h"
#include "testsuite/unit/backend/backend_testutil.h"

namespace memprof::backend::testing {

class SampledProgram final : public FakeProgram {
 public:
  bool sampled() const override { return true; }
};

// All at the addresses of one object of 1 MB per serial number.
class Stream {
 public:
  Stream& at(EventKind kind, SiteId site, GroupId group, std::uint32_t object,
             std::uint64_t offset, std::uint64_t width) {
    const std::uint64_t base = base_of(group, object);
    script.access(kind, site, base + offset, width, group, object, base);
    return *this;
  }
  Stream& load(SiteId site, GroupId group, std::uint64_t offset, std::uint64_t width = 8) {
    return at(EventKind::load, site, group, 0, offset, width);
  }
  Stream& store(SiteId site, GroupId group, std::uint64_t offset, std::uint64_t width = 8) {
    return at(EventKind::store, site, group, 0, offset, width);
  }
  Stream& range(bool store, SiteId site, GroupId group, std::uint32_t object,
                std::uint64_t offset, std::int64_t step, std::uint64_t count,
                std::uint64_t width) {
    const std::uint64_t base = base_of(group, object);
    script.range(1, count, {{base + offset, step, count, base, width, site, group, object, store}});
    return *this;
  }
  Stream& burst() {
    script.context(EventKind::gap, 0);
    return *this;
  }
  static std::uint64_t base_of(GroupId group, std::uint32_t object) {
    return 0x7f0000000000 + (std::uint64_t{group} << 32) + (std::uint64_t{object} << 20);
  }
  feedback::Profile profile() const {
    SampledProgram program;
    program.count(script.batch);
    return profile(program);
  }
  // A gap ends a batch.
  feedback::Profile profile(const SampledProgram& program) const {
    const auto module = make_dependence(program);
    Trace burst{{}, script.batch.ranges, script.batch.accesses};
    std::uint64_t clock = 0;
    const auto consume = [&] {
      Batch batch = make_batch(burst);
      batch.clock = clock;
      clock += k_period;
      module->consume(batch);
      burst.events.clear();
    };
    for (const FlatEvent& e : script.batch.events) {
      burst.events.push_back(e);
      if (e.kind == EventKind::gap) consume();
    }
    consume();
    return finish(*module);
  }

  static constexpr std::uint64_t k_period = 100;  // from burst to burst
  Script script;
};

using Rows = std::map<std::pair<feedback::Id, feedback::Id>, std::uint64_t>;

inline Rows rows_of(const feedback::Profile& profile) {
  Rows rows;
  for (const feedback::InferredDependence& r : profile.inferred_dependences)
    rows[{r.source, r.sink}] = r.count;
  return rows;
}

inline Rows rows_of(const SampledProgram& program, const std::vector<Batch>& batches) {
  const auto module = make_dependence(program);
  for (const Batch& batch : batches) module->consume(batch);
  feedback::Profile profile;
  module->settle();
  module->finish(profile);
  return rows_of(profile);
}

}  // namespace memprof::backend::testing
