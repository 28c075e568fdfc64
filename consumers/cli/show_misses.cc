// show_misses.cc - memprof show --misses: what the model of the caches says.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ranked by what the misses cost, roughly: a miss in the last level of the cache
// counts like 16 in the first level, one in the second like 4, one in the TLB
// like 4.
#include "consumers/cli/show_rows.h"

namespace memprof::cli {
namespace {

using namespace feedback;

std::uint64_t cost(const Cache& r) { return r.l1 + 4 * r.l2 + 16 * r.llc + 4 * r.tlb; }

std::vector<const Cache*> top_misses(const ProfileView& view, std::size_t top) {
  return ranked(view.profile().cache, top, cost);
}

}  // namespace

std::string misses_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"executions", true}, {"L1", true}, {"L2", true}, {"last level", true},
               {"TLB", true}, {"where"}, {"expression", false, k_expression},
               {"memory", false, k_memory}});
  const auto rows = top_misses(view, top);
  for (const Cache* r : rows) {
    const ProfileView::SiteRef* site = view.site(r->site);
    table.add_row({site ? estimate_text(site->site->executions, site->site->error) : "", count_text(r->l1, r->errors.l1),
                   count_text(r->l2, r->errors.l2), count_text(r->llc, r->errors.llc), count_text(r->tlb, r->errors.tlb),
                   view.site_name(r->site), site ? site->site->expression : "",
                   memory_text(view, *r)});
  }
  const std::string model = "; estimates for " + printable(view.profile().run.caches);
  return section(title("Cache misses", rows.size(), view.profile().cache.size(), model.c_str()),
                 table, style);
}

void misses_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const Cache* r : top_misses(view, top)) {
    json.open_object();
    json.member("site", r->site);
    json.member("where", view.site_name(r->site));
    json.member("group", memory_text(view, *r));
    json.member("l1", r->l1);
    json.member("l2", r->l2);
    json.member("llc", r->llc);
    json.member("tlb", r->tlb);
    json.member("l1_error", r->errors.l1);
    json.member("l2_error", r->errors.l2);
    json.member("llc_error", r->errors.llc);
    json.member("tlb_error", r->errors.tlb);
    json.close_object();
  }
}

}  // namespace memprof::cli
