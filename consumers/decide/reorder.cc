// reorder.cc - whether the fields of a record are moved, and where to.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Gates, in this order; each names itself in the advice:
//
//   1. worth it: the fields are accessed, and miss L2 where that was modelled
//   2. another order (layout.cc) of at most the same size lets a visit of an object
//      touch fewer lines, by the factor min_line_gain
//   3. every unit with the type told what it does with it
//   4. one definition has this name
//   5. nothing that any unit told is an obstacle (plugin/tables/type_facts.cc has the
//      list)
//
// 3 to 5 are what makes it right, so no option and no number opens them.
#include "consumers/decide/reorder.h"

#include <algorithm>
#include <cstdio>

namespace memprof::decide {
namespace {

struct Words {
  const char* kind;
  const char* text;
};

constexpr Words k_obstacles[] = {
    {"asm", "assembler code uses it"},
    {"bytes", "it is filled or copied as bytes"},
    {"cast", "a pointer to it becomes one to another type, or the reverse"},
    {"external", "known to code outside of the program"},
    {"field-address", "the address of a field is taken"},
    {"fixed", "its layout is fixed"},
    {"foreign", "not all of the program was profiled"},
    {"from", "a pointer to it comes from a function that returns void *"},
    {"initialiser", "it is initialised field by field"},
    {"offsetof", "offsetof is used"},
    {"part", "it is a part of another type"},
    {"variadic", "a pointer to it is an argument without a type"},
    {"void-pointer", "a pointer to it becomes void *, or the reverse"},
    {"volatile", "it is volatile"},
};

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string evidence(const ReorderAdvice& a) {
  std::string text = std::to_string(a.accesses) + " accesses";
  if (a.cache_modelled) text += ", " + std::to_string(a.misses) + " misses of L2 (modelled)";
  return text;
}

std::vector<std::uint64_t> offsets_of(const Layout& layout) {
  std::vector<std::uint64_t> offsets(layout.fields.size());
  for (const Placed& p : layout.fields) offsets[p.field] = p.offset;
  return offsets;
}

// Every field in another place, if the record does not grow.
void reverse(std::vector<std::uint64_t>& offsets, const feedback::RecordType& type) {
  std::vector<std::uint64_t> reversed(type.fields.size());
  std::uint64_t at = 0;
  for (std::size_t i = type.fields.size(); i-- > 0;) {
    const std::uint64_t align = std::max(type.fields[i].align, 1u);
    reversed[i] = (at + align - 1) / align * align;
    at = reversed[i] + type.fields[i].bytes;
  }
  if (at <= type.bytes) offsets = reversed;
}

ReorderReason worth(const ReorderAdvice& advice, const TypeFacts& facts,
                    const CostModel& model) {
  if (advice.accesses == 0) return ReorderReason::no_accesses;
  const double program = static_cast<double>(facts.program_accesses);
  if (facts.cache_modelled) {
    if (advice.misses < model.min_field_misses ||
        static_cast<double>(advice.misses) < model.min_field_miss_share * program)
      return ReorderReason::few_misses;
  } else if (advice.accesses < model.min_field_accesses) {
    return ReorderReason::few_accesses;
  }
  return ReorderReason::taken;
}

ReorderReason safe(const TypeFacts& facts) {
  if (!facts.type->checked) return ReorderReason::unchecked;
  if (facts.definitions != 1) return ReorderReason::definitions;
  if (!facts.type->obstacles.empty()) return ReorderReason::obstacles;
  return ReorderReason::taken;
}

}  // namespace

const char* name(ReorderReason reason) {
  switch (reason) {
    case ReorderReason::taken: return "taken";
    case ReorderReason::no_accesses: return "no-accesses";
    case ReorderReason::few_accesses: return "few-accesses";
    case ReorderReason::few_misses: return "few-misses";
    case ReorderReason::good_order: return "good-order";
    case ReorderReason::unchecked: return "unchecked";
    case ReorderReason::definitions: return "definitions";
    case ReorderReason::obstacles: return "obstacles";
  }
  return "";
}

std::string obstacle_text(const feedback::Obstacle& obstacle) {
  std::string text = obstacle.kind;
  for (const Words& w : k_obstacles)
    if (obstacle.kind == w.kind) text = w.text;
  if (!obstacle.detail.empty()) text += " (" + obstacle.detail + ")";
  if (!obstacle.where.empty()) text += " at " + obstacle.where;
  return text;
}

std::string ReorderAdvice::text(const feedback::RecordType& type) const {
  switch (reason) {
    case ReorderReason::taken: break;
    case ReorderReason::no_accesses:
      return "not reordered: no access to its fields was measured";
    case ReorderReason::few_accesses:
    case ReorderReason::few_misses: return "not reordered: " + evidence(*this) + " are too few";
    case ReorderReason::good_order:
      return "not reordered: a visit touches " + number(lines_before) +
             " lines, " + number(lines_after) + " in the best other order";
    case ReorderReason::unchecked:
      return "not reordered: a unit could not tell what it does with it (-flto in the "
             "profiled build, precompiled header)";
    case ReorderReason::definitions:
      return "not reordered: several types have this name";
    case ReorderReason::obstacles: {
      std::string text = "not reordered: " + obstacle_text(obstacles.front());
      if (obstacles.size() > 1)
        text += ", and " + std::to_string(obstacles.size() - 1) + " more";
      return text;
    }
  }
  std::string first;
  for (const Placed& p : layout.layout.fields) {
    if (first.size() > 60) break;
    first += (first.empty() ? "" : ", ") + type.fields[p.field].name;
    if (p.offset + p.bytes >= layout.hot_bytes) break;
  }
  return "fields reordered, first " + first + ": " + number(lines_before) +
         " lines per visit before, " + number(lines_after) + " after, " + evidence(*this);
}

ReorderAdvice decide_reorder(const TypeFacts& facts, const CostModel& model) {
  ReorderAdvice advice;
  const feedback::RecordType& type = *facts.type;
  advice.layout = decide_layout(type, facts.heat);
  advice.obstacles = type.obstacles;
  advice.cache_modelled = facts.cache_modelled;
  for (const auto& [field, heat] : facts.heat) {
    advice.accesses += heat.all();
    advice.misses += heat.misses;
  }
  advice.lines_before = lines_per_visit(present_layout(type, facts.heat), type, facts.heat);
  advice.lines_after = lines_per_visit(advice.layout.proposed, type, facts.heat);
  advice.offsets = offsets_of(advice.layout.proposed);
  if (model.reverse_fields) reverse(advice.offsets, type);
  advice.reason = worth(advice, facts, model);
  if (advice.take() && (advice.layout.proposed.fields.empty() ||
                        advice.layout.proposed.bytes > type.bytes ||
                        advice.lines_before < advice.lines_after * model.min_line_gain))
    advice.reason = ReorderReason::good_order;
  if (advice.take()) advice.reason = safe(facts);
  return advice;
}

std::vector<TypeFacts> type_facts(const feedback::Profile& profile) {
  const auto heat = field_heat(profile);
  std::map<std::string, unsigned> definitions;
  // C's "struct order" is C++'s "order".
  const auto tag = [](const std::string& name) {
    return name.starts_with("struct ") ? name.substr(7) : name;
  };
  for (const feedback::RecordType& type : profile.types) definitions[tag(type.name)]++;
  std::vector<TypeFacts> all;
  for (const feedback::RecordType& type : profile.types) {
    TypeFacts& facts = all.emplace_back();
    facts.type = &type;
    if (const auto at = heat.find(type.name); at != heat.end()) facts.heat = at->second;
    facts.definitions = definitions[tag(type.name)];
    facts.cache_modelled = std::find(profile.sections.begin(), profile.sections.end(),
                                     "cache") != profile.sections.end();
    facts.program_accesses = profile.run.accesses;
  }
  return all;
}

}  // namespace memprof::decide
