// show_values.cc - memprof show --values and --silent-stores.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cinttypes>
#include <cstdio>

#include "consumers/cli/show_rows.h"

namespace memprof::cli {
namespace {

using namespace feedback;

// Constant values first, then those that are seldom another one.
std::vector<const Value*> top_values(const ProfileView& view, std::size_t top) {
  return ranked(view.profile().values, top, [](const Value& r) {
    return std::pair(r.values.size() == 1 || r.affine ? r.executions : r.repeats, r.executions);
  });
}

std::string bits(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, value < 100000 ? "%" PRIu64 : "0x%" PRIx64, value);
  return text;
}

std::string pattern(const Value& r) {
  if (r.values.size() == 1) return "always " + bits(r.min);
  if (r.affine)
    return bits(r.first) + ", " + (r.step < 0 ? "" : "+") + std::to_string(r.step) + " each time";
  std::string text;
  for (const Value::Entry& e : r.values)
    text += (text.empty() ? "" : ", ") + bits(e.value) + " (" +
            percent(ratio(e.count, r.executions)) + ")";
  return text.empty() ? bits(r.min) + " to " + bits(r.max) : text;
}

std::vector<const SilentStore*> top_silent_stores(const ProfileView& view, std::size_t top) {
  return ranked(view.profile().silent_stores, top,
                [](const SilentStore& r) { return r.silent; });
}

}  // namespace

std::string values_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"executions", true}, {"as before", true}, {"value", false, k_memory}, {"kind"},
               {"where"}, {"expression", false, k_expression}});
  const auto rows = top_values(view, top);
  for (const Value* r : rows) {
    const ProfileView::SiteRef* site = view.site(r->site);
    table.add_row({grouped(r->executions), percent(ratio(r->repeats, r->executions)), pattern(*r),
                   site && site->site->kind == Access::store ? "store" : "load",
                   view.site_name(r->site), site ? site->site->expression : ""});
  }
  return section(title("Values", rows.size(), view.profile().values.size(), "; as unsigned bits"),
                 table, style);
}

void values_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const Value* r : top_values(view, top)) {
    json.open_object();
    json.member("site", r->site);
    json.member("where", view.site_name(r->site));
    json.member("executions", r->executions);
    json.member("repeats", r->repeats);
    json.member("min", r->min);
    json.member("max", r->max);
    json.member("pattern", pattern(*r));
    json.close_object();
  }
}

std::string silent_stores_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"silent", true}, {"of", true}, {"share", true}, {"where"},
               {"expression", false, k_expression}, {"memory", false, k_memory}});
  const auto rows = top_silent_stores(view, top);
  for (const SilentStore* r : rows) {
    const ProfileView::SiteRef* site = view.site(r->site);
    const std::uint64_t all = site ? site->site->executions : 0;
    table.add_row({grouped(r->silent), grouped(all), percent(ratio(r->silent, all)),
                   view.site_name(r->site), site ? site->site->expression : "",
                   view.main_group(r->site)});
  }
  return section(title("Silent stores", rows.size(), view.profile().silent_stores.size(),
                       "; of the value that was there already"),
                 table, style);
}

void silent_stores_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const SilentStore* r : top_silent_stores(view, top)) {
    json.open_object();
    json.member("site", r->site);
    json.member("where", view.site_name(r->site));
    json.member("silent", r->silent);
    json.close_object();
  }
}

}  // namespace memprof::cli
