// field_order.h - whether the fields of a record are moved, and where to.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "consumers/decide/cost_model.h"
#include "consumers/decide/decision.h"
#include "consumers/decide/record_order.h"
#include "feedback/model.h"

namespace memprof::decide {

struct TypeFacts {
  const feedback::RecordType* type = nullptr;
  std::map<std::string, FieldHeat> heat;
  unsigned definitions = 1;   // types of this name
  bool cache_modelled = false;
  std::uint64_t program_accesses = 0;
};

// A pure function of what the profile says about one record type (FACTS), what the
// compiler says about its definition (CODE; null: `memprof advise' and `memprof layout'
// have none), and the machine.
Decision decide_field_order(const Candidate& candidate, const TypeFacts& facts,
                            const RecordCode* code, const CostModel& model);

// In words: "its address becomes a pointer to another type".
std::string obstacle_text(const feedback::Obstacle& obstacle);

// NAME as both languages have it: C's "struct order" is C++'s "order".
std::string tag_of(const std::string& name);

// The facts of each row of profile.types, in its order.
std::vector<TypeFacts> type_facts(const feedback::Profile& profile);

// The place that the profile gives TYPE.
Candidate candidate_of(const feedback::RecordType& type);

}  // namespace memprof::decide
