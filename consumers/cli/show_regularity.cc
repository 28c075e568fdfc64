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

#include "consumers/cli/show_rows.h"
#include "consumers/cli/table.h"
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

// The program first, then what refers most often; TOP = 0: all.
std::vector<Section> sections(const ProfileView& view, std::size_t top, std::size_t* all) {
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
  *all = out.size();
  if (top != 0 && out.size() > top) out.resize(top);
  return out;
}

std::string fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

}  // namespace

std::string regularity_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"references", true}, {"regular", true}, {"class"}, {"streams", true},
               {"scalar", true}, {"length", true}, {"deviation", true}, {"step", true},
               {"pages", true}, {"period"}, {"looked at", true}, {"change", true}, {"of"}, {"where", false, k_memory}});
  std::size_t all = 0;
  const auto rows = sections(view, top, &all);
  for (const Section& row : rows) {
    const RegularitySummary s = summary(row.sum);
    table.add_row({grouped(s.references), percent(s.regularity), name(s.klass), grouped(s.streams),
                   grouped(s.scalar), fixed(s.length), fixed(s.deviation), fixed(s.step),
                   fixed(s.pages),
                   s.period != 0 ? std::to_string(s.period) + " (" + percent(s.period_share) + ")"
                                 : "-",
                   percent(s.looked), s.looked < 1 ? percent(s.change) : "-", row.what, row.where});
  }
  return section(title("Spatial regularity", rows.size(), all,
                       "; streams of equal steps: means of their elements, bytes, pages"),
                 table, style);
}

void regularity_json(const ProfileView& view, std::size_t top, feedback::JsonReport& json) {
  std::size_t all = 0;
  for (const Section& row : sections(view, top, &all)) {
    const RegularitySummary s = summary(row.sum);
    json.open_object();
    json.member("of", row.what);
    json.member("where", row.where);
    json.member("references", s.references);
    json.member("regularity", s.regularity);
    json.member("class", name(s.klass));
    json.member("streams", s.streams);
    json.member("scalar", s.scalar);
    json.member("length", s.length);
    json.member("deviation", s.deviation);
    json.member("step", s.step);
    json.member("pages", s.pages);
    json.member("period", s.period);
    json.member("period_share", s.period_share);
    json.member("looked", s.looked);
    json.member("change", s.change);
    json.close_object();
  }
}

}  // namespace memprof::cli
