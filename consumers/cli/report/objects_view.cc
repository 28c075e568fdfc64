// objects_view.cc - how long objects live, and how regular the addresses of functions are.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "consumers/cli/report/report_data.h"
#include "consumers/cli/show_rows.h"
#include "feedback/regularity.h"
#include "feedback/model.h"

namespace memprof::cli {

using namespace feedback;

void objects_view(JsonReport& json, const ReportInput& in) {
  const ProfileView& view = in.view;
  json.key("lifetimes");
  json.open_object();
  json.member("all", view.profile().lifetimes.size());
  json.member("unit", view.profile().run.mode == "objects" ? "births" : "accesses");
  json.key("rows");
  json.open_array();
  for (const Lifetime* l : ranked(view.profile().lifetimes, k_report_rows, [](const Lifetime& r) {
         return r.objects + r.alive;
       })) {
    json.open_object();
    json.member("group", brief(view.group_name(l->group)));
    json.member("objects", l->objects);
    json.member("alive", l->alive);
    json.member("min", l->min);
    json.member("mean", ratio(l->total, l->objects));
    json.member("max", l->max);
    json.member("loop", view.loop_name(l->loop));
    json.member("always", l->always);
    json.member("function", brief(l->function));
    json.close_object();
  }
  json.close_array();
  json.close_object();
}

namespace {

struct FunctionSum {
  const Module* module;
  const Function* function;
  Regularity sum;
};

}  // namespace

void regularity_view(JsonReport& json, const ReportInput& in) {
  json.key("regularity");
  if (!in.view.has_section("regularity")) return json.null();
  std::map<Id, const Regularity*> rows;
  for (const Regularity& r : in.view.profile().regularity) rows[r.site] = &r;
  std::vector<FunctionSum> sums;
  for (const Module& m : in.view.profile().modules)
    for (const Function& f : m.functions) {
      FunctionSum s{&m, &f, {}};
      for (const Site& site : f.sites)
        if (const auto at = rows.find(site.id); at != rows.end()) add_row(s.sum, *at->second);
      if (s.sum.references) sums.push_back(std::move(s));
    }
  json.open_object();
  json.member("all", sums.size());
  json.key("rows");
  json.open_array();
  for (const FunctionSum* s : ranked(sums, k_report_rows, [](const FunctionSum& r) {
         return r.sum.references;
       })) {
    const RegularitySummary r = summary(s->sum);
    json.open_object();
    json.member("function", brief(s->function->name));
    json.member("file", brief(s->module->file));
    json.member("line", s->function->line);
    json.member("references", r.references);
    json.member("regularity", r.regularity);
    json.member("class", name(r.klass));
    json.member("streams", r.streams);
    json.member("length", r.length);
    json.member("step", r.step);
    json.member("pages", r.pages);
    json.close_object();
  }
  json.close_array();
  json.close_object();
}

}  // namespace memprof::cli
