// answer.cc - the answer of a profile: how long the program waits for memory, where, why, and what to do.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/answer.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "consumers/cli/call_path.h"
#include "consumers/cli/container_name.h"
#include "consumers/cli/header_callers.h"
#include "consumers/cli/report/command_line.h"
#include "consumers/cli/table.h"
#include "consumers/decide/machine.h"
#include "feedback/common_folder.h"

namespace memprof::cli {

using namespace feedback;
using decide::AccessPattern;
using decide::Decision;
using decide::Transformation;
using SiteRef = ProfileView::SiteRef;

namespace {

// A cause of less than this share of the time is not worth a line.
constexpr double k_least_share = 0.01;

// Objects of a wrapper of malloc with this share of the accesses are worth a profile that tells its callers apart.
constexpr double k_wrapper_share = 0.2;

std::vector<std::string> wrapper_notes(const Profile& profile) {
  std::uint64_t all = 0;
  std::map<std::string, std::uint64_t> accesses;
  for (const Group& group : profile.groups) {
    add_count(all, group.accesses);
    if (!group.wrapper.empty()) add_count(accesses[group.wrapper], group.accesses);
  }
  std::vector<std::string> notes;
  for (const auto& [wrapper, n] : accesses)
    if (const double share = all ? static_cast<double>(n) / static_cast<double>(all) : 0; share >= k_wrapper_share)
      notes.push_back(percent(share) + " of the accesses are to objects that " + wrapper.substr(0, wrapper.rfind(':')) +
                      " returns: profile with -fprofile-mem-alloc-fn=" + wrapper + " to see who calls it");
  return notes;
}

// Another container for the nodes of TYPE; empty: there is no advice.
std::string other_container(const std::string& type) {
  const std::string name = container_name(type);
  if (name.starts_with("node of std::list<") || name.starts_with("node of std::forward_list<"))
    return "a std::vector, whose elements lie side by side, instead of the list";
  if (name.starts_with("node of std::unordered_"))
    return "a hash table whose elements lie in the table itself, instead of one with a node for each";
  if (name.starts_with("node of std::")) return "a sorted vector, or a hash table, instead of a node for each element";
  return "";
}

// At most three.
std::string joined(const std::vector<std::string>& places) {
  std::string text;
  for (std::size_t i = 0; i < places.size() && i < 3; i++) text += (i ? ", " : "") + places[i];
  return text + (places.size() > 3 ? " and " + std::to_string(places.size() - 3) + " more places" : "");
}

std::string times(double gain) { return gain > 0 ? ", at most " + decimal(gain) + " times as fast" : ""; }

// What the sites of one line wait for.
struct LineWaiting {
  std::vector<const decide::SiteWaiting*> sites;  // longest first
  double cycles = 0, walks = 0;
};

class Answerer {
 public:
  Answerer(const ProfileView& view, const std::vector<Decision>& decisions, const std::string& profile)
      : view_(view), profile_(profile), callers_(view.profile()) {
    for (const Decision& d : decisions) {
      if (d.transformation == Transformation::field_order)
        types_[d.place.expression] = &d;
      else
        places_[{d.place.file, d.place.line}].push_back(&d);
    }
  }

  std::string rebuild() const {
    return "gcc -specs=$(memprof --specs) -O2 -g -fprofile-mem-use=" + shell_word(profile_) + " ...";
  }

  Cause cause(const LineWaiting& line, double share) const {
    const decide::SiteWaiting& first = *line.sites.front();
    Cause out{view_.site(first.site), share, {}, "", {}};
    for (const CallPlace& call : callers_.of(*out.site->function)) out.called.push_back(call.file + ":" + std::to_string(call.line));
    const Group* const group = view_.group(first.group);
    out.why = why(*out.site, first, group, line.walks > line.cycles / 2);
    for (const decide::SiteWaiting* site : line.sites)
      add_decisions(out, *view_.site(site->site), view_.group(site->group));
    if (group && first.pattern != AccessPattern::regular)
      if (const std::string other = other_container(group->type); !other.empty()) add(out, "in the source: " + other, "");
    if (out.remedies.empty()) out.remedies.push_back({in_the_source(*out.site, first.pattern), ""});
    return out;
  }

 private:
  static std::string why(const SiteRef& ref, const decide::SiteWaiting& site, const Group* group, bool walks) {
    std::string memory = group ? ProfileView::group_name(*group) : "unknown memory";
    if (group) memory = size_text(group->span) + " of " + memory;
    if (group && !group->type.empty()) memory += " (" + shortened(container_name(group->type)) + ")";
    const std::string end = walks ? ", most of it for page walks" : "";
    if (ref.site->kind == Access::store) return "writes lines of " + memory + end;
    switch (site.pattern) {
      case AccessPattern::chase: return "follows pointers through " + memory + end;
      case AccessPattern::irregular: return "random accesses to " + memory + end;
      case AccessPattern::regular: break;
    }
    return "reads through " + memory + end;
  }

  static std::string in_the_source(const SiteRef& ref, AccessPattern pattern) {
    if (ref.site->kind == Access::store) return "write less: smaller types, or only what is read later";
    switch (pattern) {
      case AccessPattern::chase: return "an array instead of links, or nodes allocated in the order of the visits";
      case AccessPattern::irregular: return "smaller records, or the accesses in an order of their addresses";
      case AccessPattern::regular: break;
    }
    return "fewer bytes: smaller types, loops over the same array joined or in blocks";
  }

  void add(Cause& cause, std::string what, std::string command) const {
    for (const Remedy& known : cause.remedies)
      if (known.what == what) return;
    cause.remedies.push_back({std::move(what), std::move(command)});
  }

  void add_decisions(Cause& cause, const SiteRef& ref, const Group* group) const {
    const std::string explain = "memprof explain " + shell_word(profile_) + " " +
                                shell_word(ref.file() + ":" + std::to_string(ref.site->line));
    for (const Decision* d : at(ref.file(), ref.site->line)) {
      if (d->place.expression != ref.site->expression) continue;
      const std::string name = decide::name(d->transformation);
      if (d->take()) add(cause, "the rebuild does it: " + name + times(d->gain), rebuild());
      if (d->open()) add(cause, "the rebuild decides with the code: " + name, rebuild());
    }
    if (group)
      for (const Decision* d : at(group->file, group->line))
        if (d->take() && (d->transformation == Transformation::huge_pages ||
                          d->transformation == Transformation::co_allocation))
          add(cause, std::string("the rebuild does it: ") + decide::name(d->transformation) + " for these objects", rebuild());
    const auto type = types_.find(ref.site->type);
    if (type == types_.end()) return;
    const Decision& order = *type->second;
    if (order.take()) add(cause, "the rebuild moves fields of " + ref.site->type, rebuild());
    if (order.reason == decide::Reason::not_asked)
      add(cause, "another order of the fields of " + ref.site->type + ": a patch of the declaration",
          "memprof layout --patch " + shell_word(ref.site->type) + " " + shell_word(profile_));
  }

  const std::vector<const Decision*>& at(const std::string& file, unsigned line) const {
    static const std::vector<const Decision*> none;
    const auto found = places_.find({file, line});
    return found == places_.end() ? none : found->second;
  }

  const ProfileView& view_;
  const std::string& profile_;
  HeaderCallers callers_;
  std::map<std::pair<std::string, unsigned>, std::vector<const Decision*>> places_;
  std::map<std::string, const Decision*> types_;
};

}  // namespace

Answer answer_of(const ProfileView& view, const std::vector<Decision>& decisions, const std::string& profile,
                 std::size_t top) {
  const Answerer answerer(view, decisions, profile);
  Answer answer;
  answer.waiting = decide::waiting(view.profile(), decide::model_of(view.profile()));
  const decide::Waiting& all = answer.waiting;
  answer.known = view.has_section("cache");
  answer.rebuild = answerer.rebuild();
  answer.notes = wrapper_notes(view.profile());
  std::map<std::pair<std::string, std::uint32_t>, LineWaiting> lines;
  for (const decide::SiteWaiting& site : all.sites) {
    const SiteRef& ref = *view.site(site.site);
    LineWaiting& line = lines[{ref.file(), ref.site->line}];
    line.sites.push_back(&site);
    line.cycles += site.cycles;
    line.walks += site.walks;
  }
  std::vector<const LineWaiting*> order;
  for (const auto& [place, line] : lines) order.push_back(&line);
  std::ranges::stable_sort(order, std::greater(), &LineWaiting::cycles);
  for (const LineWaiting* line : order) {
    const double share = all.share(line->cycles);
    if (answer.causes.size() == top || share < k_least_share) break;
    answer.causes.push_back(answerer.cause(*line, share));
  }
  return answer;
}

void answer_json(const Answer& answer, JsonReport& json) {
  json.member("known", answer.known);
  json.member("waits", answer.waiting.share());
  json.member("waits_least", answer.waiting.low());
  json.member("waits_most", answer.waiting.high());
  json.member("rebuild", answer.rebuild);
  json.key("notes");
  json.open_array();
  for (const std::string& text : answer.notes) json.value(text);
  json.close_array();
  json.key("causes");
  json.open_array();
  for (const Cause& cause : answer.causes) {
    const SiteRef& ref = *cause.site;
    json.open_object();
    json.member("file", ref.file());
    json.member("line", ref.site->line);
    json.member("function", ref.function->name);
    json.member("within", function_text(ref));
    json.member("expression", ref.site->expression);
    json.member("share", cause.share);
    json.key("called");
    json.open_array();
    for (const std::string& place : cause.called) json.value(place);
    json.close_array();
    json.member("why", cause.why);
    json.key("remedies");
    json.open_array();
    for (const Remedy& remedy : cause.remedies) {
      json.open_object();
      json.member("what", remedy.what);
      json.member("command", remedy.command);
      json.close_object();
    }
    json.close_array();
    json.close_object();
  }
  json.close_array();
}

void print_answer(const ProfileView& view, const Answer& answer) {
  const Style style = Style::of(stdout);
  const Run& run = view.profile().run;
  const std::string program = printable(view.profile().program.name);
  const std::string folder = common_folder(view.profile());
  const auto text_of = [&](std::string text) {
    shorten(folder, text);
    return printable(text);
  };
  if (!answer.known) {
    std::printf("%s: %s; no misses were modelled (module cache), so no answer; memprof show has what there is\n",
                program.c_str(), counted(run.accesses, "access", "accesses").c_str());
    return;
  }
  std::printf("%s waits for memory for %s of its time (%s to %s, a model): %s to %s\n",
              style.heading(program).c_str(), style.heading(percent(answer.waiting.share())).c_str(),
              percent(answer.waiting.low()).c_str(), percent(answer.waiting.high()).c_str(),
              counted(run.accesses, "access", "accesses").c_str(), counted(run.objects, "object").c_str());
  if (const std::string started = started_text(run); !started.empty()) std::printf("%s\n", started.c_str());
  for (const Cause& cause : answer.causes) {
    const SiteRef& ref = *cause.site;
    std::printf("\n%6s  %s  %s: %s\n        %s\n", percent(cause.share).c_str(),
                style.heading(text_of(ref.file() + ":" + std::to_string(ref.site->line))).c_str(),
                printable(shortened(function_text(ref))).c_str(), printable(shortened(ref.site->expression)).c_str(),
                text_of(cause.why).c_str());
    if (!cause.called.empty()) std::printf("        called in %s\n", text_of(joined(cause.called)).c_str());
    for (const Remedy& remedy : cause.remedies) {
      const bool done = remedy.command == answer.rebuild;
      std::printf("        %s %s\n", style.tinted("->", done ? Tint::good : Tint::none).c_str(),
                  printable(remedy.what).c_str());
      if (!done && !remedy.command.empty()) std::printf("           %s\n", printable(remedy.command).c_str());
    }
  }
  if (answer.causes.empty()) std::printf("\nno line waits for 1 %% of the time or more\n");
  for (const std::string& text : answer.notes) std::printf("\nnote: %s\n", printable(text).c_str());
  std::printf("\nrebuild: %s\n", printable(answer.rebuild).c_str());
}

}  // namespace memprof::cli
