// show_dead_stores.cc - memprof show --dead-stores: values that are never read.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/show_rows.h"

namespace memprof::cli {
namespace {

using namespace feedback;

std::vector<const DeadStore*> top_dead_stores(const ProfileView& view, std::size_t top) {
  return ranked(view.profile().dead_stores, top, [](const DeadStore& r) { return r.dead; });
}

}  // namespace

std::string dead_stores_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"dead", true}, {"of", true}, {"share", true}, {"where"},
               {"expression", false, k_expression}, {"memory", false, k_memory}});
  const auto rows = top_dead_stores(view, top);
  for (const DeadStore* r : rows) {
    const ProfileView::SiteRef* site = view.site(r->site);
    const std::uint64_t all = site ? site->site->executions : 0;
    table.add_row({grouped(r->dead), grouped(all), percent(ratio(r->dead, all)),
                   view.site_name(r->site), site ? site->site->expression : "",
                   view.main_group(r->site)});
  }
  return section(title("Dead stores", rows.size(), view.profile().dead_stores.size(),
                       "; overwritten or freed before instrumented code read them"),
                 table, style);
}

void dead_stores_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const DeadStore* r : top_dead_stores(view, top)) {
    json.open_object();
    json.member("site", r->site);
    json.member("where", view.site_name(r->site));
    json.member("dead", r->dead);
    json.close_object();
  }
}

}  // namespace memprof::cli
