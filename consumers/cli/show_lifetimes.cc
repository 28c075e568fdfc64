// show_lifetimes.cc - memprof show --lifetimes: how long objects live.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/show_rows.h"

namespace memprof::cli {
namespace {

using namespace feedback;

std::vector<const Lifetime*> top_lifetimes(const ProfileView& view, std::size_t top) {
  return ranked(view.profile().lifetimes, top,
                [](const Lifetime& l) { return l.objects + l.alive; });
}

}  // namespace

std::string lifetimes_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"objects", true}, {"still alive", true}, {"shortest", true}, {"mean", true},
               {"longest", true}, {"in one iteration of"}, {"in one call of", false, k_function},
               {"memory", false, k_memory}});
  const auto rows = top_lifetimes(view, top);
  for (const Lifetime* l : rows)
    table.add_row({grouped(l->objects), grouped(l->alive), grouped(l->min),
                   decimal(ratio(l->total, l->objects)), grouped(l->max),
                   view.loop_name(l->loop) + (l->always ? ", always" : ""),
                   l->function.empty() ? "-" : printable(l->function),
                   view.group_name(l->group) + (l->context.empty() ? "" : " from " + printable(l->context))});
  return section(title("Lifetimes", rows.size(), view.profile().lifetimes.size(),
                       view.profile().run.mode == "objects"
                           ? "; in births of objects"
                           : "; in accesses of the program"),
                 table, style);
}

void lifetimes_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const Lifetime* l : top_lifetimes(view, top)) {
    json.open_object();
    json.member("group", view.group_name(l->group));
    json.member("loop", view.loop_name(l->loop));
    json.member("objects", l->objects);
    json.member("alive", l->alive);
    json.member("min", l->min);
    json.member("max", l->max);
    json.member("total", l->total);
    json.member("always", l->always);
    json.member("function", l->function);
    json.member("context", l->context);
    json.close_object();
  }
}

}  // namespace memprof::cli
