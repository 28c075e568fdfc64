// leap_accuracy.cc - how good LEAP's lossy profile is on real programs.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: leap_accuracy [--json] STREAM...     (leap-accuracy.sh makes them)
//
// Replays each event stream (MPRT_OPTIONS=file=STREAM), with the object_relative
// and stride modules and the yardsticks of mdf_baselines.h side by side, and
// prints the figures of the LEAP paper (Wu et al., CGO 2004, section 5):
//
//   pairs        dependent pairs (frequency > 0 in either profile) whose
//                frequency is within 10 percentage points of the exact one,
//                for LEAP and for windows of H places, with the time per access
//   strides      strongly strided loads and stores (one stride within an object
//                has 70 % of the executions) that LEAP finds, and false ones
//   captured     accesses described by LMADs; sites described by them wholly
//   compression  trace (13 bytes per access: kind, instruction, address) over
//                the LMADs in binary (8 bytes per number), and over the file
//
// With --json that text goes to stderr, and stdout has one object a line for each stream, with errors of
// LEAP and of the window at equal time in 21 bins: none, and steps of ten points to both sides.
//
// Accesses to the stack and to no known object take no part in LEAP, so neither
// in the yardsticks.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>

#include "feedback/writer.h"
#include "runtime/backend/modules/leap/mdf.h"
#include "testsuite/bench/mdf_baselines.h"
#include "testsuite/bench/replay.h"

namespace memprof::bench {
namespace {

using namespace memprof::backend;
using feedback::Profile;

constexpr std::array<std::uint32_t, 5> k_windows{1, 2, 4, 8, 32};
constexpr double k_trace_bytes = 13;
constexpr double k_strong = 0.70;
std::FILE* g_text = stdout;

// Calls access(kind, site, address, width, group) and birth(address, width), in
// the order of time.  The groups are in the columns only: those of the accesses
// that are no part of a range, put in order, belong to the events in turn.
template <typename Access, typename Birth>
void for_each_access(const Batch& batch, Access&& access, Birth&& birth) {
  std::vector<std::pair<std::uint32_t, GroupId>> groups;
  for (const Column& column : batch.columns)
    Batch::for_items(column, [&](const Item& item) {
      if (item.target & k_range_item) return;
      groups.emplace_back(item.time, batch.targets[item.target].group);
    });
  std::sort(groups.begin(), groups.end());
  std::size_t next = 0;
  for (const Event& e : batch.events) {
    if (e.kind == EventKind::range) {
      const Range& range = batch.ranges[e.index];
      for (std::uint64_t k = 0; k < range.count; k++)
        for (const RangeAccess& a : batch.accesses_of(range))
          if (k < a.count)
            access(a.store ? EventKind::store : EventKind::load, a.site,
                   a.address + k * static_cast<std::uint64_t>(a.step), a.width,
                   a.group);
    } else if (e.kind == EventKind::block) {
      const backend::Block block = batch.block_of(e);
      for (const backend::BlockEntry& x : block.entries())
        if (x.execution()) access(x.kind, x.site, block.address(x), x.width, groups[next++].second);
    } else if (e.kind == EventKind::birth) {
      birth(e.address, batch.width(e));
    } else if (e.kind == EventKind::load || e.kind == EventKind::store) {
      access(e.kind, e.site, e.address, batch.width(e), groups[next++].second);
    }
  }
}

// One yardstick as a profiling module.
template <typename Mdf>
class Yardstick final : public backend::Module {
 public:
  Yardstick(const ProgramInfo& program, Mdf& mdf) : program_(program), mdf_(mdf) {}

  void consume(const Batch& batch) override {
    for_each_access(
        batch,
        [this](EventKind kind, SiteId site, std::uint64_t address,
               std::uint64_t width, GroupId group) {
          if (group == 0 ||
              program_.group_kind(group) == feedback::GroupKind::stack)
            return;
          if (kind == EventKind::store)
            mdf_.store(site, address, width);
          else
            mdf_.load(site, address, width);
        },
        [this](std::uint64_t address, std::uint64_t width) {
          if constexpr (requires { mdf_.clear(0, 0); })
            mdf_.clear(address, width);
        });
  }
  void finish(Profile&) override {
    for (const auto& [pair, count] : mdf_.conflicts())
      by_id[{program_.site_id(pair.first), program_.site_id(pair.second)}] +=
          count;
  }

  static inline Conflicts by_id;  // of the last one that has finished

 private:
  const ProgramInfo& program_;
  Mdf& mdf_;
};

// The module entries have plain functions; what they make:
ExactMdf* g_exact;
WindowedMdf* g_window;

std::unique_ptr<backend::Module> make_exact(const ProgramInfo& program) {
  return std::make_unique<Yardstick<ExactMdf>>(program, *g_exact);
}
std::unique_ptr<backend::Module> make_window(const ProgramInfo& program) {
  return std::make_unique<Yardstick<WindowedMdf>>(program, *g_window);
}
const ModuleEntry k_exact{"exact", "", false, make_exact, 0, ""};
const ModuleEntry k_window{"window", "", false, make_window, 0, ""};

using Frequencies = std::map<std::pair<feedback::Id, feedback::Id>, double>;

Frequencies frequencies(const Conflicts& conflicts,
                        const std::map<feedback::Id, std::uint64_t>& executions) {
  Frequencies result;
  for (const auto& [pair, count] : conflicts)
    if (const auto n = executions.find(pair.second); n != executions.end())
      result[pair] = static_cast<double>(count) / static_cast<double>(n->second);
  return result;
}

// Errors in percentage points: 0 in the centre, ten to each side.
struct Errors {
  std::array<std::uint64_t, 21> bins{};
  std::uint64_t pairs = 0;

  void add(double error) {
    const double limited = std::min(std::max(error, -100.0), 100.0);
    int bin = 10;
    if (limited > 1e-6) bin += static_cast<int>(std::ceil(limited / 10 - 1e-9));
    if (limited < -1e-6) bin -= static_cast<int>(std::ceil(-limited / 10 - 1e-9));
    bins[static_cast<std::size_t>(bin)]++;
    pairs++;
  }
  double within() const { return share(9, 12); }
  double below() const { return share(0, 9); }
  double above() const { return share(12, 21); }
  void add(const Errors& other) {
    for (std::size_t i = 0; i < bins.size(); i++) bins[i] += other.bins[i];
    pairs += other.pairs;
  }

 private:
  double share(std::size_t from, std::size_t to) const {
    std::uint64_t n = 0;
    for (std::size_t i = from; i < to; i++) n += bins[i];
    return pairs ? 100.0 * static_cast<double>(n) / static_cast<double>(pairs) : 0;
  }
};

Errors compare(const Frequencies& profile, const Frequencies& exact) {
  Errors errors;
  for (const auto& [pair, f] : exact) {
    const auto found = profile.find(pair);
    errors.add(100 * ((found == profile.end() ? 0 : found->second) - f));
  }
  for (const auto& [pair, f] : profile)
    if (f > 0 && !exact.contains(pair)) errors.add(100 * f);
  return errors;
}

// Sites that LEAP's LMADs show as strongly strided.
std::set<feedback::Id> strided_by_lmads(const Profile& profile) {
  std::map<feedback::Id, std::map<std::int64_t, std::uint64_t>> strides;
  std::map<feedback::Id, std::uint64_t> captured;
  for (const auto& row : profile.object_relative) {
    captured[row.site] += row.v2.captured;
    const feedback::Lmad<2>* before = nullptr;
    for (const auto& l : row.v2.lmads) {
      auto& counts = strides[row.site];
      if (l.count > 1 && l.stride[0] == 0) counts[l.stride[1]] += l.count - 1;
      if (before) {
        const auto n = static_cast<std::int64_t>(before->count - 1);
        if (before->start[0] + n * before->stride[0] == l.start[0])
          counts[l.start[1] - before->start[1] - n * before->stride[1]]++;
      }
      before = &l;
    }
  }
  std::set<feedback::Id> strong;
  for (const auto& [site, counts] : strides)
    for (const auto& [stride, n] : counts)
      if (stride != 0 && static_cast<double>(n) >=
                             k_strong * static_cast<double>(captured[site]))
        strong.insert(site);
  return strong;
}

// The file shows the largest frequencies of each load only; this module shows all.
std::unique_ptr<backend::Module> make_all_mdf(const ProgramInfo& program) {
  return make_mdf(program, {~std::size_t{0}, ~std::uint64_t{0}});
}
const ModuleEntry k_mdf{"mdf", "mdf", false, make_all_mdf, 0, ""};

// Without what k_mdf has added.
std::string file_text(Profile profile) {
  profile.mdf.clear();
  profile.never_met.clear();
  std::erase(profile.sections, "mdf");
  std::erase(profile.sections, "never_met");
  return feedback::to_json(profile);
}

// The figures make no sense: nothing was compared, or nothing was found.
[[noreturn]] void fail(const std::string& path, const std::string& what) {
  std::fprintf(stderr, "leap_accuracy: %s: %s\n", path.c_str(), what.c_str());
  std::exit(1);
}

struct Sums {
  Errors leap;
  std::array<Errors, k_windows.size()> window;
  Errors equal_time;
  double leap_mean = 0, equal_time_mean = 0, strides = 0, accesses = 0, sites = 0, binary = 0;
  unsigned programs = 0;
};

template <int D>
double numbers(const feedback::LmadStream<D>& s) {
  return static_cast<double>(s.lmads.size() * (2 * D + 1) +
                             (s.overflow.count ? 3 * D + 2 : 0));
}

using Executions = std::map<feedback::Id, std::uint64_t>;

struct Cost {
  double decoding;  // seconds without a module
  double accesses;
  double leap_ns;   // per access
};

struct EqualTime {
  std::uint32_t window;
  Errors errors;
};

// Errors of the windows. Returns those of the largest window that is as fast as LEAP.
EqualTime try_windows(const std::string& path, const Executions& executions,
                      const Frequencies& truth, const Cost& cost, Sums& sums) {
  EqualTime equal_time{};
  for (std::size_t i = 0; i < k_windows.size(); i++) {
    WindowedMdf window(k_windows[i]);
    g_window = &window;
    Yardstick<WindowedMdf>::by_id.clear();
    double seconds;
    replay(path, {&k_window}, &seconds);
    const double ns = (seconds - cost.decoding) / cost.accesses * 1e9;
    const Errors errors = compare(
        frequencies(Yardstick<WindowedMdf>::by_id, executions), truth);
    // The largest window that is as fast as LEAP, or the smallest there is.
    if (i == 0 || ns <= cost.leap_ns) equal_time = {k_windows[i], errors};
    sums.window[i].add(errors);
    std::fprintf(g_text, "  window %4u %5.1f %% of pairs within 10 %%   below %4.1f %%  "
                "above %4.1f %%   %6.1f ns per access\n",
                k_windows[i], errors.within(), errors.below(), errors.above(),
                ns);
  }
  return equal_time;
}

struct Strides {
  unsigned real, found;
  std::size_t wrong;
  double score() const { return real ? 100.0 * found / real : 100; }
};

// Strongly strided sites, and which of them the LMADs show.
Strides strides(const Profile& profile, const Executions& executions) {
  const auto found = strided_by_lmads(profile);
  unsigned real = 0, both = 0;
  for (const auto& row : profile.strides)
    if (executions.contains(row.site) &&
        row.within_object.klass == feedback::StrideClass::ssst) {
      real++;
      both += found.contains(row.site);
    }
  const Strides result{real, both, found.size() - both};
  std::fprintf(g_text, "  strides     %5.1f %% of %u strongly strided sites found, %zu "
              "false\n", result.score(), real, result.wrong);
  return result;
}

// "bfs.c:31 depth[]", from the site's table.
std::string place_of(const Profile& profile, feedback::Id id) {
  for (const auto& module : profile.modules)
    for (const auto& function : module.functions)
      for (const auto& site : function.sites)
        if (site.id == id)
          return (site.file.empty() ? module.file : site.file) + ":" +
                 std::to_string(site.line) + " " + site.expression;
  return "?";
}

// The pair whose error weighs most, with how much of its two sites the descriptors of places and
// times hold: what they do not hold is where the error comes from.
void print_worst(const Profile& profile, const Frequencies& leap, const Frequencies& exact,
                 const Executions& executions) {
  std::map<feedback::Id, double> captured;
  for (const auto& row : profile.object_relative)
    captured[row.site] += static_cast<double>(row.v3.captured);
  const auto held = [&](feedback::Id id) {
    return 100 * captured[id] / static_cast<double>(executions.at(id));
  };
  std::pair<feedback::Id, feedback::Id> worst;
  double weight = 0;
  for (const auto& [pair, f] : exact) {
    const auto found = leap.find(pair);
    const double error = std::abs((found == leap.end() ? 0 : found->second) - f) *
                         static_cast<double>(executions.at(pair.second));
    if (error > weight) worst = pair, weight = error;
  }
  if (weight == 0) return;
  const auto found = leap.find(worst);
  std::fprintf(g_text, "  worst pair  %s -> %s: %.3f for %.3f; descriptors hold %.0f %% of the stores, "
              "%.0f %% of the loads\n",
              place_of(profile, worst.first).c_str(), place_of(profile, worst.second).c_str(),
              found == leap.end() ? 0 : found->second, exact.at(worst), held(worst.first),
              held(worst.second));
}

void print_bins(const char* name, const Errors& errors) {
  std::printf(", \"%s\": [", name);
  for (std::size_t i = 0; i < errors.bins.size(); i++)
    std::printf("%s%llu", i ? ", " : "", static_cast<unsigned long long>(errors.bins[i]));
  std::printf("]");
}

void evaluate(const std::string& path, bool json, Sums& sums) {
  std::vector<std::string> unknown;
  const auto leap_modules = select_modules("object_relative", MPRT_BY_DEFAULT, &unknown);
  double decoding, with_leap, ignored;
  replay(path, {}, &decoding);
  replay(path, leap_modules, &with_leap);

  ExactMdf exact;
  g_exact = &exact;
  auto modules = select_modules("object_relative,stride", MPRT_BY_DEFAULT, &unknown);
  modules.push_back(&k_exact);
  modules.push_back(&k_mdf);
  Yardstick<ExactMdf>::by_id.clear();
  const Profile profile = replay(path, modules, &ignored);
  const double accesses = static_cast<double>(profile.run.accesses);
  const double leap_ns = (with_leap - decoding) / accesses * 1e9;

  // Executions on objects, which is what LEAP's rows count.
  Executions executions;
  std::set<feedback::Id> cut;
  double captured = 0, tuples = 0, lmad_numbers = 0;
  for (const auto& row : profile.object_relative) {
    executions[row.site] += row.accesses;
    tuples += static_cast<double>(row.accesses);
    captured += static_cast<double>(row.v2.captured);
    if (row.v2.overflow.count || row.v3.overflow.count) cut.insert(row.site);
    lmad_numbers += numbers(row.v3) + numbers(row.v2) + numbers(row.v1) +
                    numbers(row.o1);
  }
  const Frequencies truth =
      frequencies(Yardstick<ExactMdf>::by_id, executions);
  if (truth.empty()) fail(path, "no dependent pairs");
  if (captured <= 0 || lmad_numbers <= 0) fail(path, "no descriptors");
  Frequencies leap;
  for (const auto& row : profile.mdf)
    leap[{row.source, row.sink}] = row.est;
  if (leap.empty()) fail(path, "no estimates");
  const Errors leap_errors = compare(leap, truth);

  std::fprintf(g_text, "%s: %.0f accesses, %zu pairs\n", path.c_str(), accesses,
              truth.size());
  std::fprintf(g_text, "  LEAP        %5.1f %% of pairs within 10 %%   below %4.1f %%  "
              "above %4.1f %%   %6.1f ns per access\n",
              leap_errors.within(), leap_errors.below(), leap_errors.above(),
              leap_ns);
  print_worst(profile, leap, truth, executions);
  const EqualTime equal_time =
      try_windows(path, executions, truth, {decoding, accesses, leap_ns}, sums);
  const Strides strided = strides(profile, executions);
  const double share = 100 * captured / tuples;
  const double whole = 100.0 * static_cast<double>(executions.size() - cut.size()) /
                       static_cast<double>(executions.size());
  const double ratio = k_trace_bytes * accesses / (8 * lmad_numbers);
  if (!(share <= 100) || !(ratio > 1)) fail(path, "the trace is smaller than its descriptors");
  std::fprintf(g_text, "  captured    %5.1f %% of accesses, %5.1f %% of sites wholly\n"
              "  compression %.0f (LMADs in binary), %.0f (the file with only "
              "these modules)\n",
              share, whole, ratio,
              k_trace_bytes * accesses /
                  static_cast<double>(file_text(profile).size()));
  if (json) {
    std::printf("{\"accesses\": %.0f, \"pairs\": %zu, \"captured\": %.3f, \"sites\": %.3f, \"compression\": %.3f, "
                "\"strided\": %u, \"strided_found\": %u, \"strided_wrong\": %zu, \"window\": %u, \"leap_ns\": %.2f",
                accesses, truth.size(), share, whole, ratio, strided.real, strided.found, strided.wrong,
                equal_time.window, leap_ns);
    print_bins("leap", leap_errors);
    print_bins("windowed", equal_time.errors);
    std::printf("}\n");
  }
  sums.leap.add(leap_errors);
  sums.equal_time.add(equal_time.errors);
  sums.leap_mean += leap_errors.within();
  sums.equal_time_mean += equal_time.errors.within();
  sums.strides += strided.score(), sums.accesses += share, sums.sites += whole;
  sums.binary += ratio;
  sums.programs++;
}

}  // namespace
}  // namespace memprof::bench

int main(int argc, char** argv) {
  using namespace memprof::bench;
  const bool json = argc > 1 && std::string(argv[1]) == "--json";
  if (argc < 2 + json) {
    std::fprintf(stderr, "usage: leap_accuracy [--json] STREAM...\n");
    return 2;
  }
  if (json) g_text = stderr;
  Sums sums;
  for (int i = 1 + json; i < argc; i++) evaluate(argv[i], json, sums);
  const double n = sums.programs;
  std::fprintf(g_text, "\nall programs (published: LEAP 75 %%, window at equal time 48 %%, "
              "strides 88 %%, captured 46.5 %% and 40.5 %%):\n"
              "  pairs within 10 %%, mean of the programs: LEAP %.1f %%, window at "
              "equal time %.1f %%\n"
              "  the same, all pairs together: LEAP %.1f %%, window at equal time "
              "%.1f %%",
              sums.leap_mean / n, sums.equal_time_mean / n, sums.leap.within(),
              sums.equal_time.within());
  for (std::size_t i = 0; i < k_windows.size(); i++)
    std::fprintf(g_text, ", H = %u %.1f %%", k_windows[i], sums.window[i].within());
  std::fprintf(g_text, "\n  errors of LEAP, in steps of 10 points from -100 to +100:");
  for (const auto bin : sums.leap.bins)
    std::fprintf(g_text, " %llu", static_cast<unsigned long long>(bin));
  std::fprintf(g_text, "\n  strides found %.1f %%, accesses captured %.1f %%, sites "
              "captured wholly %.1f %%, compression %.0f (means)\n",
              sums.strides / n, sums.accesses / n, sums.sites / n,
              sums.binary / n);
  return 0;
}
