// show_tables.cc - the tables of `memprof show', each as text and as JSON.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each table ranks its rows by what costs time: executions for sites, strides
// and loops, accesses for groups, count for dependences; ties keep the order of
// the document, so the same profile always prints the same text.
#include "consumers/cli/show_tables.h"

#include <algorithm>
#include <iterator>

#include "consumers/cli/show_rows.h"

namespace memprof::cli {
namespace {

using namespace feedback;

using SiteRef = ProfileView::SiteRef;

auto top_sites(const ProfileView& view, std::size_t top) {
  return ranked(view.sites(), top, [](const SiteRef& r) { return r.site->executions; });
}

std::string sites_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"share", true}, {"executions", true}, {"kind"}, {"bytes", true}, {"where"},
               {"function", false, k_function}, {"expression", false, k_expression},
               {"stride"}, {"memory", false, k_memory}});
  auto rows = top_sites(view, top);
  for (const SiteRef* r : rows)
    table.add_row({percent(ratio(r->site->executions, view.executions())),
                   estimate_text(r->site->executions, r->site->error), kind_name(r->site->kind),
                   width_text(*r->site), ProfileView::where(*r), r->function->name,
                   r->site->expression, stride_text(view.stride(r->site->id)),
                   view.main_group(r->site->id)});
  return section(title("Access sites", rows.size(), view.sites().size()), table, style);
}

void sites_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const SiteRef* r : top_sites(view, top)) {
    json.open_object();
    json.member("site", r->site->id);
    json.member("where", ProfileView::where(*r));
    json.member("function", r->function->name);
    json.member("expression", r->site->expression);
    json.member("kind", kind_name(r->site->kind));
    json.member("width", r->site->width);
    json.member("executions", r->site->executions);
    json.member("error", r->site->error);
    json.member("share", ratio(r->site->executions, view.executions()));
    if (const Stride* s = view.stride(r->site->id)) {
      json.member("stride", s->dominant);
      json.member("stride_share", s->share);
    }
    json.member("memory", view.main_group(r->site->id));
    json.close_object();
  }
}

auto top_groups(const ProfileView& view, std::size_t top) {
  return ranked(view.profile().groups, top, [](const Group& g) { return g.accesses; });
}

std::string groups_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"share", true}, {"accesses", true}, {"objects", true}, {"bytes", true},
               {"at most", true}, {"kind"}, {"type", false, k_function},
               {"memory", false, k_memory}, {"function", false, k_function}});
  auto rows = top_groups(view, top);
  for (const Group* g : rows)
    table.add_row({percent(ratio(g->accesses, view.profile().run.accesses)),
                   estimate_text(g->accesses, g->error), grouped(g->objects), size_text(g->bytes),
                   size_text(g->span), kind_name(g->kind), g->type.empty() ? "-" : g->type,
                   ProfileView::group_name(*g),
                   g->kind == GroupKind::global || g->function.empty() ? "-" : g->function});
  return section(title("Groups of objects", rows.size(), view.profile().groups.size(),
                       "; at most = greatest number of bytes alive at a time"),
                 table, style);
}

void groups_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const Group* g : top_groups(view, top)) {
    json.open_object();
    json.member("group", g->id);
    json.member("name", ProfileView::group_name(*g));
    json.member("kind", kind_name(g->kind));
    json.member("type", g->type);
    json.member("objects", g->objects);
    json.member("bytes", g->bytes);
    json.member("span", g->span);
    json.member("accesses", g->accesses);
    json.member("error", g->error);
    json.close_object();
  }
}

auto top_strides(const ProfileView& view, std::size_t top) {
  return ranked(view.profile().strides, top, [](const Stride& s) { return s.executions; });
}

std::string strides_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"executions", true}, {"dominant", true}, {"share", true}, {"class"},
               {"in object", true}, {"share", true}, {"where"},
               {"expression", false, k_expression}, {"most frequent"}});
  constexpr std::size_t k_entries = 3;
  auto rows = top_strides(view, top);
  for (const Stride* s : rows) {
    std::string histogram;
    for (std::size_t i = 0; i < std::min(k_entries, s->histogram.size()); ++i)
      histogram += (i ? ", " : "") + signed_bytes(s->histogram[i].stride) + " x " +
                   grouped(s->histogram[i].count);
    const SiteRef* r = view.site(s->site);
    bool within = !s->within_object.histogram.empty();
    table.add_row({grouped(s->executions), signed_bytes(s->dominant), percent(s->share),
                   class_name(s->klass),
                   within ? signed_bytes(s->within_object.dominant) : "-",
                   within ? percent(s->within_object.share) : "-", view.site_name(s->site),
                   r ? r->site->expression : "", histogram});
  }
  return section(title("Strides", rows.size(), view.profile().strides.size(),
                       "; bytes between consecutive executions of a site"),
                 table, style);
}

void strides_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const Stride* s : top_strides(view, top)) {
    json.open_object();
    json.member("site", s->site);
    json.member("where", view.site_name(s->site));
    json.member("executions", s->executions);
    json.member("dominant", s->dominant);
    json.member("share", s->share);
    json.member("class", class_name(s->klass));
    json.member("within_object_dominant", s->within_object.dominant);
    json.member("within_object_share", s->within_object.share);
    json.close_object();
  }
}

// Measured rows and inferred ones in one table.
struct DependenceRow {
  Id source, sink;
  std::uint64_t count;
  double frequency;
  const Dependence* measured;  // or null
  const char* kind() const { return measured ? kind_name(measured->kind) : k_inferred; }
};

std::vector<DependenceRow> all_dependences(const ProfileView& view) {
  std::vector<DependenceRow> rows;
  for (const Dependence& d : view.profile().dependences)
    rows.push_back({d.source, d.sink, d.count, d.frequency, &d});
  for (const InferredDependence& d : view.profile().inferred_dependences)
    rows.push_back({d.source, d.sink, d.count, d.frequency, nullptr});
  return rows;
}

std::string distance_text(const Dependence& d) {
  if (d.loop == k_none) return "-";
  if (d.distance.min == d.distance.max) return std::to_string(d.distance.min);
  return std::to_string(d.distance.min) + ".." + grouped(d.distance.max);
}

std::string dependences_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"frequency", true}, {"count", true}, {"kind"}, {"source"}, {"sink"},
               {"loop"}, {"intra", true}, {"carried", true}, {"no loop", true},
               {"distance", true}});
  const std::vector<DependenceRow> all = all_dependences(view);
  const auto rows = ranked(all, top, &DependenceRow::count);
  for (const DependenceRow* r : rows) {
    const Dependence* d = r->measured;
    table.add_row({percent(r->frequency), grouped(r->count), r->kind(),
                   view.site_name(r->source), view.site_name(r->sink),
                   d ? view.loop_name(d->loop) : "-", d ? grouped(d->intra) : "-",
                   d ? grouped(d->carried) : "-", d ? grouped(d->no_loop) : "-",
                   d ? distance_text(*d) : "-"});
  }
  return section(title("Dependences", rows.size(), all.size(),
                       "; frequency = share of the sink's executions"),
                 table, style);
}

void dependences_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  const std::vector<DependenceRow> all = all_dependences(view);
  for (const DependenceRow* r : ranked(all, top, &DependenceRow::count)) {
    json.open_object();
    json.member("kind", r->kind());
    json.member("source", view.site_name(r->source));
    json.member("sink", view.site_name(r->sink));
    json.member("count", r->count);
    json.member("frequency", r->frequency);
    if (const Dependence* d = r->measured) {
      json.member("loop", view.loop_name(d->loop));
      json.member("intra", d->intra);
      json.member("carried", d->carried);
      json.member("no_loop", d->no_loop);
      json.member("concurrent", d->concurrent);
      json.member("distance_min", d->distance.min);
      json.member("distance_max", d->distance.max);
    }
    json.close_object();
  }
}

auto top_object_relative(const ProfileView& view, std::size_t top) {
  return ranked(view.profile().object_relative, top,
                [](const ObjectRelative& o) { return o.accesses; });
}

std::string object_relative_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"accesses", true}, {"descriptors", true}, {"captured", true}, {"where"},
               {"expression", false, k_expression}, {"memory", false, k_memory}});
  auto rows = top_object_relative(view, top);
  for (const ObjectRelative* o : rows) {
    const SiteRef* r = view.site(o->site);
    table.add_row({grouped(o->accesses), std::to_string(o->v2.lmads.size()),
                   percent(ratio(o->v2.captured, o->accesses)), view.site_name(o->site),
                   r ? r->site->expression : "", view.group_name(o->group)});
  }
  return section(title("Linear descriptors of (object, offset)", rows.size(),
                       view.profile().object_relative.size()),
                 table, style);
}

void object_relative_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const ObjectRelative* o : top_object_relative(view, top)) {
    json.open_object();
    json.member("site", o->site);
    json.member("where", view.site_name(o->site));
    json.member("group", view.group_name(o->group));
    json.member("accesses", o->accesses);
    json.member("lmads", o->v2.lmads.size());
    json.member("captured", o->v2.captured);
    json.close_object();
  }
}

}  // namespace

std::span<const ShowTable> show_tables() {
  static const ShowTable tables[] = {
      {"sites", nullptr, nullptr, sites_text, sites_json},
      {"loops", nullptr, nullptr, loops_text, loops_json},
      {"groups", nullptr, nullptr, groups_text, groups_json},
      {"strides", "strides", "stride", strides_text, strides_json},
      {"dependences", "dependences", "dependence", dependences_text, dependences_json},
      {"object-relative", "object_relative", "object_relative", object_relative_text,
       object_relative_json},
      {"dead-stores", "dead_stores", "dead_store", dead_stores_text, dead_stores_json},
      {"silent-stores", "silent_stores", "silent_store", silent_stores_text,
       silent_stores_json},
      {"mdf", "mdf", "mdf", mdf_text, mdf_json},
      {"never-met", "never_met", "mdf", never_met_text, never_met_json},
      {"regularity", "regularity", "regularity", regularity_text, regularity_json},
      {"sharing", "sharing", "sharing", sharing_text, sharing_json},
      {"privatisation", "privatisation", "privatisation", privatisation_text,
       privatisation_json},
      {"pointers", "pointers", "pointers", pointers_text, pointers_json},
      {"values", "values", "value", values_text, values_json},
      {"lifetimes", "lifetimes", "lifetime", lifetimes_text, lifetimes_json},
      {"misses", "cache", "cache", misses_text, misses_json},
      {"curves", "reuse", "cache", curves_text, curves_json},
      {"pages", "pages", "pages", pages_text, pages_json},
  };
  return tables;
}

std::string stride_text(const Stride* row) {
  if (!row || row->executions < 2) return "-";
  // A dominant stride of a few per mille says nothing.
  constexpr double k_irregular = 0.1;
  if (row->share < k_irregular) return "irregular";
  return signed_bytes(row->dominant) + " (" + percent(row->share) + ")";
}

// "12 calls of functions that are not instrumented and may write memory: qsort_r 9, step 3"
static std::string external_text(const Run& run) {
  if (run.external_calls == 0) return "";
  std::string s = counted(run.external_calls, "call") +
                  " of functions that are not instrumented and may write memory";
  constexpr std::size_t k_most = 6;
  const auto rows = ranked(run.external_functions, k_most, &feedback::ExternalFunction::calls);
  for (const feedback::ExternalFunction* f : rows)
    s += (f == rows.front() ? ": " : ", ") + shortened(printable(f->name)) + " " + grouped(f->calls);
  if (const std::size_t all = run.external_functions.size(); all > rows.size())
    s += " and " + counted(all - rows.size(), "other");
  return s + "\n";
}

std::string overview(const ProfileView& view) {
  const Profile& p = view.profile();
  const Run& run = p.run;
  std::size_t functions = 0;
  for (const Module& m : p.modules) functions += m.functions.size();
  std::string s = printable(p.program.name) + ": " + counted(run.accesses, "access", "accesses") +
                  " (" + counted(run.loads, "load") + ", " + counted(run.stores, "store") +
                  ") to " + counted(run.objects, "object") + " in " + counted(run.runs, "run") +
                  ", " + counted(run.threads, "thread") + "\n";
  s += counted(p.modules.size(), "module") + ", " + counted(functions, "function") + ", " +
       counted(view.sites().size(), "executed site") + ", " +
       counted(view.loops().size(), "loop") + "; mode " + printable(run.mode) + "\n";
  if (!run.complete)
    s += "The profile is incomplete: the program or its profile was cut off.\n";
  s += external_text(run);
  if (run.events_lost) s += counted(run.events_lost, "event") + " could not be recorded.\n";
  return s;
}

}  // namespace memprof::cli
