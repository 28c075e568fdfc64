// source_view.cc - the source of each function with what its lines cost.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The most accessed functions first, until k_report_source bytes of text are used up; the
// others have the lines with costs alone. A part is a file: the function's own from its
// first to its last line with something to say, and of code inlined from elsewhere the lines
// that have costs. A line is an array, shorter when its end is zeros:
//
//     [number, text, loads, stores, L2, last level, TLB, unit, constant, irregular,
//      flow, carried, inlined, [[taken 2, open 1 or refused 0, text], ...]]
#include <algorithm>

#include "consumers/cli/line_costs.h"
#include "consumers/cli/report/report_data.h"
#include "feedback/model.h"

namespace memprof::cli {
namespace {

using namespace feedback;

struct Entry {
  const Module* module;
  const Function* function;
  FileCosts* costs;
  std::uint64_t accesses = 0, l2 = 0;
};

// Refused for want of executions: most sites are, and it says little.
bool worth_saying(const decide::Decision& d) {
  return d.take() || d.open() || d.reason != decide::Reason::few_executions;
}

void put_line(JsonReport& json, std::uint32_t number, const std::string& text,
              const LineCost* cost) {
  json.open_array();
  json.value(number);
  json.value(text);
  if (cost) {
    for (std::uint64_t n : {cost->loads, cost->stores, cost->misses.l2, cost->misses.llc, cost->misses.tlb,
                            cost->strides.unit, cost->strides.constant, cost->strides.irregular,
                            cost->flow, cost->carried, cost->inlined})
      json.value(n);
    json.open_array();
    for (const decide::Decision* d : cost->decisions) {
      if (!worth_saying(*d)) continue;
      json.open_array();
      json.value(d->take() ? 2 : d->open() ? 1 : 0);
      // A refusal says itself what it refuses.
      const bool named = !d->take() && !d->open();
      json.value(brief((named ? "" : decide::name(d->transformation) + std::string(": ")) + d->text));
      json.close_array();
    }
    json.close_array();
  }
  json.close_array();
}

// The lines of PART that are shown, from its first to its last; LEFT: bytes for text.
void put_part(JsonReport& json, const std::string& file, const LineCosts& costs, std::uint32_t first,
              bool between, const SourceText* source, std::size_t& left) {
  json.open_object();
  json.member("file", brief(file));
  json.member("found", source != nullptr);
  json.key("lines");
  json.open_array();
  const auto text = [&](std::uint32_t n) {
    if (!source || n == 0 || n > source->lines.size() || left == 0) return std::string();
    std::string line = brief(source->lines[n - 1]);
    left -= std::min(left, line.size());
    return line;
  };
  std::uint32_t next = first;
  // A gap longer than this is one between macros or clones, not the body of a function.
  constexpr std::uint32_t k_gap = 200;
  for (const auto& [n, cost] : costs) {
    if (between && source && n >= next && n - next <= k_gap)
      for (; next < n; next++) put_line(json, next, text(next), nullptr);
    std::string line = text(n);
    if (!source)
      for (const auto* ref : cost.sites)
        line += (line.empty() ? "" : "; ") + ref->site->expression;
    put_line(json, n, brief(line), &cost);
    next = n + 1;
  }
  json.close_array();
  json.close_object();
}

std::vector<Entry> entries_of(const Profile& profile, FunctionCosts& costs) {
  std::vector<Entry> entries;
  for (const Module& m : profile.modules)
    for (const Function& f : m.functions) {
      const auto at = costs.find(&f);
      if (at == costs.end()) continue;
      Entry e{&m, &f, &at->second};
      for (const auto& [file, lines] : at->second)
        for (const auto& [n, line] : lines) {
          add_count(e.accesses, line.accesses());
          add_count(e.l2, line.misses.l2);
        }
      entries.push_back(e);
    }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.accesses > b.accesses; });
  return entries;
}

}  // namespace

void source_view(JsonReport& json, const ReportInput& in) {
  FunctionCosts costs = function_costs(in.view);
  auto entries = entries_of(in.view.profile(), costs);
  json.key("functions");
  json.open_object();
  json.member("all", entries.size());
  if (entries.size() > k_report_sites) entries.resize(k_report_sites);
  std::vector<std::pair<const Function*, FileCosts*>> shown;
  for (const Entry& e : entries) shown.emplace_back(e.function, e.costs);
  add_decisions(shown, in.decisions);
  json.key("rows");
  json.open_array();
  std::size_t left = k_report_source;
  for (const Entry& e : entries) {
    json.open_object();
    json.member("name", brief(e.function->name));
    json.member("file", brief(e.module->file));
    json.member("line", e.function->line);
    json.member("accesses", e.accesses);
    json.member("l2", e.l2);
    json.key("parts");
    json.open_array();
    const auto own = e.costs->find(e.module->file);
    if (own != e.costs->end())
      put_part(json, own->first, own->second, e.function->line, true, in.sources.find(own->first), left);
    for (const auto& [file, lines] : *e.costs)
      if (file != e.module->file)
        put_part(json, file, lines, 0, false, in.sources.find(file), left);
    json.close_array();
    json.close_object();
  }
  json.close_array();
  json.close_object();
}

}  // namespace memprof::cli
