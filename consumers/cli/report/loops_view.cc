// loops_view.cc - trip counts, strides and carried dependences of the busiest loops.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Strides are those of the sites whose innermost loop it is.
#include <algorithm>
#include <map>

#include "consumers/cli/line_costs.h"
#include "consumers/cli/loop_report.h"
#include "consumers/cli/report/report_data.h"
#include "consumers/cli/show_rows.h"

namespace memprof::cli {
namespace {

using namespace feedback;

constexpr std::size_t k_carried = 10;  // rows for each loop

unsigned depth(const ProfileView& view, const Loop& loop) {
  unsigned n = 0;
  for (Id id = loop.parent; id != k_none && n < 100; n++) {
    const auto* outer = view.loop(id);
    if (!outer) break;
    id = outer->loop->parent;
  }
  return n;
}

void put_carried(JsonReport& json, const ProfileView& view, std::vector<const Dependence*> rows,
                 const LoopReport& report) {
  std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    return a->carried > b->carried;
  });
  json.member("carried_all", rows.size());
  if (rows.size() > k_carried) rows.resize(k_carried);
  json.key("carried");
  json.open_array();
  for (const Dependence* d : rows) {
    const auto* source = view.site(d->source);
    const auto* sink = view.site(d->sink);
    json.open_object();
    json.member("kind", kind_name(d->kind));
    json.member("source", view.site_name(d->source));
    json.member("source_expression", source ? brief(source->site->expression) : "");
    json.member("sink", view.site_name(d->sink));
    json.member("sink_expression", sink ? brief(sink->site->expression) : "");
    json.member("count", d->carried);
    json.member("frequency", d->frequency);
    json.member("min", d->distance.min);
    json.member("max", d->distance.max);
    json.member("reduction", std::find(report.reductions.begin(), report.reductions.end(), d) !=
                                 report.reductions.end());
    json.close_object();
  }
  json.close_array();
}

}  // namespace

void loops_view(JsonReport& json, const ReportInput& in) {
  const ProfileView& view = in.view;
  std::map<Id, StrideMix> strides;
  for (const auto& ref : view.sites())
    if (const Stride* row = view.stride(ref.site->id)) strides[ref.site->loop].add(*row, ref.site->width);
  std::map<Id, std::vector<const Dependence*>> carried;
  for (const Dependence& d : view.profile().dependences)
    if (d.carried && d.loop != k_none) carried[d.loop].push_back(&d);
  json.key("loops");
  json.open_object();
  json.member("all", view.loops().size());
  json.key("rows");
  json.open_array();
  for (const auto* ref : ranked(view.loops(), k_report_loops, &ProfileView::LoopRef::executions)) {
    if (ref->executions == 0 && ref->loop->iterations == 0) continue;
    const LoopReport report = report_loop(view, *ref);
    const StrideMix& mix = strides[ref->loop->id];
    json.open_object();
    json.member("file", brief(ref->file()));
    json.member("line", ref->loop->line);
    json.member("function", brief(ref->function->name));
    json.member("depth", depth(view, *ref->loop));
    json.member("invocations", ref->loop->invocations);
    json.member("iterations", ref->loop->iterations);
    json.member("invocations_error", ref->loop->invocations_error);
    json.member("per_entry", per_entry_text(*ref->loop));
    json.member("executions", ref->executions);
    json.member("unit", mix.unit);
    json.member("constant", mix.constant);
    json.member("irregular", mix.irregular);
    json.member("advice", report.advice);
    json.key("privatisable");
    json.open_array();
    for (const auto& p : report.privatisable) json.value(brief(view.group_name(p.group)));
    json.close_array();
    put_carried(json, view, carried[ref->loop->id], report);
    json.close_object();
  }
  json.close_array();
  json.close_object();
}

}  // namespace memprof::cli
