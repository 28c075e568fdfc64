// layout_growth.cc - whether records that matter have grown since a baseline.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A record that grows from 64 to 72 bytes is fetched in two lines instead of one, which a review does not
// show. So a project keeps a baseline beside its source, and its continuous integration compares.
// Sizes and orders are facts of the build. Which records are hot, and how many lines a visit
// touches, comes from the profile, so a difference in these alone is no failure.
#include "consumers/cli/layout_growth.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "consumers/cli/command.h"
#include "consumers/cli/table.h"
#include "consumers/cli/text_file.h"
#include "consumers/decide/field_order.h"
#include "feedback/file.h"
#include "feedback/json_report.h"

namespace memprof::cli {
namespace {

using feedback::TypeLayout;

// FNV-1a of the names and offsets.
std::string order_of(const feedback::RecordType& type) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](const std::string& text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  };
  for (const feedback::Field& f : type.fields)
    add(f.name + '@' + std::to_string(f.offset * 8 + f.bit_offset) + ';');
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::uint64_t lines_of(std::uint64_t bytes, std::uint64_t line) { return (bytes + line - 1) / line; }

void print_json(const LayoutChanges& changes) {
  feedback::JsonReport json;
  json.open_object();
  for (const auto& [key, texts] : {std::pair("grown", &changes.grown), std::pair("notes", &changes.notes)}) {
    json.key(key);
    json.open_array();
    for (const std::string& text : *texts) json.value(text);
    json.close_array();
  }
  json.close_object();
  std::fputs(json.text().c_str(), stdout);
}

int write_baseline(const std::vector<TypeLayout>& types, const std::string& file) {
  if (const std::string foreign = feedback::foreign_file(file, "{\"memprof_layout\":"); !foreign.empty())
    return fail(file + ": " + foreign + "; it is not overwritten");
  if (auto written = feedback::replace_file(file, {"", feedback::layout_baseline_text(types)}, false); !written)
    return fail(written.error());
  std::printf("%s: %s\n", printable(file).c_str(), counted(types.size(), "record").c_str());
  return k_ok;
}

}  // namespace

std::vector<TypeLayout> layouts_of(const feedback::Profile& profile) {
  std::vector<TypeLayout> types;
  std::set<std::string> known;
  // Of several definitions of one name, the one that is accessed most.
  std::vector<std::pair<std::uint64_t, decide::TypeFacts>> all;
  for (decide::TypeFacts& facts : decide::type_facts(profile)) {
    std::uint64_t accesses = 0;
    for (const auto& [name, heat] : facts.heat) accesses += heat.all();
    if (accesses != 0) all.emplace_back(accesses, std::move(facts));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [accesses, facts] : all) {
    if (!known.insert(facts.type->name).second) continue;
    const double lines = decide::lines_per_visit(decide::present_order(*facts.type, facts.heat), *facts.type, facts.heat);
    types.push_back({facts.type->name, facts.type->bytes,
                     static_cast<double>(accesses) >= k_hot_record * static_cast<double>(facts.program_accesses),
                     std::round(lines * 100) / 100, order_of(*facts.type)});
  }
  std::sort(types.begin(), types.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return types;
}

LayoutChanges compare_layouts(const std::vector<TypeLayout>& before, const std::vector<TypeLayout>& now,
                              std::uint64_t line) {
  LayoutChanges changes;
  for (const TypeLayout& type : now) {
    const auto old = std::lower_bound(before.begin(), before.end(), type.name,
                                      [](const TypeLayout& a, const std::string& name) { return a.name < name; });
    if (old == before.end() || old->name != type.name) {
      if (type.hot) changes.notes.push_back(type.name + ": a hot record that the baseline does not have, " + counted(type.bytes, "byte"));
      continue;
    }
    if (!type.hot && !old->hot) continue;
    const std::string sizes = type.name + ": " + counted(type.bytes, "byte") + " instead of " + grouped(old->bytes);
    const std::uint64_t lines = lines_of(type.bytes, line), old_lines = lines_of(old->bytes, line);
    if (lines > old_lines)
      changes.grown.push_back(sizes + ": " + counted(lines, "line") + " of the cache instead of " + grouped(old_lines) +
                              "; a visit touches " + decimal(type.lines) + ", before " + decimal(old->lines));
    else if (type.bytes != old->bytes)
      changes.notes.push_back(sizes);
    else if (type.order != old->order)
      changes.notes.push_back(type.name + ": its fields are in another order; a visit touches " + decimal(type.lines) +
                              " lines, before " + decimal(old->lines));
  }
  return changes;
}

int check_layouts(const feedback::Profile& profile, const std::string& baseline, bool update, bool json) {
  const std::vector<TypeLayout> now = layouts_of(profile);
  if (update) return write_baseline(now, baseline);
  const auto text = read_text(baseline);
  if (!text) return fail(text.error().text() + (text.error().kind == feedback::Error::Kind::missing ? "; --update makes it" : ""));
  auto before = feedback::parse_layout_baseline(*text, baseline);
  if (!before) return fail(before.error());
  std::sort(before->begin(), before->end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  const LayoutChanges changes = compare_layouts(*before, now, k_line);
  if (json) {
    print_json(changes);
  } else {
    for (const std::string& text_ : changes.notes) std::printf("note: %s\n", printable(text_).c_str());
    for (const std::string& text_ : changes.grown) std::printf("grown: %s\n", printable(text_).c_str());
    const auto hot = static_cast<std::uint64_t>(std::count_if(now.begin(), now.end(), [](const auto& t) { return t.hot; }));
    if (changes.grown.empty())
      std::printf("%s: none takes more lines of the cache than in %s\n", counted(hot, "hot record").c_str(), printable(baseline).c_str());
    else
      std::printf("If that is meant: memprof layout --baseline=%s --update PROFILE\n", printable(baseline).c_str());
  }
  return changes.grown.empty() ? k_ok : k_negative;
}

}  // namespace memprof::cli
