// load_index.h - what a profile says about one load.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Gathers the rows of several modules (strides, points_to, object_relative, cache,
// groups) into the LoadFacts that decide_prefetch works on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "consumers/decide/cost_model.h"
#include "feedback/model.h"

namespace memprof::decide {

struct LoadFacts {
  std::uint64_t executions = 0;
  double error = 0;               // of the executions, as feedback::Site::error
  std::uint64_t invocations = 0;  // of the innermost loop; 0: in no loop
  std::uint64_t iterations = 0;
  // Bytes that the load ranges over, in the groups that it touches, leaving out
  // the rarely touched ones; 0: the profile does not say.
  std::uint64_t span = 0;
  std::uint64_t objects = 0;      // in those groups
  // Executions that miss L2 in the model of the cache module, if it looked at
  // the load: the lower end of the interval, and how far the upper one is from it.
  std::optional<std::uint64_t> l2_misses;
  std::uint64_t l2_interval = 0;
  std::uint64_t l1_misses = 0;  // as l2_misses
  // Address differences of consecutive executions.
  bool stride_known = false;
  std::int64_t stride = 0;        // most frequent
  double stride_share = 0;        // its share of the executions
  // What it will be when the objects have an arena; 0: they have none, or the
  // profile does not tell.
  std::int64_t arena_stride = 0;
  double line_local = 0;          // share that moves by less than a line
  // Nearly all executions access blocks of one allocation call that is watched
  // (watched_blocks.h): its name there, and the size of its largest block in the profile.
  std::string watched;
  std::uint64_t block_bytes = 0;
};

// What a profile says about its loads.  The index must not outlive the profile.
class LoadIndex {
 public:
  explicit LoadIndex(const feedback::Profile& profile, const CostModel& model);
  LoadFacts facts(const feedback::Function& function,
                  const feedback::Site& site) const;

 private:
  using SiteAndGroup = std::pair<feedback::Id, feedback::Id>;

  std::uint64_t reach(const feedback::Site& site,
                      const feedback::Group& group) const;
  static const feedback::PointsTo::Target* main_target(const feedback::PointsTo& row);
  feedback::Id arena_group(const feedback::PointsTo& row) const;
  std::int64_t object_step(feedback::Id site, feedback::Id group) const;
  std::int64_t arena_stride(const feedback::PointsTo& row) const;
  void learn_steps();

  std::uint64_t line_bytes_;
  std::map<SiteAndGroup, const feedback::ObjectRelative*> object_relative_;
  std::map<feedback::Id, std::uint64_t> l1_misses_, l2_misses_, l2_intervals_;
  std::map<feedback::Id, const feedback::Stride*> strides_;
  std::map<feedback::Id, const feedback::PointsTo*> points_to_;
  std::map<feedback::Id, const feedback::Group*> groups_;
  // Of groups whose objects get an arena, when all have one size.
  std::map<feedback::Id, std::uint64_t> slab_bytes_;
  // In these, how far malloc has put objects from each other whose numbers are so
  // far apart, as most executions of some site show.
  struct Step {
    std::int64_t bytes = 0, objects = 0;
    std::uint64_t executions = 0;
  };
  std::map<feedback::Id, Step> steps_;
  // Of groups that are watched: name, and largest block.
  std::map<feedback::Id, std::pair<std::string, std::uint64_t>> watched_;
};

}  // namespace memprof::decide
