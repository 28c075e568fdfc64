// show_privatisation.cc - memprof show --privatisation: memory of which each iteration
// of a loop could have its own.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/show_rows.h"

namespace memprof::cli {
namespace {

using namespace feedback;

std::vector<const Privatisation*> top_rows(const ProfileView& view, std::size_t top) {
  return ranked(view.profile().privatisation, top,
                [](const Privatisation& r) { return r.loads + r.stores; });
}

const char* verdict(const Privatisation& r) {
  if (r.exposed != 0) return "no: reads what comes in";
  if (r.rewritten == 0) return "not needed";
  return r.live_out != 0 ? "candidate; the last one is used" : "candidate";
}

}  // namespace

std::string privatisation_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"loads", true}, {"exposed", true}, {"stores", true}, {"rewritten", true},
               {"live out", true}, {"own copies"}, {"loop"}, {"memory", false, k_memory}});
  const auto rows = top_rows(view, top);
  for (const Privatisation* r : rows)
    table.add_row({grouped(r->loads), grouped(r->exposed), grouped(r->stores),
                   grouped(r->rewritten), grouped(r->live_out), verdict(*r),
                   view.loop_name(r->loop), view.group_name(r->group)});
  return section(title("Privatisation", rows.size(), view.profile().privatisation.size(),
                       "; seen in these runs, never a proof"),
                 table, style);
}

void privatisation_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const Privatisation* r : top_rows(view, top)) {
    json.open_object();
    json.member("loop", view.loop_name(r->loop));
    json.member("group", view.group_name(r->group));
    json.member("loads", r->loads);
    json.member("exposed", r->exposed);
    json.member("stores", r->stores);
    json.member("rewritten", r->rewritten);
    json.member("live_out", r->live_out);
    json.member("verdict", verdict(*r));
    json.close_object();
  }
}

}  // namespace memprof::cli
