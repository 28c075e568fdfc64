// layout.cc - a better order for the fields of a record.
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
//      the accesses.  They come first.
//   3. At each place comes the unit with the greatest alignment of those that
//      are aligned there, among these the one with more accesses per byte; where
//      none is, the place stays empty (padding).
//   4. If that makes the record larger than it is, all units in one go by 3.
//
// It is worth something if the lines that hold 95 % of the accesses become
// fewer, or the record smaller.  Accesses to fields that are used together
// count on one line whatever their order, so this is a lower bound of what
// affinity could do.
#include "consumers/decide/layout.h"

#include <algorithm>

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

// How many lines, the hottest first, hold 95 % of the accesses.
void count_lines(Layout& layout) {
  std::vector<std::uint64_t> lines(round_up(layout.bytes, k_line) / k_line);
  std::uint64_t all = 0;
  for (const Placed& p : layout.fields) {
    // Accesses to a long field are spread over its lines.
    const std::uint64_t first = p.offset / k_line;
    const std::uint64_t last = (p.offset + std::max<std::uint64_t>(p.bytes, 1) - 1) / k_line;
    for (std::uint64_t l = first; l <= last && l < lines.size(); l++)
      lines[l] += p.heat / (last - first + 1);
    all += p.heat;
  }
  std::sort(lines.rbegin(), lines.rend());
  std::uint64_t sum = 0;
  layout.lines = lines.size();
  for (std::uint64_t heat : lines) {
    if (static_cast<double>(sum) >= k_hot_share * static_cast<double>(all)) break;
    sum += heat;
    layout.hot_lines++;
  }
}

// The first HOT units, then the others.
Layout place(const feedback::RecordType& type, std::vector<Unit> units, std::size_t hot) {
  Layout layout;
  std::uint64_t used = 0;
  while (!units.empty()) {
    const auto end = hot != 0 ? units.begin() + static_cast<std::ptrdiff_t>(hot) : units.end();
    if (hot != 0) hot--;
    // Units are sorted by accesses per byte.
    const auto fits = [&](const Unit& u) { return layout.bytes % u.align == 0; };
    const auto best = std::max_element(units.begin(), end, [&](const Unit& a, const Unit& b) {
      if (a.at_end != b.at_end) return a.at_end;
      if (fits(a) != fits(b)) return fits(b);
      return fits(a) ? a.align < b.align : a.align > b.align;
    });
    const Unit unit = *best;
    units.erase(best);
    layout.bytes = round_up(layout.bytes, unit.align);
    const std::uint64_t first = type.fields[unit.first].offset;
    for (std::size_t i = 0; i < unit.fields; i++)
      layout.fields.push_back({unit.first + i,
                               layout.bytes + type.fields[unit.first + i].offset - first,
                               i == 0 ? unit.heat : 0, i == 0 ? unit.bytes : 0});
    layout.bytes += unit.bytes;
    used += unit.bytes;
  }
  layout.bytes = round_up(layout.bytes, std::max(type.align, 1u));
  layout.padding = layout.bytes - used;
  count_lines(layout);
  return layout;
}

}  // namespace

std::map<std::string, std::map<std::string, FieldHeat>> field_heat(
    const feedback::Profile& profile) {
  std::map<std::string, std::map<std::string, FieldHeat>> heat;
  for (const feedback::Module& module : profile.modules)
    for (const feedback::Function& function : module.functions)
      for (const feedback::Site& site : function.sites) {
        if (site.type.empty() || site.field.empty()) continue;
        FieldHeat& field = heat[site.type][site.field.substr(0, site.field.find('.'))];
        (site.kind == feedback::Access::load ? field.loads : field.stores) += site.executions;
      }
  return heat;
}

Layout present_layout(const feedback::RecordType& type,
                      const std::map<std::string, FieldHeat>& heat) {
  Layout layout;
  layout.bytes = type.bytes;
  std::uint64_t used = 0;
  for (const Unit& unit : units_of(type, heat)) {
    for (std::size_t i = 0; i < unit.fields; i++)
      layout.fields.push_back({unit.first + i, type.fields[unit.first + i].offset,
                               i == 0 ? unit.heat : 0, i == 0 ? unit.bytes : 0});
    used += unit.bytes;
  }
  layout.padding = type.bytes - std::min(used, type.bytes);
  count_lines(layout);
  return layout;
}

LayoutAdvice decide_layout(const feedback::RecordType& type,
                           const std::map<std::string, FieldHeat>& heat) {
  LayoutAdvice advice;
  const Layout present = present_layout(type, heat);
  advice.layout = present;
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
    sum += units[hot].heat;
    advice.hot_bytes += units[hot].bytes;
  }
  Layout proposed = place(type, units, hot);
  if (proposed.bytes > type.bytes) proposed = place(type, units, 0);
  advice.better = proposed.bytes <= type.bytes &&
                  (proposed.hot_lines < present.hot_lines || proposed.bytes < type.bytes);
  advice.reason = advice.better ? "" : "no order is better by much";
  if (advice.better) advice.layout = proposed;

  advice.split = type.bytes > k_line && advice.hot_bytes + sizeof(void*) <= type.bytes / 2;
  return advice;
}

}  // namespace memprof::decide
