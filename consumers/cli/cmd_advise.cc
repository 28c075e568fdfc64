// cmd_advise.cc - memprof advise: what -fprofile-mem-use will do, and why.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks the functions of consumers/decide that the plugin asks.  What we do not
// have is the code around an access, so an advice taken here is "if the code
// allows it": the compiler's own answer is in -fopt-info.
#include <algorithm>
#include <cstdio>

#include "consumers/cli/command.h"
#include "consumers/cli/profile_view.h"
#include "consumers/cli/table.h"
#include "consumers/decide/prefetch.h"
#include "feedback/json_report.h"
#include "feedback/reader.h"

namespace memprof::cli {
namespace {

using namespace feedback;

const Option k_options[] = {
    {"all", nullptr, "refused candidates as well, with the reason"},
    {"top", "N", "at most N candidates, most executed first (default 20, 0 = all)"},
};

constexpr unsigned long k_default_rows = 20;

struct Candidate {
  const ProfileView::SiteRef* ref;
  decide::Advice advice;
};

std::vector<Candidate> candidates(const ProfileView& view) {
  decide::CostModel model;
  decide::LoadIndex loads(view.profile(), model);
  std::vector<Candidate> all;
  for (const auto& ref : view.sites())
    if (ref.site->kind == Access::load)
      all.push_back({&ref, decide::decide_prefetch(loads.facts(*ref.function, *ref.site),
                                                   std::nullopt, model)});
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.ref->site->executions > b.ref->site->executions;
  });
  return all;
}

void print_json(const std::vector<Candidate>& rows) {
  JsonReport json;
  json.open_object();
  json.key("advice");
  json.open_array();
  for (const Candidate& c : rows) {
    json.open_object();
    json.member("transformation", "prefetch");
    json.member("where", ProfileView::where(*c.ref));
    json.member("function", c.ref->function->name);
    json.member("expression", c.ref->site->expression);
    json.member("take", c.advice.take());
    json.member("reason", decide::name(c.advice.reason));
    json.member("shape", decide::name(c.advice.shape));
    json.member("executions", c.advice.executions);
    json.member("span", c.advice.span);
    json.member("trip_count", c.advice.trip_count);
    json.member("text", c.advice.text());
    json.close_object();
  }
  json.close_array();
  json.close_object();
  std::fputs(json.text().c_str(), stdout);
}

void print_text(const std::vector<Candidate>& rows, std::size_t taken, std::size_t all) {
  Style style = Style::of(stdout);
  std::printf("prefetch: %zu of %s worth it by the profile; the code decides the rest\n", taken,
              counted(all, "executed load").c_str());
  if (rows.empty()) return;
  for (const Candidate& c : rows) {
    std::string place = ProfileView::where(*c.ref) + ": " + c.ref->site->expression + " in " +
                        c.ref->function->name;
    const char* verdict = c.advice.take() ? "yes" : "no ";
    std::printf("%s %s\n    %s\n",
                style.tinted(verdict, c.advice.take() ? Tint::good : Tint::dim).c_str(),
                style.heading(printable(place)).c_str(), printable(c.advice.text()).c_str());
  }
}

int run(const Arguments& arguments) {
  auto top = number_argument(arguments, "top", k_default_rows, 1000000000);
  if (!top) return fail(top.error());
  auto profile = read_profile(arguments.operands()[0]);
  if (!profile) return fail(profile.error());
  ProfileView view(*profile);
  std::vector<Candidate> rows = candidates(view);
  std::size_t all = rows.size();
  auto refused = [](const Candidate& c) { return !c.advice.take(); };
  std::size_t taken = all - static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), refused));
  if (!arguments.has("all")) std::erase_if(rows, refused);
  if (*top && rows.size() > *top) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(*top), rows.end());
  if (arguments.json())
    print_json(rows);
  else
    print_text(rows, taken, all);
  return k_ok;
}

}  // namespace

const Command k_advise_command = {
    "advise",
    "PROFILE",
    "say what a rebuild with -fprofile-mem-use will do, and why",
    "Prints the loads that the profile makes worth a prefetch, with the numbers of\n"
    "the decision.  The plugin decides with the same code; it also sees the program\n"
    "and refuses what cannot be looked ahead: see gcc -fopt-info.",
    k_options, 1, 1, false, run};

}  // namespace memprof::cli
