// memory_view.cc - the sites and the groups of objects that most accesses go to.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "consumers/cli/container_name.h"
#include "consumers/cli/export/cost_rows.h"
#include "consumers/cli/report/report_data.h"
#include "consumers/cli/show_rows.h"
#include "consumers/decide/whole.h"
#include "feedback/reuse_curve.h"
#include "feedback/model.h"

namespace memprof::cli {
namespace {

using namespace feedback;

// Of a site or a group: the sum of all rows about it.
struct MemoryCost {
  Cache cache;
  std::vector<Reuse::Point> curve;  // lines
};

struct MemoryCosts {
  explicit MemoryCosts(const Profile& p) {
    for (const Cache& r : p.cache)
      for (MemoryCost* cost : {&sites[r.site], &groups[r.group]}) add_row(cost->cache, r);
    for (const Reuse& r : p.reuse)
      for (MemoryCost* cost : {&sites[r.site], &groups[r.group]})
        cost->curve = sum_of(cost->curve, r.lines);
  }
  std::map<Id, MemoryCost> sites, groups;
};

// `curve': misses of caches of 32 KB, 64 KB, ... 1 GB.
void put_cost(JsonReport& json, const MemoryCost& cost) {
  constexpr unsigned k_least_bits = 15, k_most_bits = 30, k_line_bits = 6;
  const Cache& c = cost.cache;
  const std::uint64_t misses[] = {c.l1, c.l2, c.llc, c.tlb};
  const std::uint64_t errors[] = {c.errors.l1, c.errors.l2, c.errors.llc, c.errors.tlb};
  for (std::size_t i = k_l1; i < k_metrics; i++) {
    const char* const name = k_cost_metrics[i].name;
    json.member(name, misses[i - k_l1]);
    if (errors[i - k_l1] != 0) json.member((std::string(name) + "_error").c_str(), errors[i - k_l1]);
  }
  if (cost.curve.empty()) return;
  json.key("curve");
  json.open_array();
  for (unsigned bits = k_least_bits; bits <= k_most_bits; bits++)
    json.value(decide::whole(
        misses_at(cost.curve, std::ldexp(1.0, static_cast<int>(bits - k_line_bits)))));
  json.close_array();
}

void put_site(JsonReport& json, const ProfileView& view, const CostRow& row,
              const MemoryCost& cost) {
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
  put_cost(json, cost);
  json.member("stride", stride_text(view.stride(s.id)));
  json.member("memory", brief(view.main_group(s.id)));
  json.close_object();
}

void put_group(JsonReport& json, const Group& g, const MemoryCost& cost) {
  json.open_object();
  json.member("group", g.id);
  json.member("name", brief(ProfileView::group_name(g)));
  json.member("kind", kind_name(g.kind));
  json.member("type", brief(container_name(g.type)));
  json.member("file", brief(g.file));
  json.member("line", g.line);
  json.member("function", brief(g.function));
  json.member("context", brief(g.context));
  json.member("objects", g.objects);
  json.member("bytes", g.bytes);
  json.member("span", g.span);
  json.member("accesses", g.accesses);
  json.member("error", g.error);
  put_cost(json, cost);
  json.close_object();
}

}  // namespace

void memory_view(JsonReport& json, const ReportInput& in) {
  const ProfileView& view = in.view;
  const auto all = cost_rows(view);
  MemoryCosts costs(view.profile());
  json.key("sites");
  json.open_object();
  json.member("all", all.size());
  json.member("executions", view.executions());
  json.key("rows");
  json.open_array();
  for (const CostRow* row : ranked(all, k_report_sites, [](const CostRow& r) {
         return r.site->site->executions;
       }))
    put_site(json, view, *row, costs.sites[row->site->site->id]);
  json.close_array();
  json.close_object();

  json.key("groups");
  json.open_object();
  json.member("all", view.profile().groups.size());
  json.key("rows");
  json.open_array();
  for (const Group* g : ranked(view.profile().groups, k_report_groups, &Group::accesses))
    put_group(json, *g, costs.groups[g->id]);
  json.close_array();
  json.close_object();
}

}  // namespace memprof::cli
