// unit_records.h - puts together the units that a stream file announces.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each ring sends a unit as UNIT_LOAD, DATA ..., UNIT_READY (runtime/wire/ring.h). Readers that only
// print a file need the unit when it is complete:
//
//     if (auto unit = units.take(frame->ring, record)) ...  // UNIT_READY: the unit, or an error
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "runtime/backend/program/unit_image.h"

namespace memprof::backend {

class UnitRecords {
 public:
  // P is a control record of RING.
  std::optional<feedback::Result<UnitImage>> take(std::uint32_t ring, const std::uint64_t* p) {
    std::unique_ptr<UnitAssembler>& unit = arriving_[ring];
    switch (MPRT_CONTROL_KIND(p[0])) {
      case MPRT_UNIT_LOAD:
        unit = std::make_unique<UnitAssembler>(p[1]);
        return {};
      case MPRT_DATA:
        if (unit) unit->add(p[1], p + 3, p[2]);
        return {};
      case MPRT_UNIT_READY: {
        if (!unit) return no_load();
        auto image = unit->finish();
        unit.reset();
        return image;
      }
      default:
        return {};
    }
  }

 private:
  static feedback::Error no_load() {
    feedback::Error error;
    error.what = "UNIT_READY without UNIT_LOAD";
    return error;
  }
  std::unordered_map<std::uint32_t, std::unique_ptr<UnitAssembler>> arriving_;  // by ring
};

}  // namespace memprof::backend
