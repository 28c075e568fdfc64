// show_sharing.cc - memprof show --sharing: lines that threads take from each other.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/show_rows.h"

namespace memprof::cli {
namespace {

using namespace feedback;

// False sharing first: it can go.
std::vector<const Sharing*> top_sharing(const ProfileView& view, std::size_t top) {
  return ranked(view.profile().sharing, top, [](const Sharing& r) {
    return std::pair(r.other_bytes, r.same_bytes);
  });
}

}  // namespace

std::string sharing_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"false", true}, {"true", true}, {"where"}, {"expression", false, k_expression},
               {"written at"}, {"expression", false, k_expression}, {"memory", false, k_memory}});
  const auto rows = top_sharing(view, top);
  for (const Sharing* r : rows) {
    const ProfileView::SiteRef* site = view.site(r->site);
    const ProfileView::SiteRef* source = view.site(r->source);
    table.add_row({grouped(r->other_bytes), grouped(r->same_bytes), view.site_name(r->site),
                   site ? site->site->expression : "", view.site_name(r->source),
                   source ? source->site->expression : "", view.main_group(r->site)});
  }
  return section(title("Sharing", rows.size(), view.profile().sharing.size(),
                       "; lines that another thread has written since: other bytes, the same"),
                 table, style);
}

void sharing_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const Sharing* r : top_sharing(view, top)) {
    json.open_object();
    json.member("site", r->site);
    json.member("where", view.site_name(r->site));
    json.member("written_at", view.site_name(r->source));
    json.member("false", r->other_bytes);
    json.member("true", r->same_bytes);
    json.close_object();
  }
}

}  // namespace memprof::cli
