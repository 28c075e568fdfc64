// unit_decoder.h - translation units come and go, and their variables with them.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A unit arrives in pieces (unit_image.h). Once it is whole, its tables are loaded, its
// variables are born, and its covered sites find the sites that report for them.
//
// Globals are born with their unit, which is no birth for the modules: stores to
// a global may precede the registration of its unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/backend/decode/birth_groups.h"
#include "runtime/backend/decode/decoder_hooks.h"
#include "runtime/backend/decode/object_life.h"
#include "runtime/backend/program/loaded_units.h"
#include "runtime/backend/stream/stream.h"

namespace memprof::backend {

class UnitDecoder {
 public:
  UnitDecoder(LoadedUnits& units, BatchWriter& out, ObjectResolver& resolver, ObjectLife& life,
              BirthGroups& births, const DecoderHooks& hooks, StreamCounts& counts)
      : units_(units), out_(out), resolver_(resolver), life_(life), births_(births),
        hooks_(hooks), counts_(counts) {}

  // A UNIT_LOAD, DATA, UNIT_READY, ENTRIES or UNIT_UNLOAD record.
  void record(StreamRing& ring, const std::uint64_t* p, std::size_t words);
  // A change means that a unit was loaded: parked records may be known now.
  std::uint64_t loads() const { return loads_; }

 private:
  void ready(StreamRing& ring);
  void globals_born(const Unit& unit);
  void globals_died(const Unit& unit);
  void note_covered_sites(const Unit& unit);
  void note_mode(const Unit& unit);

  LoadedUnits& units_;
  BatchWriter& out_;
  ObjectResolver& resolver_;
  ObjectLife& life_;
  BirthGroups& births_;
  const DecoderHooks& hooks_;
  StreamCounts& counts_;
  std::vector<SiteId> homeless_;  // covered sites whose variable no unit has named yet
  std::uint64_t loads_ = 0;
  bool sampled_ = false, objects_only_ = false;  // all units that are loaded record bursts only, or objects only
};

}  // namespace memprof::backend
