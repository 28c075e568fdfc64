// record_order.h - orders of the fields of a record, and how many lines each costs.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pure: the fields as they lie and how often each is accessed -> another order.
// Whether a rebuild may change the order is decided in field_order.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "feedback/error_sum.h"
#include "feedback/model.h"

namespace memprof::decide {

struct FieldHeat {
  std::uint64_t loads = 0, stores = 0;
  // Of objects, as in feedback::FieldUse; 0: as many as accesses.
  std::uint64_t visits = 0;
  std::uint64_t misses = 0;
  std::map<std::string, std::uint64_t> together;  // with other fields
  feedback::ErrorSum error;                       // of all()
  std::uint64_t all() const { return loads + stores; }
  std::uint64_t all_visits() const { return visits ? visits : all(); }
};

// By name of the record and of its field ("pos.x" counts for "pos"): what the
// module `fields' found, or the executions of the sites.
std::map<std::string, std::map<std::string, FieldHeat>> field_heat(
    const feedback::Profile& profile);

struct Placed {
  std::size_t field = 0;     // index in RecordType::fields
  std::uint64_t offset = 0;  // of it now
  std::uint64_t heat = 0;
  std::uint64_t bytes = 0;   // with those of a run of bit-fields
};

struct RecordOrder {
  std::vector<Placed> fields;   // in their order
  std::uint64_t bytes = 0;
  std::uint64_t padding = 0;    // bytes that belong to no field
  // Lines that hold 95 % of the accesses, and all of them.
  std::uint64_t hot_lines = 0, lines = 0;
};

// Lines that a visit of an object touches, on average over the places that malloc
// gives objects (0, 16, 32, 48 bytes into a line).
double lines_per_visit(const RecordOrder& order, const feedback::RecordType& type,
                       const std::map<std::string, FieldHeat>& heat);

// As it is.
RecordOrder present_order(const feedback::RecordType& type,
                      const std::map<std::string, FieldHeat>& heat);

struct OrderProposal {
  RecordOrder order;       // the proposed one; no larger than the present one
  // The hot fields first, whether that is better or not; no fields: not tried.
  RecordOrder proposed;
  bool better = false; // fewer hot lines, or fewer bytes
  // Fields that take 95 % of the accesses fit half of the record or less: two
  // records, the hot one with a pointer to the cold one, may be better still.
  bool split = false;
  std::uint64_t hot_bytes = 0;
  std::string reason;
};

OrderProposal propose_order(const feedback::RecordType& type,
                           const std::map<std::string, FieldHeat>& heat);

}  // namespace memprof::decide
