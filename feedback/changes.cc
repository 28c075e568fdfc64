// changes.cc - what differs between two profiles, row by row and with its sign.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "feedback/align.h"
#include "feedback/model.h"

namespace memprof::feedback {
namespace {

// A number that both profiles' rows of one thing share.
using Mark = std::size_t;

struct Named {
  std::string where, function, what;
};

// One thing in both profiles.
struct Both {
  std::uint64_t before = 0, after = 0;
  double variance = 0;  // of the difference, in half 95 % intervals
  bool in_before = false, in_after = false, certain = true;
  Named name;

  double difference() const { return std::fabs(double(after) - double(before)); }
};

// How many half 95 % intervals one of ROWS differences of equal counts exceeds in one of 20 cases.
double intervals_for(std::size_t rows) {
  const double one_sided = 0.025 / double(std::max<std::size_t>(rows, 1));
  double low = 0, high = 40;
  for (int i = 0; i < 60; i++) {
    const double z = (low + high) / 2;
    (std::erfc(z / std::sqrt(2.0)) / 2 > one_sided ? low : high) = z;
  }
  return low / 1.96;
}

struct FunctionRef {
  const Module* module;
  const Function* function;
};

std::vector<FunctionRef> functions_of(const Profile& profile) {
  std::vector<FunctionRef> all;
  for (const Module& m : profile.modules)
    for (const Function& f : m.functions) all.push_back({&m, &f});
  return all;
}

Named named(const FunctionRef& f, const Site& s) {
  return {(s.file.empty() ? f.module->file : s.file) + ':' + std::to_string(s.line) + ':' +
              std::to_string(s.column),
          f.function->name,
          std::string(s.kind == Access::load ? "load" : "store") +
              (s.expression.empty() ? "" : ' ' + s.expression)};
}

Named named(const Group& g) {
  static const char* const kinds[] = {"heap", "global", "stack", "mapped", "unknown"};
  return {g.file.empty() ? "" : g.file + ':' + std::to_string(g.line), g.function,
          (g.allocator.empty() ? kinds[unsigned(g.kind)] : g.allocator) +
              (g.type.empty() ? "" : ' ' + g.type)};
}

// Pairs of rows with equal keys, in order, of what is not matched yet.
template <typename Row, typename Key>
void match(const std::vector<Row>& a, const std::vector<Row>& b, std::vector<std::size_t>& of_a,
           std::vector<bool>& taken, Key key, bool only_alone = false) {
  constexpr std::size_t k_free = ~std::size_t{0};
  std::map<decltype(key(a[0])), std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> by_key;
  for (std::size_t i = 0; i < a.size(); i++)
    if (of_a[i] == k_free) by_key[key(a[i])].first.push_back(i);
  for (std::size_t j = 0; j < b.size(); j++)
    if (!taken[j]) by_key[key(b[j])].second.push_back(j);
  for (const auto& [k, rows] : by_key) {
    const auto& [left, right] = rows;
    if (only_alone && (left.size() != 1 || right.size() != 1)) continue;
    for (std::size_t n = 0; n < std::min(left.size(), right.size()); n++)
      of_a[left[n]] = right[n], taken[right[n]] = true;
  }
}

class Comparison {
 public:
  Comparison(const Profile& before, const Profile& after) : a_(before), b_(after) {}

  Changes result() {
    match_functions();
    match_groups();
    for (const FunctionRef& f : functions_of(a_)) add_sites(f, mark_a_, true);
    for (const FunctionRef& f : functions_of(b_)) add_sites(f, mark_b_, false);
    put(Subject::site, sites_);
    if (both_have("cache")) {
      add_misses(a_, mark_a_, true);
      add_misses(b_, mark_b_, false);
      put(Subject::miss, misses_);
    }
    put(Subject::group, groups_);
    if (both_have("dependences")) {
      add_dependences(a_, mark_a_, true);
      add_dependences(b_, mark_b_, false);
      put_dependences();
    }
    return std::move(out_);
  }

 private:
  using Marks = std::unordered_map<Id, Mark>;
  using Rows = std::map<Mark, Both>;

  static bool has(const Profile& p, const char* section) {
    return std::find(p.sections.begin(), p.sections.end(), section) != p.sections.end();
  }
  bool both_have(const char* section) const { return has(a_, section) && has(b_, section); }

  static void add(Both& row, std::uint64_t n, bool before, double error = 0) {
    add_count(before ? row.before : row.after, n);
    row.variance += error * error;
    (before ? row.in_before : row.in_after) = true;
  }

  void match_functions() {
    const auto a = functions_of(a_), b = functions_of(b_);
    std::vector<std::size_t> of_a(a.size(), ~std::size_t{0});
    std::vector<bool> taken(b.size());
    match(a, b, of_a, taken, [](const FunctionRef& f) {
      return std::make_tuple(f.module->file, f.function->linkage_name, f.function->checksum);
    });
    for (std::size_t i = 0; i < a.size(); i++) {
      if (of_a[i] == ~std::size_t{0}) continue;
      out_.same_functions++;
      match_ordinals(*a[i].function, *b[of_a[i]].function);
    }
    const std::vector<std::size_t> equal = of_a;
    match(a, b, of_a, taken, [](const FunctionRef& f) {
      return std::make_tuple(f.module->file, f.function->linkage_name);
    });
    match(a, b, of_a, taken, [](const FunctionRef& f) { return f.function->linkage_name; }, true);
    for (std::size_t i = 0; i < a.size(); i++) {
      if (of_a[i] == ~std::size_t{0}) {
        out_.lost_functions++;
      } else if (equal[i] == ~std::size_t{0}) {
        out_.changed_functions++;
        match_aligned(*a[i].function, *b[of_a[i]].function);
      }
    }
    out_.new_functions = std::size_t(std::count(taken.begin(), taken.end(), false));
  }

  void pair(const Site& a, const Site& b, bool certain) {
    mark_a_[a.id] = mark_b_[b.id] = next_;
    sites_[next_].certain = misses_[next_].certain = certain;
    next_++;
  }

  void match_ordinals(const Function& a, const Function& b) {
    std::unordered_map<std::uint32_t, const Site*> by_ordinal;
    for (const Site& s : b.sites) by_ordinal[s.ordinal] = &s;
    for (const Site& s : a.sites)
      if (const auto at = by_ordinal.find(s.ordinal); at != by_ordinal.end())
        pair(s, *at->second, true);
  }

  void match_aligned(const Function& a, const Function& b) {
    for (const AlignedPair& p : align(site_shapes(a), site_shapes(b)))
      pair(a.sites[p.a], b.sites[p.b], p.certain);
  }

  void add_sites(const FunctionRef& f, Marks& marks, bool before) {
    for (const Site& s : f.function->sites) {
      const auto [at, fresh] = marks.try_emplace(s.id, next_);
      next_ += fresh;
      add(sites_[at->second], s.executions, before, s.error * double(s.executions));
      // The newer place is the one that a user can look up.
      sites_[at->second].name = named(f, s);
    }
  }

  void add_misses(const Profile& p, const Marks& marks, bool before) {
    for (const Cache& r : p.cache) {
      const auto at = marks.find(r.site);
      if (at == marks.end()) continue;
      Both& row = misses_[at->second];
      add(row, r.l2, before, double(r.errors.l2));
      row.name = sites_[at->second].name;
    }
  }

  void match_groups() {
    std::vector<std::size_t> of_a(a_.groups.size(), ~std::size_t{0});
    std::vector<bool> taken(b_.groups.size());
    match(a_.groups, b_.groups, of_a, taken, [](const Group& g) {
      return std::make_tuple(g.kind, g.file, g.line, g.function, g.type, g.context);
    });
    match(a_.groups, b_.groups, of_a, taken, [](const Group& g) {
      return std::make_tuple(g.kind, g.file, g.function, g.allocator, g.type);
    });
    Mark mark = 0;
    for (std::size_t i = 0; i < of_a.size(); i++, mark++) {
      Both& row = groups_[mark];
      add(row, a_.groups[i].bytes, true);
      row.name = named(a_.groups[i]);
      if (of_a[i] == ~std::size_t{0}) continue;
      add(row, b_.groups[of_a[i]].bytes, false);
      row.name = named(b_.groups[of_a[i]]);
    }
    for (std::size_t j = 0; j < taken.size(); j++)
      if (!taken[j]) {
        add(groups_[mark], b_.groups[j].bytes, false);
        groups_[mark++].name = named(b_.groups[j]);
      }
  }

  void add_dependences(const Profile& p, const Marks& marks, bool before) {
    constexpr Mark k_outside = ~Mark{0};
    std::unordered_map<Id, const Site*> sinks;
    for (const FunctionRef& f : functions_of(p))
      for (const Site& s : f.function->sites) sinks[s.id] = &s;
    for (const Dependence& d : p.dependences) {
      const auto sink = marks.find(d.sink), source = marks.find(d.source);
      if (d.kind != DependenceKind::raw || sink == marks.end()) continue;
      const Site& s = *sinks.at(d.sink);
      // Of E executions, COUNT are of this dependence: to the error of E comes that of the share.
      const double error = s.error * std::sqrt(double(s.executions) * double(d.count));
      add(dependences_[{source == marks.end() ? k_outside : source->second, sink->second}],
          d.count, before, error);
    }
  }

  void put_dependences() {
    Rows rows;
    Mark mark = 0;
    for (auto& [ends, row] : dependences_) {
      const auto source = sites_.find(ends.first);
      const Both& sink = sites_.at(ends.second);
      const bool known = source != sites_.end();
      row.certain = sink.certain && (!known || source->second.certain);
      row.name = {sink.name.where, sink.name.function,
                  sink.name.what + " reads what " +
                      (known ? source->second.name.what + " at " + source->second.name.where
                             : std::string("external code")) + " wrote"};
      rows[mark++] = std::move(row);
    }
    put(Subject::dependence, rows);
  }

  void put(Subject subject, const Rows& rows) {
    Changes::Total total{subject};
    const std::size_t first = out_.rows.size();
    const auto estimates = std::count_if(rows.begin(), rows.end(),
                                         [](const auto& row) { return row.second.variance > 0; });
    const double intervals = intervals_for(std::size_t(estimates));
    for (const auto& [mark, row] : rows) {
      add_count(total.before, row.before);
      add_count(total.after, row.after);
      const Presence presence = !row.in_before  ? Presence::appeared
                                : !row.in_after ? Presence::vanished
                                                : Presence::both;
      if (row.before == row.after) continue;
      if (row.variance > 0 && row.difference() <= intervals * std::sqrt(row.variance)) {
        total.within_error++;
        continue;
      }
      out_.rows.push_back({subject, presence, row.certain, row.before, row.after, row.name.where,
                           row.name.function, row.name.what});
    }
    std::stable_sort(out_.rows.begin() + std::ptrdiff_t(first), out_.rows.end(),
                     [](const Change& x, const Change& y) { return x.size() > y.size(); });
    out_.totals.push_back(total);
  }

  const Profile &a_, &b_;
  Changes out_;
  Mark next_ = 0;
  Marks mark_a_, mark_b_;  // of sites
  Rows sites_, misses_, groups_;
  std::map<std::pair<Mark, Mark>, Both> dependences_;  // source, sink
};

}  // namespace

const char* name(Subject subject) {
  static const char* const names[] = {"accesses", "misses", "memory", "dependences"};
  return names[unsigned(subject)];
}

std::uint64_t Changes::before(Subject subject) const {
  for (const Total& t : totals)
    if (t.subject == subject) return t.before;
  return 0;
}

Changes changes(const Profile& before, const Profile& after) {
  return Comparison(before, after).result();
}

}  // namespace memprof::feedback
