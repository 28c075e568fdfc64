// load_index.cc - what a profile says about one load.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Nodes of a linked structure whose allocation call gets an arena lie closer there
// than malloc had put them: as many of the arena's objects apart as from one node to
// the next in the order of their allocation.  The LMADs of a load's object numbers say
// how many that is.  A load that skips some nodes at its beginning has none that are
// worth keeping; then another load of these nodes with the same stride in bytes says it.
#include "consumers/decide/load_index.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "consumers/decide/co_allocation.h"
#include "consumers/decide/huge_pages.h"
#include "consumers/decide/watched_blocks.h"
#include "consumers/decide/whole.h"
#include "feedback/reuse_curve.h"

namespace memprof::decide {
namespace {

// A group takes part in a load's span when it gets this share of its accesses.
constexpr double k_group_share = 0.05;
// Objects of malloc are not nearer to each other.
constexpr std::int64_t k_least_object = 16;
// Share of the executions for which one group represents all.
constexpr double k_main_share = 0.9;

// 0 where it does not fit: no stride is that far.
std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? 0 : result;
}

}  // namespace

LoadIndex::LoadIndex(const feedback::Profile& profile, const CostModel& model)
    : line_bytes_(model.line_bytes) {
  for (const auto& row : profile.object_relative)
    object_relative_[{row.site, row.group}] = &row;
  for (const auto& row : profile.cache) {
    if (row.guessed) continue;
    l1_misses_[row.site] += feedback::at_least(row.l1, row.errors.l1);
    const std::uint64_t least = feedback::at_least(row.l2, row.errors.l2);
    l2_misses_[row.site] += least;
    l2_intervals_[row.site] += row.l2 - least + row.errors.l2;
  }
  for (const auto& row : profile.strides) strides_[row.site] = &row;
  for (const auto& row : profile.points_to) points_to_[row.site] = &row;
  for (const auto& group : profile.groups) groups_[group.id] = &group;
  const AllocationIndex calls(profile, model);
  for (const auto& group : profile.groups) {
    const ObjectFacts* objects = calls.find({group.file, group.line, group.function, group.type});
    if (!objects) continue;
    if (!objects->watched.empty())
      watched_[group.id] = {objects->watched, largest_block(*objects)};
    if (model.in_library) continue;
    if (shares_arena(*objects, model))
      slab_bytes_[group.id] = objects->arena.object_bytes;
    else if (model.arenas && group.objects && group.bytes % group.objects == 0 &&
        !aligned(objects->allocator) && decide_huge_pages({}, *objects, nullptr, model).take())
      slab_bytes_[group.id] = slab_object_bytes(group.bytes / group.objects);
  }
  learn_steps();
}

void LoadIndex::learn_steps() {
  for (const auto& [site, row] : points_to_) {
    const feedback::Id group = arena_group(*row);
    const auto stride = strides_.find(site);
    if (group == feedback::k_none || stride == strides_.end()) continue;
    const feedback::Stride& moves = *stride->second;
    const std::int64_t objects = object_step(site, group);
    Step& known = steps_[group];
    const bool apart = moves.dominant >= k_least_object || moves.dominant <= -k_least_object;
    if (objects != 0 && apart && moves.share > 0.5 &&
        moves.executions > known.executions)
      known = {moves.dominant, objects, moves.executions};
  }
}

// The group that nearly all executions of ROW's site are in; null: there is none.
const feedback::PointsTo::Target* LoadIndex::main_target(const feedback::PointsTo& row) {
  std::uint64_t executions = 0;
  const feedback::PointsTo::Target* main = nullptr;
  for (const auto& target : row.groups) {
    executions += target.count;
    if (!main || target.count > main->count) main = &target;
  }
  return main && static_cast<double>(main->count) >= k_main_share * static_cast<double>(executions)
             ? main
             : nullptr;
}

// The same, if the group is in an arena.
feedback::Id LoadIndex::arena_group(const feedback::PointsTo& row) const {
  const feedback::PointsTo::Target* main = main_target(row);
  return main && slab_bytes_.contains(main->group) ? main->group : feedback::k_none;
}

// The most frequent step from object to object, if it is that of most steps which
// the LMADs hold; in an arena the objects of one size lie in that order.
std::int64_t LoadIndex::object_step(feedback::Id site, feedback::Id group) const {
  const auto objects = object_relative_.find({site, group});
  if (objects == object_relative_.end()) return 0;
  std::map<std::int64_t, std::uint64_t> steps;
  std::uint64_t all = 0;
  for (const auto& lmad : objects->second->o1.lmads) {
    steps[lmad.stride[0]] += lmad.count - 1;
    all += lmad.count - 1;
  }
  for (const auto& [step, count] : steps)
    if (2 * count > all) return step;
  return 0;
}

std::int64_t LoadIndex::arena_stride(const feedback::PointsTo& row) const {
  const feedback::Id group = arena_group(row);
  if (group == feedback::k_none) return 0;
  const auto size = static_cast<std::int64_t>(slab_bytes_.at(group));
  if (const std::int64_t step = object_step(row.site, group)) return product(step, size);
  const auto known = steps_.find(group);
  const auto stride = strides_.find(row.site);
  if (known == steps_.end() || known->second.bytes == 0 || stride == strides_.end() ||
      stride->second->dominant % known->second.bytes != 0)
    return 0;
  return product(product(stride->second->dominant / known->second.bytes, known->second.objects), size);
}

// How many values from the least to the greatest of a stream; 0: it is empty.
static std::uint64_t width(const feedback::LmadStream<1>& stream) {
  std::int64_t least = INT64_MAX, greatest = INT64_MIN;
  const auto include = [&](std::int64_t value) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  };
  for (const auto& lmad : stream.lmads) {
    include(lmad.start[0]);
    include(last_of(lmad.start[0], lmad.stride[0], lmad.count));
  }
  if (stream.overflow.count) {
    include(stream.overflow.min[0]);
    include(stream.overflow.max[0]);
  }
  return least > greatest ? 0 : static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least) + 1;
}

// The bytes of GROUP that SITE ranges over: in each object from the first to
// the last offset, in whole lines; never more than are alive at a time.
std::uint64_t LoadIndex::reach(const feedback::Site& site,
                               const feedback::Group& group) const {
  const auto at = object_relative_.find({site.id, group.id});
  if (at == object_relative_.end()) return group.span;
  const double offsets = static_cast<double>(width(at->second->v1));
  const double objects = static_cast<double>(width(at->second->o1));
  if (offsets == 0 || objects == 0) return group.span;
  const double line = static_cast<double>(line_bytes_);
  const double bytes = std::ceil((offsets - 1 + site.width) / line) * line;
  return bytes * objects < group.span
             ? whole(bytes * objects)
             : group.span;
}

LoadFacts LoadIndex::facts(const feedback::Function& function,
                           const feedback::Site& site) const {
  LoadFacts facts;
  facts.executions = site.executions;
  facts.error = site.error;
  if (auto at = l2_misses_.find(site.id); at != l2_misses_.end())
    facts.l2_misses = at->second, facts.l1_misses = l1_misses_.at(site.id), facts.l2_interval = l2_intervals_.at(site.id);
  for (const auto& loop : function.loops)
    if (loop.id == site.loop) {
      facts.invocations = loop.invocations;
      facts.iterations = loop.iterations;
    }
  if (auto at = points_to_.find(site.id); at != points_to_.end())
    for (const auto& target : at->second->groups) {
      const auto group = groups_.find(target.group);
      if (group == groups_.end() ||
          target.count < k_group_share * site.executions)
        continue;
      // The top of a stack is in the cache, however large the stack may get.
      if (group->second->kind == feedback::GroupKind::stack) continue;
      facts.span += reach(site, *group->second);
      facts.objects += group->second->objects;
    }
  if (auto at = points_to_.find(site.id); at != points_to_.end()) {
    facts.arena_stride = arena_stride(*at->second);
    const auto* main = main_target(*at->second);
    if (const auto block = main ? watched_.find(main->group) : watched_.end(); block != watched_.end())
      std::tie(facts.watched, facts.block_bytes) = block->second;
  }
  if (auto at = strides_.find(site.id); at != strides_.end()) {
    const feedback::Stride& row = *at->second;
    facts.stride_known = true;
    facts.stride = row.dominant;
    facts.stride_share = row.share;
    // A step of s bytes stays on the line with chance 1 - |s| / line.
    double stay = 0;
    for (const auto& entry : row.histogram) {
      const double step = std::abs(static_cast<double>(entry.stride));
      if (step < line_bytes_)
        stay += entry.count * (1 - step / line_bytes_);
    }
    if (row.executions) facts.line_local = stay / row.executions;
  }
  return facts;
}

}  // namespace memprof::decide
