// diff.cc - how alike two profiles are.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each table is a distribution: counts by key, where a key names sites, loops
// and groups by identity (merge.h), never by id.  The overlap of two
// distributions is sum (min (a/A, b/B)), as gcov-tool computes it: two runs with
// the same behaviour over different lengths overlap by 1.
#include "feedback/diff.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace memprof::feedback {
namespace {

constexpr std::size_t k_largest = 20;

using Counts = std::map<std::string, std::uint64_t>;

struct Distributions {
  Counts executions, dependences, flow, strides, points_to;
  std::set<std::string> functions;
  std::unordered_map<std::string, std::string> places;  // of site keys
};

// Parts of a key; the separator occurs in no name.
template <typename... Part>
std::string joined(const Part&... parts) {
  std::string out;
  auto append = [&out](const auto& part) {
    if constexpr (std::is_integral_v<std::decay_t<decltype(part)>>)
      out += std::to_string(part);
    else
      out += part;
    out += '\x1f';
  };
  (append(parts), ...);
  return out;
}

void add(Counts& counts, const std::string& key, std::uint64_t n) {
  std::uint64_t& sum = counts[key];
  if (__builtin_add_overflow(sum, n, &sum)) sum = ~std::uint64_t(0);
}

Distributions distributions(const Profile& profile) {
  Distributions out;
  std::unordered_map<Id, std::string> sites, loops, groups;
  sites[k_external] = "external";
  for (const Module& module : profile.modules)
    for (const Function& f : module.functions) {
      const std::string function = joined(module.file, f.linkage_name, f.checksum);
      out.functions.insert(function);
      for (std::size_t i = 0; i < f.loops.size(); i++)
        loops[f.loops[i].id] = joined(function, i);
      for (const Site& s : f.sites) {
        const std::string key = joined(function, s.ordinal);
        sites[s.id] = key;
        add(out.executions, key, s.executions);
        out.places[key] = (s.file.empty() ? module.file : s.file) + ':' +
                          std::to_string(s.line) + ':' + std::to_string(s.column) +
                          ", " + f.name;
      }
    }
  for (const Group& g : profile.groups)
    groups[g.id] = joined(unsigned(g.kind), g.file, g.line, g.function, g.type, g.context);
  for (const Dependence& r : profile.dependences) {
    const std::string row = joined(sites[r.source], sites[r.sink], unsigned(r.kind), loops[r.loop]);
    add(out.dependences, joined(row, "intra"), r.intra);
    add(out.dependences, joined(row, "carried"), r.carried);
    add(out.dependences, joined(row, "no loop"), r.no_loop);
    if (r.kind == DependenceKind::raw)
      add(out.flow, joined(sites[r.source], sites[r.sink]), r.count);
  }
  for (const InferredDependence& r : profile.inferred_dependences)
    add(out.flow, joined(sites[r.source], sites[r.sink]), r.count);
  for (const Stride& r : profile.strides)
    for (const StrideCount& entry : r.histogram)
      add(out.strides, joined(sites[r.site], entry.stride), entry.count);
  for (const PointsTo& r : profile.points_to)
    for (const PointsTo::Target& target : r.groups)
      add(out.points_to, joined(sites[r.site], groups[target.group]), target.count);
  return out;
}

double total(const Counts& counts) {
  double sum = 0;
  for (const auto& [key, n] : counts) sum += double(n);
  return sum;
}

// Calls FN (key, count in A, count in B) for each key of either.
template <typename Fn>
void for_each_key(const Counts& a, const Counts& b, Fn fn) {
  auto x = a.begin(), y = b.begin();
  while (x != a.end() || y != b.end()) {
    if (y == b.end() || (x != a.end() && x->first < y->first)) {
      fn(x->first, x->second, std::uint64_t(0));
      ++x;
    } else if (x == a.end() || y->first < x->first) {
      fn(y->first, std::uint64_t(0), y->second);
      ++y;
    } else {
      fn(x->first, x->second, y->second);
      ++x, ++y;
    }
  }
}

double overlap(const Counts& a, const Counts& b) {
  const double all_a = total(a), all_b = total(b);
  if (all_a == 0 || all_b == 0) return all_a == all_b ? 1 : 0;
  double sum = 0, differ = 0;
  for_each_key(a, b, [&](const std::string&, std::uint64_t m, std::uint64_t n) {
    const double x = double(m) / all_a, y = double(n) / all_b;
    sum += std::min(x, y);
    differ += x != y;
  });
  // Equal distributions overlap by exactly 1, however the sum was rounded.
  return differ == 0 ? 1 : std::min(sum, 1.0);
}

std::vector<SiteDifference> largest(const Distributions& a, const Distributions& b) {
  const double all_a = std::max(total(a.executions), 1.0);
  const double all_b = std::max(total(b.executions), 1.0);
  std::vector<std::tuple<double, std::string, SiteDifference>> rows;
  for_each_key(a.executions, b.executions,
               [&](const std::string& key, std::uint64_t m, std::uint64_t n) {
    const double x = double(m) / all_a, y = double(n) / all_b;
    if (x == y) return;
    const auto place = a.places.find(key);
    const std::string& where =
        place != a.places.end() ? place->second : b.places.at(key);
    // Negative, so that sorting puts the largest first and then goes by key.
    rows.emplace_back(-std::max(x - y, y - x), key, SiteDifference{where, m, n});
  });
  std::sort(rows.begin(), rows.end(), [](const auto& p, const auto& q) {
    return std::tie(std::get<0>(p), std::get<1>(p)) <
           std::tie(std::get<0>(q), std::get<1>(q));
  });
  std::vector<SiteDifference> out;
  for (std::size_t i = 0; i < rows.size() && i < k_largest; i++)
    out.push_back(std::get<2>(rows[i]));
  return out;
}

}  // namespace

Difference diff(const Profile& a, const Profile& b) {
  const Distributions x = distributions(a), y = distributions(b);
  Difference out;
  out.executions = overlap(x.executions, y.executions);
  out.dependences = overlap(x.dependences, y.dependences);
  out.flow = overlap(x.flow, y.flow);
  out.strides = overlap(x.strides, y.strides);
  out.points_to = overlap(x.points_to, y.points_to);
  std::size_t both = 0;
  for (const std::string& function : x.functions) both += y.functions.contains(function);
  const std::size_t all = x.functions.size() + y.functions.size() - both;
  out.matched_functions = all == 0 ? 1 : double(both) / double(all);
  out.largest = largest(x, y);
  return out;
}

}  // namespace memprof::feedback
