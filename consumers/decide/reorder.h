// reorder.h - whether the fields of a record are moved, and where to.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// decide_reorder is a pure function of what the profile says about one record type
// (TypeFacts) and the machine (CostModel): the compiler asks it for each type that
// a unit defines, `memprof layout' and `memprof advise' show the same answer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "consumers/decide/cost_model.h"
#include "consumers/decide/layout.h"
#include "feedback/model.h"

namespace memprof::decide {

struct TypeFacts {
  const feedback::RecordType* type = nullptr;
  std::map<std::string, FieldHeat> heat;
  unsigned definitions = 1;   // types of this name
  bool cache_modelled = false;
  std::uint64_t program_accesses = 0;
};

enum class ReorderReason : std::uint8_t {
  taken,
  no_accesses,   // to its fields
  few_accesses,
  few_misses,
  good_order,    // no other touches much fewer lines
  unchecked,     // some unit could not tell what it does with the type
  definitions,   // the name means several types
  obstacles      // code depends on the order
};
const char* name(ReorderReason reason);

struct ReorderAdvice {
  ReorderReason reason = ReorderReason::no_accesses;
  LayoutAdvice layout;      // the same as that of decide_layout
  std::vector<std::uint64_t> offsets;  // new ones, in the order of type->fields
  std::uint64_t accesses = 0, misses = 0;
  double lines_before = 0, lines_after = 0;  // per visit
  std::vector<feedback::Obstacle> obstacles;
  bool cache_modelled = false;

  bool take() const { return reason == ReorderReason::taken; }
  // One line, such as "fields reordered: price, next first: 2.4 lines per visit
  // before, 1.2 after, ..." or "not reordered: cast at a.c:12".
  std::string text(const feedback::RecordType& type) const;
};

ReorderAdvice decide_reorder(const TypeFacts& facts, const CostModel& model);

// In words: "its address becomes a pointer to another type".
std::string obstacle_text(const feedback::Obstacle& obstacle);

// The facts of each row of profile.types, in its order.
std::vector<TypeFacts> type_facts(const feedback::Profile& profile);

}  // namespace memprof::decide
