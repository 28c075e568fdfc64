// machine.cc - the caches and the inputs that decisions assume.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Problem: a profile says what missed the caches of one machine with one input.  The
// program will run on another machine and with larger inputs.
//
// Steps:
//
//   1. The caches are those of the profile's machine, or those that the user names
//      (-fprofile-mem-caches=, --param l2-cache-size=).
//   2. Inputs are as large as those of the profile, or -fprofile-mem-scale= times as large.
//      Then so is what a load ranges over.
//   3. Of random accesses to S bytes, a cache of C bytes misses the share 1 - C / S.  A
//      share m that was modelled becomes m * (1 - C' / S') / (1 - C / S).  Where the
//      profile's cache held nearly all of it, that quotient says nothing: then those
//      accesses that miss the first level miss with the share 1 - C' / S'.
//
// Example: pagerank trained with 2^15 vertices: S = 131 KB, C = 1 MB, no miss of L2, 70 % of
// L1.  With -fprofile-mem-scale=32, S' = 4.2 MB: 0.7 * (1 - 1 / 4.2) = 0.53.
//
// Sampled profiles.  A short run has few bursts, and a loop that runs 100,000 times may have been
// met by one of them that counts little: its estimate is 5,000, or 500.  A count n of which each
// burst represents P is off by sqrt (n * P); so the least number of iterations N becomes the
// estimate that lies three times as far below it: n + 3 sqrt (n * P) = N.  A burst represents
// the places of its period, and a place is an iteration or an entry of an inner loop of
// some ten.  With 200,000 places a burst, 20,000 iterations become 22.  Loops only: what
// is done to those costs nothing but code (so a copy of one must gain more then, see
// versioning.cc), while a prefetch where nothing misses costs time.
//
// What it does not do: it does not know which structures grow with the input.  A table of
// fixed size is taken for one that grows.
#include "consumers/decide/machine.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "consumers/decide/whole.h"
#include "feedback/reuse_curve.h"

namespace memprof::decide {
namespace {

// A cache that holds all but this of what is accessed says nothing about a larger input.
constexpr double k_least_share = 0.1;
// Bytes of a line in the table reuse.
constexpr double k_reuse_line = 64;
// Standard deviations that an estimate may lie below what it represents.
constexpr double k_deviations = 3;
// Iterations that a place where a burst may begin represents.
constexpr double k_place_iterations = 10;

// "1M/8" as a number of bytes; 0: it is none.
std::uint64_t size_of(std::string_view text) {
  std::uint64_t value = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    const auto digit = static_cast<std::uint64_t>(text[0] - '0');
    if (value > (std::numeric_limits<std::uint64_t>::max() >> 34) / 10) return 0;
    value = 10 * value + digit;
    text.remove_prefix(1);
  }
  if (!text.empty())
    if (const auto unit = std::string_view("KMG").find(text[0]); unit != text.npos) {
      value <<= 10 * (unit + 1);
      text.remove_prefix(1);
    }
  return text.empty() || text[0] == '/' ? value : 0;
}

// The estimate of a sampled profile that may represent COUNT, see above.
std::uint64_t least_estimate(std::uint64_t count, std::uint64_t period) {
  const double spread =
      k_deviations * std::sqrt(k_place_iterations * static_cast<double>(period));
  const double root =
      (std::sqrt(spread * spread + 4 * static_cast<double>(count)) - spread) / 2;
  return std::max<std::uint64_t>(1, whole(root * root));
}

// Takes the part before the next comma off TEXT.
std::string_view next_part(std::string_view& text) {
  const std::string_view part = text.substr(0, text.find(','));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

// Calls fn(name, size) for each part of CACHES; false if it is no such text.
template <typename Fn>
bool for_caches(std::string_view caches, Fn&& fn) {
  while (!caches.empty()) {
    const std::string_view part = next_part(caches);
    const std::size_t equals = part.find('=');
    if (equals == part.npos) return false;
    const std::uint64_t size = size_of(part.substr(equals + 1));
    if (size == 0) return false;
    fn(part.substr(0, equals), size);
  }
  return true;
}

// CACHES with the parts of CHANGES that it has.
std::string changed_caches(std::string_view caches, std::string_view changes) {
  std::string text;
  while (!caches.empty()) {
    std::string_view part = next_part(caches);
    const std::string_view name = part.substr(0, part.find('=') + 1);
    for (std::string_view left = changes; !left.empty();)
      if (const std::string_view change = next_part(left); change.starts_with(name)) part = change;
    text += (text.empty() ? "" : ",") + std::string(part);
  }
  return text;
}

}  // namespace

bool apply_caches(std::string_view caches, CostModel& model) {
  CostModel changed = model;
  const bool sense = for_caches(caches, [&](std::string_view name, std::uint64_t size) {
    if (name == "L2") changed.l2_bytes = size;
    if (name == "LLC") changed.llc_bytes = size;
    if (name == "TLB") changed.tlb_bytes = size * changed.page_bytes;
  });
  if (sense) model = changed;
  return sense;
}

bool move_to_caches(feedback::Profile& profile, std::string_view caches) {
  if (profile.reuse.empty() || !for_caches(caches, [](std::string_view, std::uint64_t) {})) return false;
  std::map<std::pair<feedback::Id, feedback::Id>, const feedback::Reuse*> curves;
  for (const feedback::Reuse& row : profile.reuse) curves[{row.site, row.group}] = &row;
  for (feedback::Cache& row : profile.cache) {
    const auto at = curves.find({row.site, row.group});
    if (at == curves.end()) continue;
    const auto move = [&](std::uint64_t& count, std::uint64_t& error, double misses) {
      const std::uint64_t moved = whole(std::round(misses));
      // About as well known as what was estimated; what was not there is a guess.
      error = count == 0 ? moved
                         : whole(static_cast<double>(error) * misses / static_cast<double>(count));
      count = moved;
    };
    for_caches(caches, [&](std::string_view name, std::uint64_t size) {
      const double n = static_cast<double>(size), lines = n / k_reuse_line;
      const auto& curve = *at->second;
      if (name == "L1") move(row.l1, row.errors.l1, misses_at(curve.lines, lines));
      if (name == "L2") move(row.l2, row.errors.l2, misses_at(curve.lines, lines));
      if (name == "LLC") move(row.llc, row.errors.llc, misses_at(curve.lines, lines));
      if (name == "TLB") move(row.tlb, row.errors.tlb, misses_at(curve.pages, n));
    });
    row.l2 = std::min(row.l2, row.l1);
    row.llc = std::min(row.llc, row.l2);
  }
  profile.run.caches = changed_caches(profile.run.caches, caches);
  return true;
}

void apply_profile(const feedback::Profile& profile, CostModel& model) {
  if (profile.run.bursts)
    // Of the default: a profile that is opened again is applied again.
    model.min_loop_iterations =
        std::min(model.min_loop_iterations,
                 least_estimate(CostModel().min_loop_iterations, profile.run.burst_period));
  if (profile.run.caches.empty() || !apply_caches(profile.run.caches, model)) return;
  model.modelled_l2_bytes = model.l2_bytes;
  model.modelled_tlb_bytes = model.tlb_bytes;
}

CostModel model_of(const feedback::Profile& profile) {
  CostModel model;
  apply_profile(profile, model);
  return model;
}

double share_beyond(double reach, double span) {
  return span > reach ? 1 - reach / span : 0;
}

double moved_share(double share, double reach, double span, double new_reach, double new_span,
                   double most) {
  if (reach == new_reach && span == new_span) return share;
  const double before = share_beyond(reach, span), after = share_beyond(new_reach, new_span);
  return std::min(most, before > k_least_share ? share * after / before
                                               : std::max(share, most * after));
}

double miss_share(const LoadFacts& load, const CostModel& model) {
  if (!load.l2_misses || !load.executions) return 1;
  const auto share = [&](std::uint64_t misses) {
    return std::min(1.0, static_cast<double>(misses) / static_cast<double>(load.executions));
  };
  const double span = static_cast<double>(load.span), l2 = static_cast<double>(model.l2_bytes);
  const double modelled = static_cast<double>(model.modelled_l2_bytes);
  return moved_share(share(*load.l2_misses), modelled > 0 ? modelled : l2, span, l2,
                     span * model.input_scale,
                     share(std::max(load.l1_misses, *load.l2_misses)));
}

double latency_of(const LoadFacts& load, const CostModel& model) {
  const double span = static_cast<double>(load.span) * model.input_scale;
  return span > static_cast<double>(model.llc_bytes) ? model.memory_latency : model.llc_latency;
}

}  // namespace memprof::decide
