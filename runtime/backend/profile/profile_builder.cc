// profile_builder.cc - the part of a profile that no module makes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/profile/profile_builder.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "runtime/backend/profile/type_rows.h"

namespace memprof::backend {

namespace {

using FunctionKey = std::pair<std::string_view, std::uint32_t>;

// The file at TEXT of a row of FUNCTION; empty: the module's.
std::string file_of(const UnitImage& image, const mprt_function& function, std::uint32_t text) {
  const std::string_view file = image.text(text);
  return file == image.text(function.file) ? "" : std::string(file);
}

// "file:line" of the inlined call FRAME.
std::string inlined_at(const UnitImage& image, const mprt_function& function, std::uint32_t frame) {
  if (frame == 0) return "";
  const mprt_inlined& call = image.frames()[function.first_frame + frame - 1];
  return std::string(image.text(call.file ? call.file : function.file)) + ':' + std::to_string(call.line);
}

FunctionKey key_of(const Unit& unit, const mprt_function& function) {
  return {unit.image.text(function.linkage_name), function.checksum};
}

}  // namespace

feedback::Id ProfileBuilder::site_id(SiteId site) const {
  if (site == k_external_site) return feedback::k_external;
  return executions(site) ? site : feedback::k_none;
}

bool ProfileBuilder::objects_only() const {
  const auto& units = units_.all();
  return !units.empty() && std::all_of(units.begin(), units.end(), [](const auto& unit) {
    return unit->image.header().mode == MPRT_MODE_OBJECTS;
  });
}

bool ProfileBuilder::sampled() const {
  const auto& units = units_.all();
  return std::any_of(units.begin(), units.end(), [](const auto& unit) {
    return unit->image.header().mode == MPRT_MODE_SAMPLE;
  });
}

// Every function that has a row has all its loops.
feedback::Id ProfileBuilder::loop_id(LoopId loop) const {
  return loop && loop < loops_.size() ? loop : feedback::k_none;
}

feedback::Id ProfileBuilder::group_id(GroupId group) const {
  return group && group < groups_.size() && groups_[group].objects
             ? group
             : feedback::k_none;
}

void ProfileBuilder::note_burst() {
  // Enough for an estimate of the variance.
  constexpr std::uint64_t k_most = 4096;
  if (bursts_ == k_most) return;
  std::vector<SiteId> changed;
  units_.take_executions(burst_, changed);
  sums_.resize(burst_.size());
  squares_.resize(burst_.size());
  for (const SiteId site : changed) {
    const auto count = static_cast<double>(std::exchange(burst_[site], 0));
    sums_[site] += count;
    squares_[site] += count * count;
  }
  bursts_++;
}

// Bursts are drawn at random: the standard error of a sum of n draws is that of
// one times the root of n.
double ProfileBuilder::error(SiteId site) const {
  if (sampled_outside_.contains(site)) {
    const SiteSamples* const w = samples_->find(site);
    if (!w || !w->any) return 0;
    return w->executions == 0
               ? 1
               : 1.96 * std::sqrt(w->variance) / static_cast<double>(w->executions);
  }
  if (bursts_ == 0 || site >= squares_.size()) return 0;
  const auto n = static_cast<double>(bursts_), sum = sums_[site];
  if (bursts_ == 1 || sum == 0) return 1;
  const double variance = std::max(squares_[site] - sum * sum / n, 0.0) / (n - 1);
  return 1.96 * std::sqrt(variance * n) / sum;
}

// An iteration is seen as often as what is in it. Entries are fewer: the root of how many there are
// in bursts is added.
void ProfileBuilder::estimate_errors(LoopId id, const std::vector<feedback::Site>& sites,
                                     feedback::Loop& loop) const {
  const LoopCounts& seen = seen_loops_[id];
  const auto poisson = [this](std::uint64_t n) {
    return n == 0 ? 1 : 1.96 / std::sqrt(static_cast<double>(std::min(n, bursts_)));
  };
  std::uint64_t most = 0;
  loop.iterations_error = loop.iterations == 0 ? 0 : poisson(seen.iterations);
  for (const feedback::Site& site : sites)
    if (site.loop == loop.id && site.executions > most) {
      most = site.executions;
      loop.iterations_error = site.error;
    }
  if (exact_entries_.contains(id) || loop.invocations == 0) return;
  const bool reported = seen.invocations == 0 && factors_.loops.contains(id);
  loop.invocations_error =
      reported ? loop.iterations_error : std::hypot(loop.iterations_error, poisson(seen.invocations));
  if (const auto bounds = entry_bounds_.find(id); bounds != entry_bounds_.end()) {
    const auto [lower, upper] = bounds->second;
    const std::uint64_t off = std::max(loop.invocations - lower, upper - loop.invocations);
    loop.invocations_error = std::min(loop.invocations_error,
                                      static_cast<double>(off) / static_cast<double>(loop.invocations));
  }
}

bool ProfileBuilder::executed(const Unit& unit,
                              const mprt_function& function) const {
  for (std::uint32_t i = 0; i < function.sites; i++)
    if (executions_[unit.first_site + function.first_site + i]) return true;
  for (std::uint32_t i = 0; i < function.loops; i++) {
    const LoopCounts& loop =
        loops_[unit.first_loop + function.first_loop + i];
    if (loop.invocations || loop.iterations) return true;
  }
  return false;
}

// Marks the copies that are left out.
void ProfileBuilder::choose_comdat_copies() {
  std::set<FunctionKey> live, taken;
  for (const auto& unit : units_.all())
    for (const mprt_function& f : unit->image.functions())
      if ((f.flags & MPRT_FN_COMDAT) && executed(*unit, f))
        live.insert(key_of(*unit, f));
  dropped_.clear();
  for (const auto& unit : units_.all()) {
    auto& dropped = dropped_.emplace_back();
    for (const mprt_function& f : unit->image.functions()) {
      bool drop = false;
      if ((f.flags & MPRT_FN_COMDAT) && !executed(*unit, f))
        drop = live.contains(key_of(*unit, f)) ||
               !taken.insert(key_of(*unit, f)).second;
      dropped.push_back(drop);
    }
  }
}

feedback::Function ProfileBuilder::function_row(const Unit& unit,
                                                std::uint32_t row) const {
  const UnitImage& image = unit.image;
  const mprt_function& f = image.functions()[row];
  feedback::Function function;
  function.name = image.text(f.name);
  function.linkage_name = image.text(f.linkage_name);
  function.checksum = f.checksum;
  function.file = image.text(f.line_file);
  function.line = f.line;
  function.comdat = f.flags & MPRT_FN_COMDAT;
  for (std::uint32_t i = 0; i < f.frames; i++) {
    const mprt_inlined& call = image.frames()[f.first_frame + i];
    function.frames.push_back({call.frame, image.text(call.name), file_of(image, f, call.file), call.line, call.column});
  }
  for (const mprt_header_call& call :
       std::ranges::equal_range(image.header_calls(), row, {}, &mprt_header_call::function))
    function.calls.push_back({image.text(call.callee), file_of(image, f, call.file), call.line});
  for (std::uint32_t i = 0; i < f.loops; i++) {
    const mprt_loop& l = image.loops()[f.first_loop + i];
    const LoopId id = unit.first_loop + f.first_loop + i;
    feedback::Loop loop;
    loop.id = id;
    if (l.parent != MPRT_NONE) loop.parent = unit.first_loop + l.parent;
    loop.file = file_of(image, f, l.file);
    loop.line = l.line;
    loop.frame = l.frame;
    loop.invocations = loops_[id].invocations;
    loop.iterations = loops_[id].iterations;
    // No burst was there when it began, so that was seldom.
    if (bursts_ != 0 && loop.iterations != 0 && loop.invocations == 0) loop.invocations = 1;
    function.loops.push_back(loop);
  }
  for (std::uint32_t i = 0; i < f.sites; i++) {
    const mprt_site& s = image.sites()[f.first_site + i];
    const SiteId id = unit.first_site + f.first_site + i;
    if (!executions_[id]) {
      function.never_executed++;
      continue;
    }
    feedback::Site site;
    site.id = id;
    site.ordinal = i;
    site.kind = s.kind == MPRT_OP_STORE ? feedback::Access::store
                                        : feedback::Access::load;
    site.file = file_of(image, f, s.file);
    site.line = s.line;
    site.column = s.column;
    site.width = s.width;
    if (s.loop != MPRT_NONE) site.loop = unit.first_loop + s.loop;
    site.type = image.text(s.type);
    site.field = image.text(s.field);
    site.expression = image.text(s.expression);
    site.frame = s.frame;
    site.inlined_at = inlined_at(image, f, s.frame);
    site.header = image.text(s.header);
    site.executions = executions_[id];
    site.error = error(id);
    function.sites.push_back(std::move(site));
  }
  for (std::uint32_t i = 0; i < f.loops && bursts_ != 0; i++)
    estimate_errors(unit.first_loop + f.first_loop + i, function.sites, function.loops[i]);
  return function;
}

void ProfileBuilder::add_unit(const Unit& unit, feedback::Profile& profile) {
  const UnitImage& image = unit.image;
  const mprt_blob& blob = image.header();
  const auto& dropped =
      dropped_[static_cast<std::size_t>(unit.number)];
  std::map<std::string, std::vector<feedback::Function>> by_file;
  // A unit without functions is still a compiled source.
  if (image.functions().empty()) by_file[image.text(blob.file)];
  for (std::uint32_t i = 0; i < image.functions().size(); i++)
    if (!dropped[i])
      by_file[image.text(image.functions()[i].file)].push_back(
          function_row(unit, i));
  for (auto& [file, functions] : by_file) {
    const auto conflicts = [&added = functions](const feedback::Module& module) {
      return std::any_of(
          module.functions.begin(), module.functions.end(), [&](auto& known) {
            return std::any_of(added.begin(), added.end(), [&](auto& f) {
              return f.linkage_name == known.linkage_name;
            });
          });
    };
    feedback::Module* target = nullptr;
    for (feedback::Module& module : profile.modules)
      if (module.file == file && module.options_hash == blob.options_hash &&
          !conflicts(module))
        target = &module;
    if (!target) {
      target = &profile.modules.emplace_back();
      target->file = file;
      target->options = image.text(blob.options);
      target->options_hash = blob.options_hash;
    }
    std::move(functions.begin(), functions.end(),
              std::back_inserter(target->functions));
  }
}

void ProfileBuilder::add_group(GroupId id, const GroupCounts& counts,
                               feedback::Profile& profile) const {
  feedback::Group group = groups_.name(id);
  group.id = id;
  group.objects = counts.objects;
  group.bytes = counts.bytes;
  group.span = counts.span;
  group.accesses = counts.accesses;
  if (const auto it = residency.find(id); it != residency.end()) {
    group.large = it->second.bytes;
    group.resident = it->second.resident;
  }
  profile.groups.push_back(std::move(group));
  profile.run.objects += counts.objects;
}

void ProfileBuilder::add_groups_of_windows(feedback::Profile& profile) const {
  std::set<feedback::Id> known, missing;
  for (const feedback::Group& group : profile.groups) known.insert(group.id);
  for (const feedback::Cache& row : profile.cache)
    if (row.group != feedback::k_none && !known.contains(row.group)) missing.insert(row.group);
  for (const feedback::Id id : missing) add_group(id, groups_[id], profile);
}

void ProfileBuilder::add_groups(feedback::Profile& profile) const {
  std::set<feedback::Id> pointed_to;
  for (const feedback::PointerUse& r : profile.pointers) pointed_to.insert(r.group);
  // Accesses to variables, without events.
  std::map<GroupId, std::uint64_t> more;
  for (const auto& [site, covered] : units_.covered_sites())
    if (covered.address) more[covered.group] += executions(site);
  for (GroupId id = 1; id < groups_.size(); id++) {
    GroupCounts counts = groups_[id];
    if (const auto it = more.find(id); it != more.end()) counts.accesses += it->second;
    if (!counts.objects) continue;
    // Variables and stacks that nothing touched, nor points to, say nothing.
    if (!counts.accesses && !pointed_to.contains(id) &&
        (counts.kind == feedback::GroupKind::global ||
         counts.kind == feedback::GroupKind::stack))
      continue;
    add_group(id, counts, profile);
  }
  if (const std::uint64_t accesses = groups_[0].accesses + more[0]) {
    feedback::Group unknown;
    unknown.id = static_cast<feedback::Id>(groups_.size());
    unknown.kind = feedback::GroupKind::unknown;
    unknown.accesses = accesses;
    profile.groups.push_back(std::move(unknown));
  }
}

// 0: none.
LoopId ProfileBuilder::loop_around(SiteId site) const {
  const Unit& unit = *units_.unit_of_site(site);
  const std::uint32_t row = unit.image.sites()[site - unit.first_site].loop;
  return row == MPRT_NONE ? 0 : unit.first_loop + row;
}

// The loop's counts, which are those of the whole run from now on.
LoopCounts& ProfileBuilder::scaled_loop(LoopId id) {
  LoopCounts& loop = loops_[id];
  feedback::grow(factors_.of_loop(id), loop.invocations, loop.iterations);
  factors_.loops[id] = 1;
  return loop;
}

// Bursts rarely hit long loops, but samples of these count how often they were executed
// outside. What bursts saw of their sites is multiplied so that it makes both. What none
// saw is exact or an estimate of all, and stays as it is.
void ProfileBuilder::count_loop_samples() {
  if (!samples_) return;
  const auto outside_of = [](const SiteSamples& w) { return std::max(w.executions, w.seen); };
  for (SiteId site = 1; site < executions_.size(); site++) {
    const std::uint64_t seen = executions_[site];
    if (seen == 0 || !units_.tells_p(site)) continue;
    const SiteSamples* const samples = samples_->find(site);
    const std::uint64_t outside = samples ? outside_of(*samples) : 0;
    const std::uint64_t factor = (outside + seen + seen / 2) / seen;
    factors_.sites[site] = factor;
    sampled_outside_.insert(site);
    // A loop is executed as often as what is in it.
    if (const LoopId loop = loop_around(site)) factors_.loops[loop] = factor;
  }
  samples_->for_each([&](SiteId site, const SiteSamples& samples) {
    if (!samples.any || site == k_no_site || site >= executions_.size() || executions_[site] != 0)
      return;
    executions_[site] = outside_of(samples);
    factors_.sites[site] = 1;
    sampled_outside_.insert(site);
    count_loop_of(site, samples);
  });
}

// The same for the loop around SITE, of which no burst has seen an access: an iteration
// performs each of its accesses at most once.
void ProfileBuilder::count_loop_of(SiteId site, const SiteSamples& samples) {
  const LoopId id = loop_around(site);
  if (id == 0 || samples.loops_seen == 0) return;
  if (!factors_.loops.try_emplace(id, 1).second && factors_.loops[id] != 1) return;
  LoopCounts& loop = loops_[id];
  loop.iterations = std::max(loop.iterations, executions_[site]);
  loop.invocations = std::max({loop.invocations, samples.loops, samples.loops_seen});
}

// What the first burst saw, and what nothing outside of bursts reported. A loop's entries and
// iterations are estimated each by itself, since the ratio of the two is what a reader wants.
void ProfileBuilder::weigh_first_burst() {
  for (SiteId site = 1; site < executions_.size(); site++)
    if (const std::uint64_t first = first_.executions(site); first != 0 && !sampled_outside_.contains(site))
      factors_.sites[site] = FirstBurst::factor(executions_[site], first, factors_.all);
  for (LoopId id = 1; id < loops_.size(); id++) {
    const LoopCounts first = first_.loop(id);
    if ((first.invocations == 0 && first.iterations == 0) || factors_.loops.contains(id)) continue;
    LoopCounts& loop = loops_[id];
    loop.invocations = FirstBurst::estimate(loop.invocations, first.invocations, factors_.all);
    loop.iterations = FirstBurst::estimate(loop.iterations, first.iterations, factors_.all);
    factors_.loops[id] = 1;
  }
}

// The first entries of each function have early bursts, unless a burst is there. Where fewer of both
// saw a loop begin than a function has first entries, there were no more.
void ProfileBuilder::count_few_entries() {
  for (LoopId id = 1; id < loops_.size() && id < early_entries_.size(); id++) {
    const std::uint64_t entries = early_entries_[id] + seen_loops_[id].invocations;
    if (loops_[id].iterations == 0 || early_entries_[id] == 0 || entries >= MPRT_FIRST_ENTRIES) continue;
    scaled_loop(id).invocations = entries;
    exact_entries_.insert(id);
  }
}

// A loop of which only accesses were seen has an iteration for each of them.
void ProfileBuilder::count_unseen_iterations() {
  std::map<LoopId, std::uint64_t> iterations;
  for (SiteId site = 1; site < executions_.size(); site++) {
    if (executions_[site] == 0) continue;
    const LoopId loop = loop_around(site);
    if (loop == 0 || loops_[loop].iterations != 0) continue;
    std::uint64_t& most = iterations[loop];
    most = std::max(most, executions_[site] * factors_.of_site(site));
  }
  for (const auto& [id, n] : iterations) {
    LoopCounts& loop = scaled_loop(id);
    loop.iterations = n;
    loop.invocations = std::max<std::uint64_t>(loop.invocations, 1);
  }
}

// A loop that is in no other is entered at most once in each entry of its function. What bursts saw of few
// entries is a bad estimate: one of main () may have been begun outside of all.
void ProfileBuilder::bound_outer_loops() {
  for (const auto& unit : units_.all())
    for (std::size_t row = 0; row < unit->image.loops().size(); row++) {
      const mprt_loop& l = unit->image.loops()[row];
      const LoopId id = unit->first_loop + static_cast<LoopId>(row);
      if (l.parent != MPRT_NONE || loops_[id].iterations == 0 || exact_entries_.contains(id)) continue;
      const auto most = units_.entries().of(unit->first_function + l.function);
      const std::uint64_t early = id < early_entries_.size() ? early_entries_[id] : 0;
      const std::uint64_t least = std::max<std::uint64_t>(early + seen_loops_[id].invocations, 1);
      if (!most || *most < least) continue;
      LoopCounts& loop = scaled_loop(id);
      loop.invocations = std::clamp(loop.invocations, least, *most);
      if (least == *most)
        exact_entries_.insert(id);
      else
        entry_bounds_[id] = {least, *most};
    }
}

void ProfileBuilder::count(const StreamCounts& counts) {
  factors_.all = first_.times(counts);
  executions_ = units_.site_executions();
  loops_ = seen_loops_ = units_.loop_counts();
  count_loop_samples();
  if (!first_.alone(counts)) weigh_first_burst();
  count_few_entries();
  if (sampled()) count_unseen_iterations();
  bound_outer_loops();
}

void ProfileBuilder::build(feedback::Profile& profile) {
  for (SiteId site = 1; site < executions_.size(); site++)
    (units_.store_p(site) ? profile.run.stores : profile.run.loads) +=
        executions_[site];
  profile.run.accesses = profile.run.loads + profile.run.stores;
  choose_comdat_copies();
  for (const auto& unit : units_.all()) add_unit(*unit, profile);
  profile.sections.emplace_back("types");
  profile.types = type_rows(units_, executable, executable_file);
}

std::string hash_of_tables(const LoadedUnits& units) {
  // FNV-1a over each table; the sum does not depend on the order of loading.
  std::uint64_t sum = 0;
  for (const auto& unit : units.all()) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::uint64_t word : unit->image.blob)
      hash = (hash ^ word) * 0x100000001b3;
    sum += hash;
  }
  char text[32];
  std::snprintf(text, sizeof text, "tables-%016" PRIx64, sum);
  return text;
}

}  // namespace memprof::backend
