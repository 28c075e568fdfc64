// memory_view.cc - the sites and the groups of objects that most accesses go to.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>

#include "consumers/cli/export/cost_rows.h"
#include "consumers/cli/report/report_data.h"
#include "consumers/cli/show_rows.h"
#include "feedback/row_keys.h"

namespace memprof::cli {
namespace {

using namespace feedback;

void put_misses(JsonReport& json, const std::uint64_t* misses) {
  for (std::size_t i = k_l1; i < k_metrics; i++) json.member(k_cost_metrics[i].name, misses[i - k_l1]);
}

void put_site(JsonReport& json, const ProfileView& view, const CostRow& row) {
  const ProfileView::SiteRef& ref = *row.site;
  const Site& s = *ref.site;
  json.open_object();
  json.member("site", s.id);
  json.member("file", brief(ref.file()));
  json.member("line", s.line);
  json.member("column", s.column);
  json.member("function", brief(ref.function->name));
  json.member("expression", brief(s.expression));
  json.member("kind", kind_name(s.kind));
  json.member("width", s.width);
  json.member("executions", s.executions);
  json.member("error", s.error);
  put_misses(json, &row.costs[k_l1]);
  json.member("stride", stride_text(view.stride(s.id)));
  json.member("memory", brief(view.main_group(s.id)));
  json.close_object();
}

using Misses = std::array<std::uint64_t, k_metrics - k_l1>;

std::map<Id, Misses> misses_by_group(const Profile& p) {
  std::map<Id, Misses> groups;
  for (const Cache& r : p.cache) {
    Misses& m = groups[r.group];
    const std::uint64_t row[] = {r.l1, r.l2, r.llc, r.tlb};
    for (std::size_t i = 0; i < m.size(); i++) add_count(m[i], row[i]);
  }
  return groups;
}

void put_group(JsonReport& json, const Group& g, const Misses& misses) {
  json.open_object();
  json.member("group", g.id);
  json.member("name", brief(ProfileView::group_name(g)));
  json.member("kind", kind_name(g.kind));
  json.member("type", brief(g.type));
  json.member("file", brief(g.file));
  json.member("line", g.line);
  json.member("function", brief(g.function));
  json.member("context", brief(g.context));
  json.member("objects", g.objects);
  json.member("bytes", g.bytes);
  json.member("span", g.span);
  json.member("accesses", g.accesses);
  put_misses(json, misses.data());
  json.close_object();
}

}  // namespace

void memory_view(JsonReport& json, const ReportInput& in) {
  const ProfileView& view = in.view;
  const auto all = cost_rows(view);
  json.key("sites");
  json.open_object();
  json.member("all", all.size());
  json.member("executions", view.executions());
  json.key("rows");
  json.open_array();
  for (const CostRow* row : ranked(all, k_report_sites, [](const CostRow& r) {
         return r.site->site->executions;
       }))
    put_site(json, view, *row);
  json.close_array();
  json.close_object();

  auto misses = misses_by_group(view.profile());
  json.key("groups");
  json.open_object();
  json.member("all", view.profile().groups.size());
  json.key("rows");
  json.open_array();
  for (const Group* g : ranked(view.profile().groups, k_report_groups, &Group::accesses))
    put_group(json, *g, misses[g->id]);
  json.close_array();
  json.close_object();
}

}  // namespace memprof::cli
