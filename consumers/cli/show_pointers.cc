// show_pointers.cc - memprof show --pointers: what pointers point to.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/show_rows.h"

namespace memprof::cli {
namespace {

using namespace feedback;

std::vector<const PointerUse*> top_pointers(const ProfileView& view, std::size_t top) {
  return ranked(view.profile().pointers, top, [](const PointerUse& r) { return r.count; });
}

std::string place_of(const ProfileView& view, const PointerUse& r) {
  if (r.at != k_none) {
    const ProfileView::SiteRef* ref = view.site(r.at);
    return view.site_name(r.at) + (ref ? " " + printable(ref->site->expression) : "");
  }
  return (r.argument ? "argument " + std::to_string(r.argument) : std::string("result")) +
         " of " + printable(r.function);
}

std::string target_of(const ProfileView& view, const PointerUse& r) {
  switch (r.target) {
    case PointerTarget::null: return "null";
    case PointerTarget::unknown: return "unknown";
    case PointerTarget::many: return "many";
    default:
      return view.group_name(r.group) +
             (r.allocated.empty() ? "" : " from " + printable(r.allocated));
  }
}

}  // namespace

std::string pointers_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"count", true}, {"at the end", true}, {"where"}, {"in", false, k_function},
               {"to", false, k_memory}});
  const auto rows = top_pointers(view, top);
  for (const PointerUse* r : rows)
    table.add_row({grouped(r->count), grouped(r->ends), place_of(view, *r),
                   r->context.empty() ? "-" : printable(r->context), target_of(view, *r)});
  return section(title("Pointers", rows.size(), view.profile().pointers.size()), table, style);
}

void pointers_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const PointerUse* r : top_pointers(view, top)) {
    json.open_object();
    json.member("where", place_of(view, *r));
    json.member("context", r->context);
    json.member("target", target_of(view, *r));
    json.member("count", r->count);
    json.member("ends", r->ends);
    json.close_object();
  }
}

}  // namespace memprof::cli
