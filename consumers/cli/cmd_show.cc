// cmd_show.cc - memprof show: the profile as tables.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdio>
#include <deque>
#include <set>
#include <vector>

#include "consumers/cli/advice.h"
#include "consumers/cli/command.h"
#include "consumers/cli/show_pages.h"
#include "consumers/cli/show_tables.h"
#include "feedback/merge.h"
#include "feedback/reader.h"

namespace memprof::cli {
namespace {

constexpr unsigned long k_default_rows = 10;

const Option k_options[] = {
    {"sites", nullptr, "access sites by executions (the default, with --groups)"},
    {"loops", nullptr, "loops: trip counts, carried dependences, what could run side by side"},
    {"groups", nullptr, "objects by the place that allocates or defines them"},
    {"strides", nullptr, "distances between consecutive executions of a site"},
    {"dependences", nullptr, "which load reads what which store wrote"},
    {"object-relative", nullptr, "how much linear descriptors capture"},
    {"dead-stores", nullptr, "stores whose value is never read"},
    {"mdf", nullptr, "how often a load reads what a store has ever written, estimated"},
    {"never-met", nullptr, "loads and stores of a loop that did not meet"},
    {"regularity", nullptr, "which references are in streams of equal steps"},
    {"silent-stores", nullptr, "stores of the value that is there already"},
    {"sharing", nullptr, "cache lines that threads take from each other"},
    {"privatisation", nullptr, "memory of which each iteration of a loop could have its own"},
    {"pointers", nullptr, "objects that pointers point to, by calling contexts"},
    {"values", nullptr, "values that sites load and store: constant, few, affine"},
    {"lifetimes", nullptr, "how long objects live, and in which loops"},
    {"misses", nullptr, "where a model of the caches and the TLB misses"},
    {"curves", nullptr, "misses by the size of the cache (sampled profiles)"},
    {"pages", nullptr, "objects by walks of the page tables and requests to memory"},
    {"phases", nullptr, "which objects ask memory when (module pages)"},
    {"timeline", nullptr, "accesses, misses, live memory and threads over the run"},
    {"all", nullptr, "every table"},
    {"hottest-loop", nullptr, "only FILE:LINE of the loop with the most executions"},
    {"cache", "LIST", "misses for these caches, such as L1=48K,L2=2M,LLC=32M,TLB=1536 (sampled profiles)"},
    {"where", "TEXT", "misses and curves of sites whose place, expression or memory contains TEXT"},
    {"top", "N", "rows of each table (default 10, 0 = all)"},
};

bool wanted(const Arguments& arguments, const ShowTable& table) {
  if (arguments.has("all")) return true;
  bool any = false;
  for (const ShowTable* t : show_tables()) any = any || arguments.has(t->option);
  if (any) return arguments.has(table.option);
  std::string_view name = table.option;
  return name == "sites" || name == "groups";
}

void print_json(const Arguments& arguments, const ProfileView& view, std::size_t top) {
  const feedback::Profile& p = view.profile();
  feedback::JsonReport json;
  json.open_object();
  json.member("program", p.program.name);
  json.member("complete", p.run.complete);
  json.member("runs", p.run.runs);
  json.member("start", p.run.start);
  json.member("host", p.run.host);
  json.key("labels");
  json.open_object();
  for (const feedback::Label& label : p.run.labels) json.member(label.name.c_str(), label.value);
  json.close_object();
  json.member("accesses", p.run.accesses);
  json.member("loads", p.run.loads);
  json.member("stores", p.run.stores);
  json.member("external_calls", p.run.external_calls);
  json.key("external_functions");
  json.open_array();
  for (const feedback::ExternalFunction& f : p.run.external_functions) {
    json.open_object();
    json.member("name", f.name);
    json.member("calls", f.calls);
    json.close_object();
  }
  json.close_array();
  for (const ShowTable* const each : show_tables()) {
    const ShowTable& table = *each;
    if (!wanted(arguments, table)) continue;
    std::string key = table.option;
    std::replace(key.begin(), key.end(), '-', '_');
    json.key(key);
    json.open_array();
    table.json(view, top, json);
    json.close_array();
  }
  json.close_object();
  std::fputs(json.text().c_str(), stdout);
}

// As -fprofile-mem-loops wants it.
int print_hottest_loop(const ProfileView& view) {
  const auto& loops = view.loops();
  const auto hottest = std::max_element(
      loops.begin(), loops.end(),
      [](const auto& a, const auto& b) { return a.executions < b.executions; });
  if (hottest == loops.end() || hottest->executions == 0) {
    std::fputs("memprof: no access of this profile is in a loop\n", stderr);
    return k_negative;
  }
  std::printf("%s\n", ProfileView::where(*hottest).c_str());
  return k_ok;
}

// Runs of one program with more and more threads.
int print_growth(const Arguments& arguments, std::size_t top) {
  std::deque<feedback::Profile> profiles;
  std::vector<ProfileView> views;
  for (const std::string& path : arguments.operands()) {
    auto profile = feedback::read_profile(path, feedback::Input::descriptor_too);
    if (!profile) return fail(profile.error());
    profiles.push_back(std::move(*profile));
    views.emplace_back(profiles.back());
    if (!views.back().has_section("pages"))
      return fail(path + ": the module pages was not on (-fprofile-mem-modules=)");
  }
  std::fputs(pages_growth_text(views, top, Style::of(stdout)).c_str(), stdout);
  return k_ok;
}

// The profile, or the sum of several: of runs of one program, or of programs that use one library.
feedback::Result<feedback::Profile> read_sum(const std::vector<std::string>& paths) {
  feedback::Merger sum;
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    auto profile = feedback::read_profile(path, feedback::Input::descriptor_too);
    if (!profile || paths.size() == 1) return profile;
    if (!profile->whole_stream.empty())
      return feedback::Error{feedback::Error::Kind::usage, path, "", "whole streams cannot be added up"};
    if (std::find(names.begin(), names.end(), profile->program.name) == names.end())
      names.push_back(profile->program.name);
    sum.add(std::move(*profile));
  }
  feedback::Profile all = sum.result();
  all.program.name.clear();
  for (const std::string& name : names) all.program.name += (all.program.name.empty() ? "" : "+") + name;
  return all;
}

// Leaves the rows of `cache' and `reuse' whose site or group contains TEXT.
void keep_where(feedback::Profile& profile, const std::string& text) {
  const ProfileView view(profile);
  const auto named = [&](const auto& row) {
    const ProfileView::SiteRef* site = view.site(row.site);
    const std::string group = row.group == feedback::k_none ? "" : view.group_name(row.group);
    return view.site_name(row.site).find(text) != std::string::npos ||
           group.find(text) != std::string::npos ||
           (site && site->site->expression.find(text) != std::string::npos);
  };
  const auto unnamed = [&](const auto& row) { return !named(row); };
  std::erase_if(profile.cache, unnamed);
  std::erase_if(profile.reuse, unnamed);
}

int run(const Arguments& arguments) {
  auto top = number_argument(arguments, "top", k_default_rows, 1000000000);
  if (!top) return fail(top.error());
  if (arguments.operands().size() > 1 && arguments.has("pages") && !arguments.json())
    return print_growth(arguments, *top);
  auto profile = read_sum(arguments.operands());
  if (!profile) return fail(profile.error());
  if (arguments.has("cache"))
    if (const auto moved = move_to_caches(*profile, arguments.value("cache")); !moved)
      return fail(arguments.operands()[0] + ": " + moved.error().text());
  if (arguments.has("where")) keep_where(*profile, arguments.value("where"));
  ProfileView view(*profile);
  if (arguments.has("hottest-loop")) return print_hottest_loop(view);
  if (arguments.json()) {
    print_json(arguments, view, *top);
    return k_ok;
  }
  Style style = Style::of(stdout);
  std::fputs(overview(view).c_str(), stdout);
  for (const ShowTable* const each : show_tables()) {
    const ShowTable& table = *each;
    if (!wanted(arguments, table)) continue;
    if (table.section && !view.has_section(table.section)) {
      // Asked for by name, but no run has measured it.
      if (arguments.has(table.option))
        std::printf("\nno %s: the module %s was not on (-fprofile-mem-modules=)\n",
                    table.option, table.module);
      continue;
    }
    std::printf("\n%s", table.text(view, *top, style).c_str());
  }
  return k_ok;
}

}  // namespace

const Command k_show_command = {
    "show",
    "PROFILE...",
    "show a profile as tables: hot sites, objects, loops, strides, dependences",
    "Prints PROFILE, a prog.memprof.json file, as tables.  An access site is one\n"
    "load or store in the code; an execution is one time that it was performed.\n"
    "Several are shown as their sum: runs of one program, or the tests of a library.\n"
    "With --pages, several profiles of runs with 1, 2, 4, ... threads show how walks\n"
    "grow.",
    k_options, 1, -1, false, run};

}  // namespace memprof::cli
