// record_order.cc - orders of the fields of a record, and how many lines each costs.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Problem: a line of 64 bytes comes from memory as a whole.  A record whose hot
// fields lie on three lines costs three misses where one would do:
//
//   struct order { char name[120]; int price; char note[60]; int next; };
//                      0             120        124            184
//   hot: price, next.  They lie on lines 1 and 2; first in the record they
//   would share line 0.
//
// The proposal has the same fields, each aligned as before:
//
//   1. Units: a field, or a run of bit-fields that share bytes, which stays
//      together.  An array without a length stays at the end.
//   2. Hot are those with the most accesses per byte that together take 95 % of
//      the accesses.  They come first.  If they need several lines, each line gets
//      the hottest unit that is left and those that are visited with what is
//      there already.
//   3. At each place comes the unit with the greatest alignment of those that
//      are aligned there, among these the one with more accesses per byte; where
//      none is, the place stays empty (padding).
//   4. If that makes the record larger than it is, all units in one go by 3.
//
// It is worth something if the lines that hold 95 % of the accesses become
// fewer, or the record smaller.
//
// Lines per visit: a line is touched as often as its fields are visited, less what
// they are visited together (the pairs of a spanning tree, most frequent first),
// but at least as often as its busiest field.
#include "consumers/decide/record_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "consumers/decide/whole.h"

namespace memprof::decide {
namespace {

constexpr std::uint64_t k_line = 64;
constexpr double k_hot_share = 0.95;

struct Unit {
  std::size_t first = 0, fields = 0;  // in RecordType::fields
  std::uint64_t bytes = 0;
  std::uint32_t align = 1;
  std::uint64_t heat = 0;
  bool at_end = false;
};

std::uint64_t heat_of(const feedback::Field& field,
                      const std::map<std::string, FieldHeat>& heat) {
  const auto at = heat.find(field.name);
  return at == heat.end() || field.name.empty() ? 0 : at->second.all();
}

std::uint64_t round_up(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; }

// Units in the order of the record.
std::vector<Unit> units_of(const feedback::RecordType& type,
                           const std::map<std::string, FieldHeat>& heat) {
  std::vector<Unit> units;
  for (std::size_t i = 0; i < type.fields.size(); i++) {
    const feedback::Field& f = type.fields[i];
    const bool bits = f.bits != 0 || (f.bytes == 0 && f.bit_offset != 0);
    if (!bits) {
      units.push_back({i, 1, f.bytes, std::max(f.align, 1u), heat_of(f, heat),
                       f.bytes == 0 && i + 1 == type.fields.size()});
      continue;
    }
    // A run of bit-fields takes what lies before the next plain field.
    Unit unit{i, 0, 0, 1, 0, false};
    std::uint64_t end = f.offset;
    for (; i < type.fields.size() && type.fields[i].bits != 0; i++) {
      const feedback::Field& b = type.fields[i];
      end = b.offset + (b.bit_offset + b.bits + 7) / 8;
      unit.align = std::max(unit.align, b.align);
      unit.heat += heat_of(b, heat);
      unit.fields++;
    }
    i--;
    unit.bytes = end - f.offset;
    units.push_back(unit);
  }
  return units;
}

bool hotter(const Unit& a, const Unit& b) {
  if (a.at_end != b.at_end) return b.at_end;
  // a.heat / a.bytes > b.heat / b.bytes
  const auto x = static_cast<unsigned __int128>(a.heat) * std::max<std::uint64_t>(b.bytes, 1);
  const auto y = static_cast<unsigned __int128>(b.heat) * std::max<std::uint64_t>(a.bytes, 1);
  if (x != y) return x > y;
  return a.align != b.align ? a.align > b.align : a.first < b.first;
}

// Lines that follow each other and have the same accesses.
struct Stretch {
  std::uint64_t heat, lines;
};

// All lines of ORDER; a record may have millions, of which few differ.
std::vector<Stretch> stretches(const RecordOrder& order) {
  const std::uint64_t lines = order.bytes / k_line + (order.bytes % k_line != 0);
  // At the first line of each stretch, how much more (modulo 2^64) it has than the one before.
  std::map<std::uint64_t, std::uint64_t> steps = {{0, 0}, {lines, 0}};
  for (const Placed& p : order.fields) {
    // Accesses to a long field are spread over its lines.
    const std::uint64_t rest = std::max<std::uint64_t>(p.bytes, 1) - 1;
    const std::uint64_t first = p.offset / k_line;
    const std::uint64_t last = (p.offset + std::min(rest, ~p.offset)) / k_line;
    const std::uint64_t each = p.heat / (last - first + 1);
    if (each == 0 || first >= lines) continue;
    steps[first] += each;
    steps[std::min(last + 1, lines)] -= each;
  }
  std::vector<Stretch> all;
  std::uint64_t heat = 0;
  for (auto at = steps.begin(), next = std::next(at); next != steps.end(); at = next++) {
    heat += at->second;
    all.push_back({heat, next->first - at->first});
  }
  return all;
}

// How many lines, the hottest first, hold 95 % of the accesses.
void count_lines(RecordOrder& order) {
  std::vector<Stretch> lines = stretches(order);
  std::sort(lines.begin(), lines.end(),
            [](const Stretch& a, const Stretch& b) { return a.heat > b.heat; });
  double all = 0;
  for (const Placed& p : order.fields) all += static_cast<double>(p.heat);
  const double wanted = k_hot_share * all;
  double sum = 0;
  for (const Stretch& s : lines) {
    order.lines += s.lines;
    if (sum >= wanted) continue;
    const double heat = static_cast<double>(s.heat), more = heat * static_cast<double>(s.lines);
    order.hot_lines += sum + more >= wanted
                           ? whole(std::ceil((wanted - sum) / heat))
                           : s.lines;
    sum += more;
  }
}

// Units in their order by groups of GROUPS units, then the others.
RecordOrder place(const feedback::RecordType& type, std::vector<Unit> units,
             const std::vector<std::size_t>& groups) {
  RecordOrder order;
  std::uint64_t used = 0;
  std::size_t group = 0, left = groups.empty() ? 0 : groups[0];
  while (!units.empty()) {
    while (left == 0 && group + 1 < groups.size()) left = groups[++group];
    const auto end = left != 0 ? units.begin() + static_cast<std::ptrdiff_t>(left) : units.end();
    if (left != 0) left--;
    const auto fits = [&](const Unit& u) { return order.bytes % u.align == 0; };
    const auto best = std::max_element(units.begin(), end, [&](const Unit& a, const Unit& b) {
      if (a.at_end != b.at_end) return a.at_end;
      if (fits(a) != fits(b)) return fits(b);
      return fits(a) ? a.align < b.align : a.align > b.align;
    });
    const Unit unit = *best;
    units.erase(best);
    order.bytes = round_up(order.bytes, unit.align);
    const std::uint64_t first = type.fields[unit.first].offset;
    for (std::size_t i = 0; i < unit.fields; i++)
      order.fields.push_back({unit.first + i,
                               order.bytes + type.fields[unit.first + i].offset - first,
                               i == 0 ? unit.heat : 0, i == 0 ? unit.bytes : 0});
    order.bytes += unit.bytes;
    used += unit.bytes;
  }
  order.bytes = round_up(order.bytes, std::max(type.align, 1u));
  order.padding = order.bytes - used;
  count_lines(order);
  return order;
}

const FieldHeat* find_heat(const std::map<std::string, FieldHeat>& heat,
                           const feedback::Field& field) {
  const auto at = heat.find(field.name);
  return at == heat.end() || field.name.empty() ? nullptr : &at->second;
}

std::uint64_t together(const std::map<std::string, FieldHeat>& heat, const std::string& a,
                       const std::string& b) {
  for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)})
    if (const auto at = heat.find(x); at != heat.end())
      if (const auto pair = at->second.together.find(y); pair != at->second.together.end())
        return pair->second;
  return 0;
}

// Sorts the first HOT units by lines, as the head says; returns how many each has.
std::vector<std::size_t> group_by_lines(const feedback::RecordType& type,
                                        const std::map<std::string, FieldHeat>& heat,
                                        std::vector<Unit>& units, std::size_t hot) {
  std::vector<std::size_t> groups;
  const auto begin = units.begin();
  for (std::size_t done = 0; done < hot;) {
    std::uint64_t bytes = units[done].bytes;
    std::size_t size = 1;
    for (;;) {
      std::size_t best = hot;
      std::uint64_t most = 0;
      for (std::size_t i = done + size; i < hot; i++) {
        if (bytes + units[i].bytes > k_line) continue;
        std::uint64_t affinity = 0;
        for (std::size_t j = done; j < done + size; j++)
          affinity += together(heat, type.fields[units[i].first].name,
                               type.fields[units[j].first].name);
        if (best == hot || affinity > most) best = i, most = affinity;
      }
      if (best == hot) break;
      bytes += units[best].bytes;
      const auto to = begin + static_cast<std::ptrdiff_t>(done + size);
      std::rotate(to, begin + static_cast<std::ptrdiff_t>(best),
                  begin + static_cast<std::ptrdiff_t>(best + 1));
      size++;
    }
    groups.push_back(size);
    done += size;
  }
  return groups;
}

// Visits of a line with these fields.
std::uint64_t line_visits(const std::map<std::string, FieldHeat>& heat,
                          const std::vector<std::string>& fields) {
  std::uint64_t sum = 0, most = 0;
  for (const std::string& f : fields) {
    const std::uint64_t visits = heat.at(f).all_visits();
    sum += visits;
    most = std::max(most, visits);
  }
  struct Pair {
    std::uint64_t count;
    std::size_t a, b;
  };
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < fields.size(); a++)
    for (std::size_t b = a + 1; b < fields.size(); b++)
      if (const std::uint64_t n = together(heat, fields[a], fields[b])) pairs.push_back({n, a, b});
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& x, const Pair& y) { return x.count > y.count; });
  std::vector<std::size_t> tree(fields.size());
  std::iota(tree.begin(), tree.end(), std::size_t{0});
  for (const Pair& p : pairs) {
    const std::size_t from = tree[p.a], to = tree[p.b];
    if (from == to) continue;
    std::replace(tree.begin(), tree.end(), from, to);
    sum -= std::min(sum, p.count);
  }
  return std::max(sum, most);
}

}  // namespace

double lines_per_visit(const RecordOrder& order, const feedback::RecordType& type,
                       const std::map<std::string, FieldHeat>& heat) {
  constexpr std::uint64_t k_malloc_align = 16;
  double touched = 0;
  std::uint64_t visits = 0;
  std::vector<std::string> all;
  for (const Placed& p : order.fields)
    if (const FieldHeat* h = find_heat(heat, type.fields[p.field]); h && h->all_visits())
      all.push_back(type.fields[p.field].name);
  visits = line_visits(heat, all);
  if (visits == 0) return 0;
  for (std::uint64_t start = 0; start < k_line; start += k_malloc_align) {
    std::map<std::uint64_t, std::vector<std::string>> lines;
    for (const Placed& p : order.fields) {
      const feedback::Field& field = type.fields[p.field];
      const FieldHeat* h = find_heat(heat, field);
      if (!h || !h->all_visits()) continue;
      // Of a long field, a visit touches the beginning.
      lines[(start + p.offset) / k_line].push_back(field.name);
    }
    for (const auto& [line, fields] : lines)
      touched += static_cast<double>(line_visits(heat, fields));
  }
  return touched * k_malloc_align / k_line / static_cast<double>(visits);
}

std::map<std::string, std::map<std::string, FieldHeat>> field_heat(
    const feedback::Profile& profile) {
  std::map<std::string, std::map<std::string, FieldHeat>> heat;
  for (const feedback::FieldUse& use : profile.fields) {
    FieldHeat& field = heat[use.type][use.field];
    field.loads = use.loads;
    field.stores = use.stores;
    field.visits = use.visits;
    field.misses = use.misses;
    for (const auto& other : use.together) field.together[other.field] = other.count;
  }
  const bool measured = !heat.empty();
  for (const feedback::Module& module : profile.modules)
    for (const feedback::Function& function : module.functions)
      for (const feedback::Site& site : function.sites) {
        if (site.type.empty() || site.field.empty()) continue;
        const std::string name = site.field.substr(0, site.field.find('.'));
        if (measured && (!heat.contains(site.type) || !heat[site.type].contains(name))) continue;
        FieldHeat& field = heat[site.type][name];
        field.error.add(site);
        if (measured) continue;
        (site.kind == feedback::Access::load ? field.loads : field.stores) += site.executions;
      }
  return heat;
}

RecordOrder present_order(const feedback::RecordType& type,
                      const std::map<std::string, FieldHeat>& heat) {
  RecordOrder order;
  order.bytes = type.bytes;
  std::uint64_t used = 0;
  for (const Unit& unit : units_of(type, heat)) {
    for (std::size_t i = 0; i < unit.fields; i++)
      order.fields.push_back({unit.first + i, type.fields[unit.first + i].offset,
                               i == 0 ? unit.heat : 0, i == 0 ? unit.bytes : 0});
    used += unit.bytes;
  }
  order.padding = type.bytes - std::min(used, type.bytes);
  count_lines(order);
  return order;
}

OrderProposal propose_order(const feedback::RecordType& type,
                           const std::map<std::string, FieldHeat>& heat) {
  OrderProposal advice;
  const RecordOrder present = present_order(type, heat);
  advice.order = present;
  std::vector<Unit> units = units_of(type, heat);
  std::uint64_t all = 0;
  for (const Unit& unit : units) all += unit.heat;
  if (all == 0) {
    advice.reason = "no access to its fields was measured";
    return advice;
  }
  if (type.packed) {
    advice.reason = "it is packed, so its order is probably that of a file or a device";
    return advice;
  }
  std::sort(units.begin(), units.end(), hotter);
  std::size_t hot = 0;
  for (std::uint64_t sum = 0; static_cast<double>(sum) < k_hot_share * static_cast<double>(all);
       hot++) {
    if (units[hot].at_end) break;
    sum += units[hot].heat;
    advice.hot_bytes += units[hot].bytes;
  }
  const std::vector<std::size_t> groups = group_by_lines(type, heat, units, hot);
  RecordOrder proposed = place(type, units, groups);
  if (proposed.bytes > type.bytes) proposed = place(type, units, {});
  advice.proposed = proposed;
  advice.better = proposed.bytes <= type.bytes &&
                  (proposed.hot_lines < present.hot_lines || proposed.bytes < type.bytes);
  advice.reason = advice.better ? "" : "no order is better by much";
  if (advice.better) advice.order = proposed;

  advice.split = type.bytes > k_line && advice.hot_bytes + sizeof(void*) <= type.bytes / 2;
  return advice;
}

}  // namespace memprof::decide
