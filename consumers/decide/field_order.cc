// field_order.cc - whether the fields of a record are moved, and where to.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Gates, in this order; each names itself in the advice:
//
//   1. worth it: the fields are accessed, and miss L2 where that was modelled
//   2. the record is larger than a line. Smaller ones share lines with their neighbours: in
//      another order all together have as many lines. Where fields that are used together
//      lie in two lines, a visit even fetches a part of a neighbour ahead
//      (testsuite/bench/programs/tour.c takes 1.8 times as long with its fields in one line)
//   3. another order (record_order.cc) of at most the same size lets a visit of an object
//      touch fewer lines, by the factor min_line_gain
//   4. every unit with the type reported what it does with it
//   5. one definition has this name
//   6. nothing that any unit reported is an obstacle (plugin/tables/type_facts.cc has the
//      list)
//   7. nothing in the definition that this compile reads is one
//   8. the user asked for it (-fprofile-mem-move-fields): no compiler can see that nothing
//      else knows where the fields lie, so the user says so
//
// 4 to 7 are what makes it right, so no option and no number opens them.
#include "consumers/decide/field_order.h"

#include <algorithm>

#include "consumers/decide/text.h"

namespace memprof::decide {
namespace {

struct Words {
  const char* kind;
  const char* text;
};

constexpr Words k_obstacles[] = {
    {"address-order", "addresses of fields are compared or subtracted"},
    {"asm", "assembler code uses it"},
    {"bytes", "it is filled or copied as bytes"},
    {"cast", "a pointer to it becomes one to another type, or the reverse"},
    {"external", "known to code outside of the program"},
    {"field-address", "the address of a field is taken"},
    {"fixed", "its layout is fixed"},
    {"foreign", "not all of the program was profiled"},
    {"from", "a pointer to it comes from a function that returns void *"},
    {"indirect", "a function that is called through a pointer knows it, which a plugin may have"},
    {"initialiser", "it is initialised field by field"},
    {"offsetof", "offsetof is used"},
    {"part", "it is a part of another type"},
    {"size", "memory for it is no number of whole records"},
    {"union", "a pointer to it lies in a union"},
    {"variadic", "a pointer to it is an argument without a type"},
    {"void-pointer", "a pointer to it becomes void *, or the reverse"},
    {"volatile", "it is volatile"},
};

// A decision in the making.
struct Draft {
  Reason reason = Reason::no_accesses;
  OrderProposal proposal;
  std::vector<std::uint64_t> offsets;  // new ones, in the order of type->fields
  std::uint64_t accesses = 0, misses = 0;
  double accesses_error = 0;
  double lines_before = 0, lines_after = 0;  // per visit
  const char* obstacle = nullptr;  // of the code
  bool small = false;              // records are no larger than a line
  Gate gate;
};

std::vector<std::uint64_t> offsets_of(const RecordOrder& order) {
  std::vector<std::uint64_t> offsets(order.fields.size());
  for (const Placed& p : order.fields) offsets[p.field] = p.offset;
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

// Whether VALUE reaches LIMIT; what was compared stays in DRAFT.
bool reaches(Draft& draft, const char* name, double value, double limit) {
  draft.gate = {name, value, limit};
  return value >= limit;
}
bool at_most(Draft& draft, const char* name, double value, double limit) {
  draft.gate = {name, value, limit, true};
  return value <= limit;
}

Reason worth(Draft& draft, const TypeFacts& facts, const CostModel& model) {
  const double accesses = static_cast<double>(draft.accesses);
  const double misses = static_cast<double>(draft.misses);
  const double program = static_cast<double>(facts.program_accesses);
  const double bytes = static_cast<double>(facts.type->bytes);
  if (!reaches(draft, "accesses", accesses, 1)) return Reason::no_accesses;
  if (facts.cache_modelled) {
    if (!reaches(draft, "misses", misses, static_cast<double>(model.min_field_misses)) ||
        !reaches(draft, "misses", misses, model.min_field_miss_share * program))
      return Reason::few_misses;
  } else if (!reaches(draft, "accesses", accesses, static_cast<double>(model.min_field_accesses))) {
    return Reason::few_accesses;
  }
  if (draft.small) {
    draft.gate = {"bytes", bytes, static_cast<double>(model.max_shared_bytes) + 1};
    return Reason::good_order;
  }
  const RecordOrder& order = draft.proposal.proposed;
  draft.gate = {"orders", 0, 1};
  if (order.fields.empty()) return Reason::good_order;
  const bool better =
      at_most(draft, "new_bytes", static_cast<double>(order.bytes), bytes) &&
      reaches(draft, "lines_before", draft.lines_before, draft.lines_after * model.min_line_gain);
  return better ? Reason::taken : Reason::good_order;
}

Reason safe(Draft& draft, const TypeFacts& facts, const RecordCode* code) {
  draft.gate = {};
  if (!facts.type->checked) return Reason::unchecked;
  if (!at_most(draft, "definitions", facts.definitions, 1)) return Reason::definitions;
  if (!at_most(draft, "obstacles", static_cast<double>(facts.type->obstacles.size()), 0))
    return Reason::obstacles;
  draft.gate = {};
  if (!code) return Reason::taken;
  draft.obstacle = code->obstacle;
  if (!draft.obstacle && code->fields != draft.offsets.size())
    draft.obstacle = "it is another type";
  return draft.obstacle ? Reason::obstacles : Reason::taken;
}

Draft draft_of(const TypeFacts& facts, const RecordCode* code, const CostModel& model) {
  Draft draft;
  const feedback::RecordType& type = *facts.type;
  draft.proposal = propose_order(type, facts.heat);
  feedback::ErrorSum error;
  for (const auto& [field, heat] : facts.heat) {
    draft.accesses += heat.all();
    draft.misses += heat.misses;
    error.add(heat.error);
  }
  draft.accesses_error = error.half_width();
  draft.lines_before = lines_per_visit(present_order(type, facts.heat), type, facts.heat);
  draft.lines_after = lines_per_visit(draft.proposal.proposed, type, facts.heat);
  draft.offsets = offsets_of(draft.proposal.proposed);
  if (model.reverse_fields) reverse(draft.offsets, type);
  draft.small = type.bytes <= model.max_shared_bytes;
  draft.reason = worth(draft, facts, model);
  if (draft.reason == Reason::taken) draft.reason = safe(draft, facts, code);
  if (draft.reason == Reason::taken && !model.move_fields) draft.reason = Reason::not_asked;
  return draft;
}

std::string evidence(const Draft& draft, const TypeFacts& facts) {
  std::string text = estimate_text(static_cast<double>(draft.accesses), draft.accesses_error) + " accesses";
  if (facts.cache_modelled)
    text += ", " + std::to_string(draft.misses) + " misses of L2 (modelled)";
  return text;
}

std::string lines_text(double lines) { return format("%.2f", lines); }

std::string taken_text(const Draft& draft, const TypeFacts& facts) {
  std::string first;
  for (const Placed& p : draft.proposal.order.fields) {
    if (first.size() > 60) break;
    first += (first.empty() ? "" : ", ") + facts.type->fields[p.field].name;
    if (p.offset + p.bytes >= draft.proposal.hot_bytes) break;
  }
  return "fields reordered, first " + first + ": " + lines_text(draft.lines_before) +
         " lines per visit before, " + lines_text(draft.lines_after) + " after, " +
         evidence(draft, facts);
}

std::string text_of(const Draft& draft, const TypeFacts& facts) {
  switch (draft.reason) {
    case Reason::taken: return taken_text(draft, facts);
    case Reason::not_asked: return "not asked for (-fprofile-mem-move-fields): " + taken_text(draft, facts);
    case Reason::no_accesses: return "no access to its fields was measured";
    case Reason::good_order:
      if (draft.small)
        return std::to_string(facts.type->bytes) +
               " bytes share lines with their neighbours in any order";
      return "a visit touches " + lines_text(draft.lines_before) + " lines, " +
             lines_text(draft.lines_after) + " in the best other order";
    case Reason::unchecked:
      return "a unit could not tell what it does with it (-flto in the profiled build, "
             "precompiled header)";
    case Reason::definitions: return "several types have this name";
    case Reason::obstacles: {
      const auto& obstacles = facts.type->obstacles;
      if (obstacles.empty()) return draft.obstacle;
      std::string text = obstacle_text(obstacles.front());
      if (obstacles.size() > 1)
        text += ", and " + std::to_string(obstacles.size() - 1) + " more";
      return text;
    }
    default: break;
  }
  return evidence(draft, facts) + " are too few";
}

}  // namespace

std::string obstacle_text(const feedback::Obstacle& obstacle) {
  std::string text = obstacle.kind;
  for (const Words& w : k_obstacles)
    if (obstacle.kind == w.kind) text = w.text;
  if (!obstacle.detail.empty()) text += " (" + obstacle.detail + ")";
  if (!obstacle.where.empty()) text += " at " + obstacle.where;
  return text;
}

Decision decide_field_order(const Candidate& candidate, const TypeFacts& facts,
                            const RecordCode* code, const CostModel& model) {
  Draft draft = draft_of(facts, code, model);
  Decision decision = conclude(candidate, draft.reason, text_of(draft, facts));
  if (decision.refused()) decision.gate = draft.gate;
  decision.numbers = {{"accesses", draft.accesses},
                      {"misses", draft.misses},
                      {"lines_before", draft.lines_before},
                      {"lines_after", draft.lines_after}};
  decision.offsets = std::move(draft.offsets);
  return decision;
}

std::string tag_of(const std::string& name) {
  return name.starts_with("struct ") ? name.substr(7) : name;
}

Candidate candidate_of(const feedback::RecordType& type) {
  Candidate candidate;
  candidate.transformation = Transformation::field_order;
  candidate.file = type.file.c_str();
  candidate.line = type.line;
  candidate.function = candidate.expression = type.name.c_str();
  return candidate;
}

std::vector<TypeFacts> type_facts(const feedback::Profile& profile) {
  const auto heat = field_heat(profile);
  std::map<std::string, unsigned> definitions;
  for (const feedback::RecordType& type : profile.types) definitions[tag_of(type.name)]++;
  std::vector<TypeFacts> all;
  for (const feedback::RecordType& type : profile.types) {
    TypeFacts& facts = all.emplace_back();
    facts.type = &type;
    if (const auto at = heat.find(type.name); at != heat.end()) facts.heat = at->second;
    facts.definitions = definitions[tag_of(type.name)];
    facts.cache_modelled = std::find(profile.sections.begin(), profile.sections.end(),
                                     "cache") != profile.sections.end();
    facts.program_accesses = profile.run.accesses;
  }
  return all;
}

}  // namespace memprof::decide
