// show_regularity.cc - memprof show --regularity.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rows of a profile are of sites, in sums. Here they are added up to what people ask
// about: the program, each function, each loop with what is inside it.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "consumers/cli/show_columns.h"
#include "feedback/regularity.h"
#include "feedback/model.h"

namespace memprof::cli {
namespace {

using feedback::Function;
using feedback::Id;
using feedback::Loop;
using feedback::Regularity;
using feedback::RegularitySummary;

struct Section {
  std::string what;  // "program", "function", "loop"
  std::string where;
  Regularity sum;
};

void add_function(const Function& function, const std::string& file,
                  const std::map<Id, const Regularity*>& rows, std::vector<Section>& out) {
  const auto place = [&file](const auto& row) {
    return (row.file.empty() ? file : row.file) + ":" + std::to_string(row.line);
  };
  const std::string where = function.name + " (" + place(function) + ")";
  Section all{"function", printable(where), {}};
  std::map<Id, Section> loops;
  std::map<Id, Id> parents;
  for (const Loop& loop : function.loops) {
    parents[loop.id] = loop.parent;
    loops[loop.id] = {"loop", printable(place(loop) + " in " + function.name), {}};
  }
  for (const feedback::Site& site : function.sites) {
    const auto row = rows.find(site.id);
    if (row == rows.end()) continue;
    add_row(all.sum, *row->second);
    for (Id loop = site.loop; loop != feedback::k_none; loop = parents[loop])
      add_row(loops[loop].sum, *row->second);
  }
  if (all.sum.references == 0) return;
  add_row(out.front().sum, all.sum);
  out.push_back(std::move(all));
  for (auto& [id, loop] : loops)
    if (loop.sum.references != 0) out.push_back(std::move(loop));
}

// The program first, then what refers most often.
std::vector<Section> sections(const ProfileView& view) {
  std::map<Id, const Regularity*> rows;
  for (const Regularity& row : view.profile().regularity) rows[row.site] = &row;
  std::vector<Section> out{{"program", printable(view.profile().program.name), {}}};
  for (const feedback::Module& module : view.profile().modules)
    for (const Function& function : module.functions)
      add_function(function, module.file, rows, out);
  std::stable_sort(out.begin() + 1, out.end(), [](const Section& a, const Section& b) {
    return a.sum.references > b.sum.references;
  });
  if (out.front().sum.references == 0) out.clear();
  return out;
}

std::vector<const Section*> first(const std::vector<Section>& rows, std::size_t top) {
  return ranked(rows, top, [](const Section&) { return 0; });
}

std::string fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

Shown mean(double value) { return {fixed(value), value}; }

// GET of the summary of a row.
template <auto get>
Shown of(const ProfileView&, const Section& row) {
  return get(summary(row.sum));
}

constexpr ShowColumn<Section> k_columns[] = {
    {13, {"of"}, "of", [](const ProfileView&, const Section& row) { return words(row.what); }},
    {14, {"where", false, k_memory}, "where",
     [](const ProfileView&, const Section& row) { return words(row.where); }},
    {1, {"references", true}, "references", of<[](const RegularitySummary& s) { return count(s.references); }>},
    {2, {"regular", true}, "regularity", of<[](const RegularitySummary& s) { return share(s.regularity); }>},
    {3, {"class"}, "class", of<[](const RegularitySummary& s) { return words(name(s.klass)); }>},
    {4, {"streams", true}, "streams", of<[](const RegularitySummary& s) { return count(s.streams); }>},
    {5, {"scalar", true}, "scalar", of<[](const RegularitySummary& s) { return count(s.scalar); }>},
    {6, {"length", true}, "length", of<[](const RegularitySummary& s) { return mean(s.length); }>},
    {7, {"deviation", true}, "deviation", of<[](const RegularitySummary& s) { return mean(s.deviation); }>},
    {8, {"step", true}, "step", of<[](const RegularitySummary& s) { return mean(s.step); }>},
    {9, {"pages", true}, "pages", of<[](const RegularitySummary& s) { return mean(s.pages); }>},
    {10, {"period"}, "period", of<[](const RegularitySummary& s) {
       return Shown{s.period == 0 ? "-" : std::to_string(s.period) + " (" + percent(s.period_share) + ")",
                    std::uint64_t{s.period}};
     }>},
    {0, {}, "period_share", of<[](const RegularitySummary& s) { return only_json(s.period_share); }>},
    {11, {"looked at", true}, "looked", of<[](const RegularitySummary& s) { return share(s.looked); }>},
    {12, {"change", true}, "change", of<[](const RegularitySummary& s) {
       return Shown{s.looked < 1 ? percent(s.change) : "-", s.change};
     }>}};
constexpr Listing<Section, std::vector<Section>> k_regularity = {
    "Spatial regularity", "; streams of equal steps: means of their elements, bytes, pages", sections,
    first, k_columns};

}  // namespace

constinit const ShowTable show_regularity = shown<k_regularity>("regularity", "regularity", "regularity");

}  // namespace memprof::cli
