// cmd_explain.cc - memprof explain: all that is known about one line of source.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>

#include "consumers/cli/advice.h"
#include "consumers/cli/call_path.h"
#include "consumers/cli/command.h"
#include "consumers/cli/loop_report.h"
#include "consumers/cli/place.h"
#include "consumers/cli/show_tables.h"
#include "consumers/cli/table.h"
#include "feedback/reader.h"
#include "feedback/reuse_curve.h"

namespace memprof::cli {
namespace {

using namespace feedback;
using SiteRef = ProfileView::SiteRef;

const Option k_options[] = {
    {"decisions", "FILE", "the rebuilt program, or what -fprofile-mem-remarks= wrote (default: the program beside the profile)"},
};

constexpr std::size_t k_rows = 5;  // of each list in a site's paragraph

double ratio(std::uint64_t a, std::uint64_t b) {
  return b ? static_cast<double>(a) / static_cast<double>(b) : 0;
}

void line(const char* label, const std::string& text) {
  std::printf("  %-13s %s\n", label, printable(text).c_str());
}

// The rows of ALL that name SITE in the given role, most frequent first.
template <typename Row>
std::vector<const Row*> rows_with(const std::vector<Row>& all, Id site, Id Row::*role) {
  std::vector<const Row*> rows;
  for (const Row& d : all)
    if (d.*role == site) rows.push_back(&d);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row* a, const Row* b) { return a->count > b->count; });
  return rows;
}

std::string expression_at(const ProfileView& view, Id id) {
  const SiteRef* r = view.site(id);
  return view.site_name(id) +
         (r && !r->site->expression.empty() ? " (" + r->site->expression + ")" : "");
}

std::string dependence_text(const ProfileView& view, const Dependence& d, Id other) {
  std::string s = percent(d.frequency) + " " + kind_name(d.kind) + " " +
                  expression_at(view, other);
  if (d.loop == k_none)
    return s + ", no loop in common" +
           (d.concurrent ? ", " + grouped(d.concurrent) + " from another thread meanwhile" : "");
  s += ", loop at " + view.loop_name(d.loop) + ": ";
  if (!d.carried) return s + "same iteration";
  if (d.intra) s += grouped(d.intra) + " in the same iteration, ";
  s += grouped(d.carried) + " carried, distance " + grouped(d.distance.min);
  if (d.distance.max != d.distance.min) s += " to " + grouped(d.distance.max);
  return s;
}

// Of sample mode: no burst saw the two meet.
std::string dependence_text(const ProfileView& view, const InferredDependence& d, Id other) {
  return percent(d.frequency) + " " + k_inferred + " " + expression_at(view, other);
}

void print_dependences(const ProfileView& view, Id site) {
  const Profile& p = view.profile();
  auto list = [&](const auto& all, const char* label, auto role, auto other) {
    auto rows = rows_with(all, site, role);
    for (std::size_t i = 0; i < std::min(rows.size(), k_rows); ++i)
      line(i ? "" : label, dependence_text(view, *rows[i], rows[i]->*other));
    if (rows.size() > k_rows) line("", "and " + grouped(rows.size() - k_rows) + " more");
  };
  list(p.dependences, "written by", &Dependence::sink, &Dependence::source);
  list(p.inferred_dependences, "perhaps by", &InferredDependence::sink,
       &InferredDependence::source);
  list(p.dependences, "read by", &Dependence::source, &Dependence::sink);
  list(p.inferred_dependences, "perhaps by", &InferredDependence::source,
       &InferredDependence::sink);
}

std::string times_text(const Loop& loop) {
  return estimate_text(loop.invocations, loop.invocations_error) +
         (loop.invocations == 1 ? " time" : " times");
}

void print_loop(const ProfileView& view, const SiteRef& ref) {
  for (Id id = ref.site->loop; id != k_none;) {
    const ProfileView::LoopRef* r = view.loop(id);
    if (!r) break;
    line(id == ref.site->loop ? "loop" : "inside",
         ProfileView::where(*r) + ": entered " + times_text(*r->loop) + ", " +
             per_entry_text(*r->loop) +
             (r->loop->iterations == r->loop->invocations ? " iteration each" : " iterations each"));
    id = r->loop->parent;
  }
}

void print_stride(const Stride& s) {
  std::string text = stride_text(&s);
  if (text != "irregular")
    text = signed_bytes(s.dominant) + " bytes in " + percent(s.share) + ": " +
           class_meaning(s.klass);
  line("stride", text);
  if (text == "irregular") return;
  std::string histogram;
  for (std::size_t i = 0; i < std::min(s.histogram.size(), k_rows); ++i)
    histogram += (i ? ", " : "") + signed_bytes(s.histogram[i].stride) + " x " +
                 grouped(s.histogram[i].count);
  if (s.histogram.size() > 1) line("", histogram);
  if (!s.within_object.histogram.empty())
    line("", "within objects " + signed_bytes(s.within_object.dominant) + " in " +
                 percent(s.within_object.share));
}

void print_memory(const ProfileView& view, Id site) {
  const PointsTo* row = view.points_to(site);
  if (!row) return;
  std::uint64_t total = 0;
  for (const auto& target : row->groups) total += target.count;
  std::vector<PointsTo::Target> targets = row->groups;
  std::stable_sort(targets.begin(), targets.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  for (std::size_t i = 0; i < std::min(targets.size(), k_rows); ++i) {
    std::string text = percent(ratio(targets[i].count, total)) + " " +
                       view.group_name(targets[i].group);
    if (const Group* g = view.group(targets[i].group))
      text += ": " + counted(g->objects, "object") + ", at most " + size_text(g->span) +
              " alive" + (g->type.empty() ? "" : ", " + g->type);
    line(i ? "" : "memory", text);
  }
  if (targets.size() > k_rows) line("", "and " + grouped(targets.size() - k_rows) + " more");
}

// The compiled function, those inlined into it around REF, and the code of system headers.
void print_path(const SiteRef& ref) {
  line("function", shortened(ref.function->name) + " in " + ref.module->file);
  const std::vector<PathStep> path = call_path(ref);
  for (std::size_t i = 1; i < path.size(); i++)
    line(i == 1 ? "inlines" : "", shortened(*path[i].function) + " at " + *path[i - 1].file + ":" +
                                      std::to_string(path[i - 1].line));
  std::string header;
  for (const Frame* call : header_path(ref)) header += (header.empty() ? "" : " > ") + shortened(call->name);
  if (!header.empty()) line("calls", header);
  if (!ref.site->header.empty()) line("header", ref.site->header);
}

// What a call on the line leads to, HOW: each line of it.
void print_below(const ProfileView& view, const char* how, const std::vector<const SiteRef*>& sites) {
  if (sites.empty()) return;
  struct Line {
    std::uint64_t executions = 0;
    std::string text;
  };
  std::map<std::string, Line> lines;
  std::uint64_t all = 0;
  for (const SiteRef* ref : sites) {
    Line& here = lines[ref->file() + ":" + std::to_string(ref->site->line)];
    add_count(here.executions, ref->site->executions);
    add_count(all, ref->site->executions);
    if (here.text.empty()) here.text = function_text(*ref) + ": " + ref->site->expression;
  }
  std::printf("%s: %s (%s of the program's)\n", how, counted(all, "access", "accesses").c_str(),
              percent(ratio(all, view.executions())).c_str());
  std::vector<std::pair<std::string, Line>> order(lines.begin(), lines.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second.executions > b.second.executions;
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    std::printf("  %6s  %s  %s\n", percent(ratio(order[i].second.executions, view.executions())).c_str(),
                printable(order[i].first).c_str(), printable(shortened(order[i].second.text)).c_str());
}

// Modelled misses of SITE, all its rows together.
Cache misses_of(const Profile& p, Id site) {
  Cache sum;
  for (const Cache& row : p.cache)
    if (row.site == site) add_row(sum, row);
  return sum;
}

void print_misses(const ProfileView& view, const Site& site) {
  const Cache sum = misses_of(view.profile(), site.id);
  std::string text;
  for (const auto& [level, n, error] : {std::tuple("L1", sum.l1, sum.errors.l1), std::tuple("L2", sum.l2, sum.errors.l2),
                                        std::tuple("last level", sum.llc, sum.errors.llc),
                                        std::tuple("TLB", sum.tlb, sum.errors.tlb)})
    if (n) text += (text.empty() ? "" : ", ") + std::string(level) + " " + count_text(n, error);
  if (!text.empty()) line("misses", text);
  std::vector<Reuse::Point> curve;
  for (const Reuse& row : view.profile().reuse)
    if (row.site == site.id) curve = sum_of(curve, row.lines);
  if (curve.empty()) return;
  constexpr double k_line = 64;
  constexpr unsigned k_first = 15, k_last = 27;  // 32 KB, 128 KB, ... 128 MB
  text.clear();
  for (unsigned bits = k_first; bits <= k_last; bits += 2)
    text += (text.empty() ? "" : ", ") + size_text(std::uint64_t{1} << bits) + " " +
            percent(misses_at(curve, std::ldexp(1, static_cast<int>(bits)) / k_line) /
                    static_cast<double>(std::max<std::uint64_t>(site.executions, 1)));
  line("by cache", text);
}

// Those about the expression, and of a line with one site all.
void print_decisions(const std::vector<decide::Decision>& decisions, const SiteRef& ref) {
  for (const decide::Decision& d : decisions)
    if (d.place.file == ref.file() && d.place.line == ref.site->line && d.place.expression == ref.site->expression)
      line(d.take() ? "rebuild: yes" : d.open() ? "rebuild: ?" : "rebuild: no",
           (d.take() ? decide::name(d.transformation) + std::string(": ") : "") + d.text);
}

void print_site(const ProfileView& view, const std::vector<decide::Decision>& decisions, const SiteRef& ref,
                const Style& style) {
  const Site& site = *ref.site;
  std::string head = ProfileView::where(ref) + ": " + kind_name(site.kind) +
                     (site.width ? " of " + counted(site.width, "byte") : " of varying size") +
                     (site.expression.empty() ? "" : ": " + site.expression);
  std::printf("%s\n", style.heading(printable(head)).c_str());
  print_path(ref);
  if (!site.type.empty())
    line("field", site.type + (site.field.empty() ? "" : " ." + site.field));
  line("executions", estimate_text(site.executions, site.error) + " (" +
                         percent(ratio(site.executions, view.executions())) + " of the program's)");
  print_loop(view, ref);
  print_misses(view, site);
  if (const Stride* s = view.stride(site.id); s && s->executions > 1) print_stride(*s);
  print_memory(view, site.id);
  for (const ObjectRelative& o : view.profile().object_relative)
    if (o.site == site.id)
      line("pattern", (o.v2.lmads.empty()
                           ? "no linear one in the accesses to " + view.group_name(o.group)
                           : percent(ratio(o.v2.captured, o.accesses)) + " of the accesses to " +
                                 view.group_name(o.group) + " in " +
                                 counted(o.v2.lmads.size(), "linear descriptor")));
  print_dependences(view, site.id);
  print_decisions(decisions, ref);
}

void json_dependences(const ProfileView& view, JsonReport& json, const char* key, Id site,
                      Id Dependence::*role, Id Dependence::*other) {
  json.key(key);
  json.open_array();
  for (const Dependence* d : rows_with(view.profile().dependences, site, role)) {
    json.open_object();
    json.member("where", view.site_name(d->*other));
    json.member("kind", kind_name(d->kind));
    json.member("count", d->count);
    json.member("frequency", d->frequency);
    json.member("loop", view.loop_name(d->loop));
    json.member("intra", d->intra);
    json.member("carried", d->carried);
    json.member("no_loop", d->no_loop);
    json.member("concurrent", d->concurrent);
    json.close_object();
  }
  json.close_array();
}

void json_inferred(const ProfileView& view, JsonReport& json, const char* key, Id site,
                   Id InferredDependence::*role, Id InferredDependence::*other) {
  const auto rows = rows_with(view.profile().inferred_dependences, site, role);
  if (rows.empty()) return;
  json.key(key);
  json.open_array();
  for (const InferredDependence* d : rows) {
    json.open_object();
    json.member("where", view.site_name(d->*other));
    json.member("count", d->count);
    json.member("frequency", d->frequency);
    json.close_object();
  }
  json.close_array();
}

void json_site(const ProfileView& view, const SiteRef& ref, JsonReport& json) {
  const Site& site = *ref.site;
  json.open_object();
  json.member("where", ProfileView::where(ref));
  json.member("function", ref.function->name);
  if (const auto path = call_path(ref); path.size() > 1) {
    json.key("inlined");
    json.open_array();
    for (std::size_t i = 1; i < path.size(); i++) {
      json.open_object();
      json.member("function", *path[i].function);
      json.member("at", *path[i - 1].file + ":" + std::to_string(path[i - 1].line));
      json.close_object();
    }
    json.close_array();
  }
  if (!ref.site->header.empty()) json.member("header", ref.site->header);
  json.member("kind", kind_name(site.kind));
  json.member("width", site.width);
  json.member("expression", site.expression);
  json.member("executions", site.executions);
  if (const auto* loop = view.loop(site.loop)) {
    json.member("loop", ProfileView::where(*loop));
    json.member("iterations_per_entry", ratio(loop->loop->iterations, loop->loop->invocations));
  }
  if (view.has_section("cache")) {
    const Cache sum = misses_of(view.profile(), site.id);
    for (const auto& [name, n] : {std::pair("l1", sum.l1), std::pair("l2", sum.l2), std::pair("llc", sum.llc), std::pair("tlb", sum.tlb)})
      json.member(name, n);
  }
  if (const Stride* s = view.stride(site.id)) {
    json.member("stride", s->dominant);
    json.member("stride_share", s->share);
    json.member("stride_class", class_name(s->klass));
  }
  if (const PointsTo* row = view.points_to(site.id)) {
    json.key("memory");
    json.open_array();
    for (const auto& target : row->groups) {
      json.open_object();
      json.member("group", view.group_name(target.group));
      json.member("accesses", target.count);
      json.close_object();
    }
    json.close_array();
  }
  json_dependences(view, json, "written_by", site.id, &Dependence::sink, &Dependence::source);
  json_dependences(view, json, "read_by", site.id, &Dependence::source, &Dependence::sink);
  json_inferred(view, json, "perhaps_written_by", site.id, &InferredDependence::sink,
                &InferredDependence::source);
  json_inferred(view, json, "perhaps_read_by", site.id, &InferredDependence::source,
                &InferredDependence::sink);
  json.close_object();
}

int nothing_there(const Arguments& arguments, const Place& place, const PlaceMatch& match) {
  std::string text = arguments.operands()[1] + ": no site was executed here";
  if (!match.file_known)
    text = arguments.operands()[1] + ": no site of a file " + place.file + " was executed";
  else if (match.nearest_line != place.line)
    text += "; the nearest one is in line " + std::to_string(match.nearest_line);
  if (arguments.json()) std::printf("{\"sites\": []}\n");
  fail(text);
  return k_negative;
}

int run(const Arguments& arguments) {
  auto place = parse_place(arguments.operands()[1]);
  if (!place)
    return fail("explain: expected FILE:LINE or FILE:LINE:COLUMN, found '" +
                arguments.operands()[1] + "'");
  auto profile = read_profile(arguments.operands()[0], feedback::Input::descriptor_too);
  if (!profile) return fail(profile.error());
  ProfileView view(*profile);
  PlaceMatch match = find_sites(view, *place);
  if (match.sites.empty() && match.inlined.empty() && match.called.empty()) return nothing_there(arguments, *place, match);
  if (arguments.json()) {
    JsonReport json;
    json.open_object();
    json.key("sites");
    json.open_array();
    for (const SiteRef* ref : match.sites) json_site(view, *ref, json);
    json.close_array();
    for (const auto& [name, sites] : {std::pair("inlined", &match.inlined), std::pair("called", &match.called)}) {
      if (sites->empty()) continue;
      json.key(name);
      json.open_array();
      for (const SiteRef* ref : *sites) json_site(view, *ref, json);
      json.close_array();
    }
    json.close_object();
    std::fputs(json.text().c_str(), stdout);
    return k_ok;
  }
  const auto decisions = known_decisions(view, arguments.operands()[0], arguments.value("decisions"));
  if (!decisions) return fail(decisions.error());
  Style style = Style::of(stdout);
  for (std::size_t i = 0; i < match.sites.size(); ++i) {
    if (i) std::printf("\n");
    print_site(view, decisions->all, *match.sites[i], style);
  }
  if (!match.sites.empty() && !(match.inlined.empty() && match.called.empty())) std::printf("\n");
  print_below(view, "inlined here", match.inlined);
  print_below(view, "in functions of headers that are called here, for all their callers", match.called);
  return k_ok;
}

}  // namespace

const Command k_explain_command = {
    "explain",
    "PROFILE FILE:LINE[:COLUMN]",
    "say all that is known about the accesses of one source line",
    "Prints a paragraph for each access site on that line: how often, in which\n"
    "loop, at which strides, to which objects, what misses, which stores wrote what it reads, and\n"
    "what the rebuild decides. What is inlined with a call on the line is summed up.\n"
    "FILE may be shorter or longer than the name in the profile.",
    k_options, 2, 2, false, run};

}  // namespace memprof::cli
