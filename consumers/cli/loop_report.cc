// loop_report.cc - what keeps the iterations of a loop from running side by side.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// From the flow dependences (the last writer of what a load reads), by loop:
//
//   * carried: a load reads what an earlier iteration of this loop wrote. This
//     alone orders iterations.
//   * reduction: such a pair of a load and a store of the same expression, as in
//     total += x or count[k]++. Each thread can have a copy that is added up in
//     the end, if the operation allows it, which a profile does not know.
//   * privatisable: memory that sites of the loop write and read, where every
//     value that is read was written in the same iteration. Each iteration could
//     have a copy of its own; its value after the loop is not needed,
//     because no load outside reads it. The module `privatisation' says so by object
//     and exactly, also for what is read after the loop and for sites that access
//     several groups; without it, it follows from dependences.
//   * short-lived: objects that the module `lifetime' saw born and dead in one
//     iteration.
//
// A profile of sample mode has inferred dependences, too, which may be carried by any
// loop or by none. They make a report say less: their memory is not privatisable, and a
// loop with both ends of one is no candidate for anything.
//
// All of it is what happened in the runs of the profile. Another input may do
// something else: a hint where to look, never a proof.
#include "consumers/cli/loop_report.h"

#include <algorithm>
#include <map>
#include <set>

#include "consumers/cli/table.h"

namespace memprof::cli {
namespace {

using namespace feedback;

// Ids of the loop and of those inside it in its function.
std::set<Id> nest(const ProfileView::LoopRef& ref) {
  std::set<Id> loops = {ref.loop->id};
  for (bool more = true; more;) {
    more = false;
    for (const Loop& l : ref.function->loops)
      if (l.parent != k_none && loops.contains(l.parent) && loops.insert(l.id).second)
        more = true;
  }
  return loops;
}

// The sites in LOOPS.
std::set<Id> sites_in(const ProfileView::LoopRef& ref, const std::set<Id>& loops) {
  std::set<Id> inside;
  for (const Site& s : ref.function->sites)
    if (loops.contains(s.loop)) inside.insert(s.id);
  return inside;
}

// The group that takes nearly all accesses of a site; k_none: there is none.
Id only_group(const ProfileView& view, Id site) {
  const PointsTo* row = view.points_to(site);
  return row && row->groups.size() == 1 ? row->groups[0].group : k_none;
}

bool update_p(const ProfileView& view, const Dependence& d) {
  const auto* source = view.site(d.source);
  const auto* sink = view.site(d.sink);
  return source && sink && source->function == sink->function &&
         !sink->site->expression.empty() &&
         source->site->expression == sink->site->expression &&
         source->site->width == sink->site->width &&
         source->site->loop == sink->site->loop;
}

struct GroupUse {
  bool written = false, read = false, spoilt = false;
};

std::vector<Id> privatisable(const ProfileView& view, const ProfileView::LoopRef& ref) {
  const std::set<Id> loops = nest(ref), inside = sites_in(ref, loops);
  std::map<Id, GroupUse> groups;
  for (const Site& s : ref.function->sites) {
    if (!inside.contains(s.id)) continue;
    const Id group = only_group(view, s.id);
    if (group != k_none)
      (s.kind == Access::store ? groups[group].written : groups[group].read) = true;
  }
  const auto spoil = [&](const auto& d) {
    for (Id site : {d.source, d.sink})
      if (const Id group = only_group(view, site); group != k_none) groups[group].spoilt = true;
  };
  std::set<Id> fed;  // loads that read what the loop wrote
  for (const Dependence& d : view.profile().dependences) {
    if (d.kind != DependenceKind::raw) continue;
    const bool from = inside.contains(d.source), to = inside.contains(d.sink);
    if (from && to) fed.insert(d.sink);
    const bool same_iteration =
        from && to && (d.loop == ref.loop->id ? d.carried == 0 : loops.contains(d.loop));
    if ((from || to) && !same_iteration) spoil(d);
  }
  for (const InferredDependence& d : view.profile().inferred_dependences)
    if (inside.contains(d.source) || inside.contains(d.sink)) spoil(d);
  // A load that never met a writer reads what was there before.
  for (Id site : inside)
    if (const auto* s = view.site(site); s->site->kind == Access::load && !fed.contains(site))
      if (const Id group = only_group(view, site); group != k_none) groups[group].spoilt = true;
  std::vector<Id> result;
  for (const auto& [group, use] : groups)
    if (use.written && use.read && !use.spoilt) result.push_back(group);
  return result;
}

// Whether what the loop loads another thread has stored meanwhile.
bool concurrent_p(const ProfileView& view, const ProfileView::LoopRef& ref) {
  const std::set<Id> inside = sites_in(ref, nest(ref));
  return std::ranges::any_of(view.profile().dependences, [&](const Dependence& d) {
    return d.concurrent != 0 && d.kind == DependenceKind::raw && inside.contains(d.sink);
  });
}

// Of the inferred dependences whose ends are both in the loop, the greatest frequency.
double inferred_in(const ProfileView& view, const ProfileView::LoopRef& ref) {
  const std::set<Id> inside = sites_in(ref, nest(ref));
  double frequency = 0;
  for (const InferredDependence& d : view.profile().inferred_dependences)
    if (inside.contains(d.source) && inside.contains(d.sink))
      frequency = std::max(frequency, d.frequency);
  return frequency;
}

}  // namespace

std::string per_entry_text(const Loop& loop) {
  if (loop.invocations == 0) return "-";
  const double each = static_cast<double>(loop.iterations) / static_cast<double>(loop.invocations);
  constexpr double k_hardly_known = 0.5;
  if (loop.invocations_error < k_hardly_known) return decimal(each);
  return "at least " + decimal(std::max(each / (1 + loop.invocations_error), 1.0));
}

LoopReport report_loop(const ProfileView& view, const ProfileView::LoopRef& ref) {
  LoopReport report;
  const Profile& p = view.profile();
  for (const Dependence& d : p.dependences)
    if (d.loop == ref.loop->id && d.carried && d.kind == DependenceKind::raw) {
      report.carried.push_back(&d);
      if (update_p(view, d)) report.reductions.push_back(&d);
    }
  std::stable_sort(report.carried.begin(), report.carried.end(),
                   [](const auto* a, const auto* b) { return a->frequency > b->frequency; });
  for (const Lifetime& l : p.lifetimes)
    if (l.loop == ref.loop->id && l.always) report.short_lived.push_back(&l);
  if (!view.has_section("dependences")) {
    report.advice = "the module dependence was not on";
    return report;
  }
  if (view.has_section("privatisation")) {
    for (const Privatisation& r : p.privatisation)
      if (r.loop == ref.loop->id && r.exposed == 0 && r.rewritten != 0)
        report.privatisable.push_back({r.group, &r});
  } else if (view.has_section("points_to")) {
    for (const Id group : privatisable(view, ref)) report.privatisable.push_back({group});
  }
  const std::string seen = " in " + counted(p.run.runs, "run") + ", " +
                           counted(ref.loop->iterations, "iteration");
  if (ref.loop->iterations == 0)
    report.advice = "its iterations were not counted: no module asked for this loop";
  else if (ref.loop->iterations < 2 * ref.loop->invocations)
    report.advice = "too few iterations per entry to say anything";
  else if (const double inferred = inferred_in(view, ref))
    report.advice = "inferred dependences of up to " + percent(inferred) + seen +
                    ", which the loop may carry: a profile of full mode would tell";
  else if (concurrent_p(view, ref))
    report.advice = "reads what another thread stored meanwhile" + seen +
                    ": its iterations depend on each other through that thread";
  else if (report.carried.empty())
    report.advice = "no carried RAW" + seen +
                    ": candidate for OpenMP (seen, not proven)";
  else if (report.carried.size() == report.reductions.size())
    report.advice = "only reductions are carried" + seen +
                    ": candidate for OpenMP with reduction (seen, not proven)";
  else if (report.carried[0]->frequency < 0.01)
    report.advice = "carried RAW in less than 1 % of the executions" + seen +
                    ": candidate for speculation";
  return report;
}

}  // namespace memprof::cli
