// reuse.cc - module `cache' in sample mode: misses from reuse distances.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Makes two tables: `reuse', how often each site would miss in a cache of any size, and `cache',
// the same for the caches of the machine. A cache is taken to replace the least recently used of
// all its lines. See miss_curve.h for the way there. Of stores, `reuse' also says how many of the lines that they
// write leave a cache before anything accesses them again: the same from windows that are read from their ends.
#include "runtime/backend/modules/reuse/reuse.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "feedback/reuse_curve.h"
#include "runtime/backend/modules/cache_model.h"
#include "runtime/backend/modules/reuse/miss_curve.h"
#include "runtime/backend/modules/reuse/reversed_windows.h"

namespace memprof::backend {
namespace {

using feedback::Id;

// What an allocator needs for an object: a header and rounding, and a least size.
constexpr double k_between_objects = 12, k_least_object = 32;

// Sizes of the table `reuse', in lines or pages: powers of two.
constexpr unsigned k_least_bits = 4, k_most_bits = 26;

class SampledCacheModule final : public Module {
 public:
  explicit SampledCacheModule(const ProgramInfo& program)
      : program_(program), geometry_(geometry_for(program)) {}

  void consume(const Batch& batch) override {
    for (const WindowUse& use : batch.window_uses) {
      lines_.use(use);
      pages_.use(use);
      reversed_.use(use, WindowUse::line, [this](const WindowUse& back) { next_.use(back); });
    }
  }
  bool reads_columns() const override { return false; }
  void finish(feedback::Profile& profile) override;
  void derive(feedback::Profile& profile) override;

 private:
  struct Site {
    double executions = 0, error = 0;
  };
  struct Rows {
    feedback::Cache cache;
    feedback::Reuse reuse;
    double variance[4] = {};  // of l1, l2, llc and tlb
    bool known = false;       // some part is not guessed
    std::map<std::uint64_t, std::uint64_t> line_curve, page_curve, leaving_curve, leaving_least;
  };

  // Accesses of each row of REUSE in the whole run.
  std::vector<double> accesses_of(const WindowReuse& reuse) const;
  double target_accesses(Id site, Id group) const {
    const auto it = targets_.find({site, group});
    return it == targets_.end() ? 0 : it->second;
  }
  // Of each memory of REUSE, in units of UNIT bytes.
  std::vector<double> sizes_of(const WindowReuse& reuse, double unit) const;
  // What a site that no window met may miss at most: each access that goes to another unit of UNIT
  // bytes than the one before.
  double steps_to_units(Id site, double unit) const;
  void add(const WindowReuse& reuse, WindowUse::Kind kind);
  void add_leaving();

  const ProgramInfo& program_;
  const CacheGeometry geometry_;
  WindowReuse lines_{WindowUse::line}, pages_{WindowUse::page};
  ReversedWindows reversed_;
  WindowReuse next_{WindowUse::line};  // of reversed windows
  std::unordered_map<Id, Site> sites_;             // of the document
  std::unordered_map<Id, double> bytes_;           // of groups of the document
  std::unordered_map<Id, const feedback::Stride*> strides_;  // of the document
  std::map<std::pair<Id, Id>, double> targets_;    // accesses of a site to a group
  std::map<std::pair<Id, Id>, Rows> rows_;         // by site and group
};

void SampledCacheModule::finish(feedback::Profile& profile) {
  profile.run.caches = geometry_text(geometry_);
  profile.run.windows = lines_.windows();
  profile.run.window_accesses = lines_.accesses();
  profile.sections.emplace_back("reuse");
}

std::vector<double> SampledCacheModule::accesses_of(const WindowReuse& reuse) const {
  std::unordered_map<SiteId, double> in_windows;
  for (const WindowReuse::Row& row : reuse.rows()) in_windows[row.site] += row.accesses;
  std::vector<double> result;
  for (const WindowReuse::Row& row : reuse.rows()) {
    const auto site = sites_.find(program_.site_id(row.site));
    const double all = in_windows[row.site];
    if (site == sites_.end())
      result.push_back(0);
    else if (all > 0)
      result.push_back(site->second.executions * row.accesses / all);
    else  // a use that was only marked, of a group that no burst has met, has no target
      result.push_back(target_accesses(site->first, program_.group_id(row.group)));
  }
  return result;
}

// The small objects of a group have the memory that its large ones leave.
std::vector<double> SampledCacheModule::sizes_of(const WindowReuse& reuse, double unit) const {
  std::unordered_map<Id, double> large;
  for (const WindowReuse::Memory& memory : reuse.memories())
    large[program_.group_id(memory.group)] += static_cast<double>(memory.bytes);
  std::vector<double> result;
  for (const WindowReuse::Memory& memory : reuse.memories()) {
    const Id group = program_.group_id(memory.group);
    const auto it = bytes_.find(group);
    const double all = it == bytes_.end() ? HUGE_VAL : it->second;
    const double bytes = memory.bytes == 0 ? std::max(all - large[group], 0.0)
                                           : std::min(static_cast<double>(memory.bytes), all);
    result.push_back(bytes / unit + 1);
  }
  return result;
}

double SampledCacheModule::steps_to_units(Id site, double unit) const {
  const auto row = strides_.find(site);
  if (row == strides_.end() || row->second->executions == 0) return 1;
  double inside = 0;
  for (const feedback::StrideCount& s : row->second->histogram)
    inside += static_cast<double>(s.count) *
              std::max(1 - std::fabs(static_cast<double>(s.stride)) / unit, 0.0);
  return std::max(1 - inside / static_cast<double>(row->second->executions), 0.0);
}

void SampledCacheModule::add(const WindowReuse& reuse, WindowUse::Kind kind) {
  const bool line = kind == WindowUse::line;
  const double unit = std::ldexp(1.0, line ? WindowSample::k_line_bits : WindowSample::k_page_bits);
  const std::vector<double> accesses = accesses_of(reuse);
  const MissCurves curves(reuse, sizes_of(reuse, unit), accesses);
  for (std::size_t i = 0; i < reuse.rows().size(); i++) {
    if (accesses[i] == 0) continue;
    const WindowReuse::Row& from = reuse.rows()[i];
    const Id site = program_.site_id(from.site), group = program_.group_id(from.group);
    Rows& rows = rows_[{site, group}];
    const double site_error = sites_.at(site).error;
    const double most = from.accesses > 0 ? 1 : steps_to_units(site, unit);
    const auto count = [&](std::uint64_t& sum, unsigned which, double size, std::uint32_t ways) {
      const Misses misses = curves.misses_with_sets(i, size, std::max(ways, 1u));
      const double n = std::min(misses.share, most) * accesses[i];
      sum += static_cast<std::uint64_t>(std::llround(n));
      const double error = std::hypot(misses.error * accesses[i], n * site_error);
      rows.variance[which] += error * error;
      rows.known = rows.known || !misses.guessed;
    };
    if (line) {
      count(rows.cache.l1, 0, static_cast<double>(geometry_.l1.size) / unit, geometry_.l1.ways);
      count(rows.cache.l2, 1, static_cast<double>(geometry_.l2.size) / unit, geometry_.l2.ways);
      count(rows.cache.llc, 2, static_cast<double>(geometry_.llc.size) / unit, geometry_.llc.ways);
    } else {
      count(rows.cache.tlb, 3, static_cast<double>(geometry_.tlb.size), geometry_.tlb.ways);
    }
    std::map<std::uint64_t, std::uint64_t>& curve = line ? rows.line_curve : rows.page_curve;
    for (unsigned bits = k_least_bits; bits <= k_most_bits; bits++) {
      const double share = curves.misses(i, std::ldexp(1.0, static_cast<int>(bits))).share;
      const double n = std::min(share, most) * accesses[i];
      curve[std::uint64_t{1} << bits] += static_cast<std::uint64_t>(std::llround(n));
    }
  }
}

// A store that no window met has no curve.
void SampledCacheModule::add_leaving() {
  const double unit = std::ldexp(1.0, WindowSample::k_line_bits);
  const std::vector<double> accesses = accesses_of(next_);
  const MissCurves curves(next_, sizes_of(next_, unit), accesses);
  for (std::size_t i = 0; i < next_.rows().size(); i++) {
    const WindowReuse::Row& from = next_.rows()[i];
    if (accesses[i] == 0 || from.accesses == 0 || !program_.store_p(from.site)) continue;
    const Id site = program_.site_id(from.site);
    Rows& rows = rows_[{site, program_.group_id(from.group)}];
    double least = 0;  // what leaves a large cache leaves a small one, too
    for (unsigned bits = k_most_bits; bits >= k_least_bits; bits--) {
      const Misses leave = curves.misses(i, std::ldexp(1.0, static_cast<int>(bits)));
      least = std::max(least, leave.share - leave.error);
      rows.leaving_curve[std::uint64_t{1} << bits] += static_cast<std::uint64_t>(std::llround(leave.share * accesses[i]));
      rows.leaving_least[std::uint64_t{1} << bits] += static_cast<std::uint64_t>(std::llround(least * accesses[i]));
    }
  }
}

// Bytes of memory that GROUP has had, at most: the memory of dead objects is used again.
double memory_of(const feedback::Group& group) {
  const auto bytes = static_cast<double>(group.bytes);
  const double each = bytes / static_cast<double>(std::max<std::uint64_t>(group.objects, 1));
  const double with_rests = group.kind == feedback::GroupKind::heap
                                ? std::max(each + k_between_objects, k_least_object) / each
                                : 1;
  const std::uint64_t most = group.span != 0 ? group.span : group.bytes;
  return static_cast<double>(most - std::min(most, group.large - group.resident)) * with_rests;
}

std::vector<feedback::Reuse::Point> points_of(const std::map<std::uint64_t, std::uint64_t>& curve) {
  std::vector<feedback::Reuse::Point> points;
  std::uint64_t least = ~std::uint64_t{0};
  for (const auto& [size, misses] : curve) {
    least = std::min(least, misses);
    points.push_back({size, least});
  }
  return feedback::without_level_points(std::move(points));
}

std::uint64_t half_of(double variance) {
  return static_cast<std::uint64_t>(std::llround(std::sqrt(variance)));
}

void SampledCacheModule::derive(feedback::Profile& profile) {
  for (const feedback::Module& module : profile.modules)
    for (const feedback::Function& function : module.functions)
      for (const feedback::Site& site : function.sites)
        sites_[site.id] = {static_cast<double>(site.executions), site.error};
  for (const feedback::Group& group : profile.groups)
    if (group.bytes != 0) bytes_[group.id] = memory_of(group);
  for (const feedback::Stride& row : profile.strides) strides_[row.site] = &row;
  for (const feedback::PointsTo& row : profile.points_to)
    for (const feedback::PointsTo::Target& target : row.groups) {
      targets_[{row.site, target.group}] = static_cast<double>(target.count);
      lines_.add_row(row.site, target.group);
      pages_.add_row(row.site, target.group);
      next_.add_row(row.site, target.group);
    }
  add(lines_, WindowUse::line);
  add(pages_, WindowUse::page);
  add_leaving();
  for (auto& [key, rows] : rows_) {
    feedback::Cache& c = rows.cache;
    c.l2 = std::min(c.l2, c.l1);
    c.llc = std::min(c.llc, c.l2);
    c.errors = {half_of(rows.variance[0]), half_of(rows.variance[1]), half_of(rows.variance[2]),
                half_of(rows.variance[3])};
    c.guessed = !rows.known;
    std::tie(c.site, c.group) = std::tie(rows.reuse.site, rows.reuse.group) = key;
    profile.cache.push_back(c);
    rows.reuse.lines = points_of(rows.line_curve);
    rows.reuse.pages = points_of(rows.page_curve);
    rows.reuse.leaving = points_of(rows.leaving_curve);
    rows.reuse.leaving_least = points_of(rows.leaving_least);
    profile.reuse.push_back(std::move(rows.reuse));
  }
}

}  // namespace

std::unique_ptr<Module> make_sampled_cache(const ProgramInfo& program) {
  return std::make_unique<SampledCacheModule>(program);
}

}  // namespace memprof::backend
