// show_loops.cc - memprof show --loops: trip counts, and what the loops carry.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A table, and below it one paragraph per loop of it for which there is more to
// say (loop_report.h).
#include "consumers/cli/loop_report.h"
#include "consumers/cli/show_rows.h"

#include <algorithm>

namespace memprof::cli {
namespace {

using namespace feedback;
using LoopRef = ProfileView::LoopRef;

// Lines of each kind in a paragraph.
constexpr std::size_t k_lines = 4;

auto top_loops(const ProfileView& view, std::size_t top) {
  return ranked(view.loops(), top, [](const LoopRef& r) { return r.executions; });
}

// The dependences that LOOP carries: how many rows and the highest frequency.
std::pair<std::size_t, double> carried(const ProfileView& view, Id loop) {
  std::pair<std::size_t, double> result{};
  for (const Dependence& d : view.profile().dependences)
    if (d.loop == loop && d.carried && d.kind == DependenceKind::raw) {
      ++result.first;
      result.second = std::max(result.second, d.frequency);
    }
  return result;
}

std::string name_of(const ProfileView& view, Id site) {
  const ProfileView::SiteRef* ref = view.site(site);
  const std::string expression = ref ? ref->site->expression : "";
  return view.site_name(site) + (expression.empty() ? "" : " " + printable(expression));
}

std::string distance_of(const Dependence& d) {
  if (d.distance.min == d.distance.max) return std::to_string(d.distance.min);
  return std::to_string(d.distance.min) + " to " + grouped(d.distance.max);
}

// What there is to say about a loop, indented; empty: nothing.
std::string paragraph(const ProfileView& view, const LoopRef& ref) {
  const LoopReport report = report_loop(view, ref);
  std::string text;
  std::size_t n = 0;
  for (const Dependence* d : report.carried) {
    if (++n > k_lines) break;
    const bool update = std::find(report.reductions.begin(), report.reductions.end(), d) !=
                        report.reductions.end();
    text += std::string(update ? "    reduction? " : "    carried    ") + percent(d->frequency) +
            ": " + name_of(view, d->source) + " -> " + name_of(view, d->sink) + ", distance " +
            distance_of(*d) + "\n";
  }
  if (report.carried.size() > k_lines)
    text += "    and " + std::to_string(report.carried.size() - k_lines) + " more\n";
  const std::string runs = counted(view.profile().run.runs, "run");
  for (const auto& [group, row] : report.privatisable)
    text += "    private?   " + view.group_name(group) + ": in " + runs +
            " each iteration wrote what it read" +
            (row && row->live_out != 0 ? ", and the last value is used after the loop" : "") +
            ": candidate, never a proof\n";
  for (const Lifetime* l : report.short_lived)
    text += "    short-lived " + view.group_name(l->group) + ": " + counted(l->objects, "object") +
            ", each of one iteration\n";
  if (!report.advice.empty()) text += "    " + report.advice + "\n";
  return text.empty() ? text
                      : "\n  loop " + ProfileView::where(ref) + " in " +
                            shortened(printable(ref.function->name)) + "\n" + text;
}

void report_json(const ProfileView& view, const LoopReport& report, JsonReport& json) {
  json.key("carried");
  json.open_array();
  for (const Dependence* d : report.carried) {
    json.open_object();
    json.member("source", name_of(view, d->source));
    json.member("sink", name_of(view, d->sink));
    json.member("frequency", d->frequency);
    json.member("distance_min", d->distance.min);
    json.member("distance_max", d->distance.max);
    json.member("reduction", std::find(report.reductions.begin(), report.reductions.end(), d) !=
                                 report.reductions.end());
    json.close_object();
  }
  json.close_array();
  json.key("privatisable");
  json.open_array();
  for (const auto& [group, row] : report.privatisable) {
    json.open_object();
    json.member("group", view.group_name(group));
    json.member("measured", row != nullptr);
    if (row) {
      json.member("loads", row->loads);
      json.member("stores", row->stores);
      json.member("rewritten", row->rewritten);
      json.member("last_used", row->live_out != 0);
    }
    json.close_object();
  }
  json.close_array();
  json.key("short_lived");
  json.open_array();
  for (const Lifetime* l : report.short_lived) {
    json.open_object();
    json.member("group", view.group_name(l->group));
    json.member("objects", l->objects);
    json.close_object();
  }
  json.close_array();
  json.member("advice", report.advice);
}

std::string loops_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"share", true}, {"invocations", true}, {"iterations", true},
               {"per entry", true}, {"sites", true}, {"carried RAW"}, {"where"},
               {"function", false, k_function}});
  auto rows = top_loops(view, top);
  for (const LoopRef* r : rows) {
    auto [count, frequency] = carried(view, r->loop->id);
    std::string text = "-";
    if (view.has_section("dependences") && count)
      text = std::to_string(count) + ", up to " + percent(frequency);
    table.add_row({percent(ratio(r->executions, view.executions())),
                   estimate_text(r->loop->invocations, r->loop->invocations_error),
                   estimate_text(r->loop->iterations, r->loop->iterations_error),
                   per_entry_text(*r->loop),
                   std::to_string(r->sites), text, ProfileView::where(*r), r->function->name});
  }
  std::string paragraphs;
  for (const LoopRef* r : rows) paragraphs += paragraph(view, *r);
  return section(title("Loops", rows.size(), view.loops().size()), table, style) +
         paragraphs;
}

void loops_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const LoopRef* r : top_loops(view, top)) {
    auto [count, frequency] = carried(view, r->loop->id);
    json.open_object();
    json.member("loop", r->loop->id);
    json.member("where", ProfileView::where(*r));
    json.member("function", r->function->name);
    json.member("invocations", r->loop->invocations);
    json.member("iterations", r->loop->iterations);
    json.member("invocations_error", r->loop->invocations_error);
    json.member("iterations_error", r->loop->iterations_error);
    json.member("sites", r->sites);
    json.member("executions", r->executions);
    json.member("carried_raw", count);
    json.member("carried_raw_frequency", frequency);
    report_json(view, report_loop(view, *r), json);
    json.close_object();
  }
}

}  // namespace

constinit const ShowTable show_loops = {"loops", nullptr, nullptr, loops_text, loops_json};

}  // namespace memprof::cli
