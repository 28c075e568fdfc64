// unit_decoder.cc - translation units come and go, and their variables with them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/decode/unit_decoder.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace memprof::backend {

void UnitDecoder::record(StreamRing& ring, const std::uint64_t* p, std::size_t words) {
  switch (MPRT_CONTROL_KIND(p[0])) {
    case MPRT_UNIT_LOAD:
      ring.unit = std::make_unique<UnitAssembler>(p[1]);
      return;
    case MPRT_DATA: {
      const std::uint64_t bytes = std::min<std::uint64_t>(p[2], (words - 3) * 8);
      if (!ring.unit || !ring.unit->add(p[1], p + 3, bytes)) counts_.corrupt++;
      return;
    }
    case MPRT_UNIT_READY:
      ready(ring);
      return;
    case MPRT_ENTRIES:
      if (!units_.note_entries(p[1], p[2], p[3], p[4])) counts_.corrupt++;
      return;
    case MPRT_UNIT_UNLOAD:
      if (const Unit* unit = units_.unload(p[1])) globals_died(*unit);
      births_.forget();
      return;
    default:
      return;
  }
}

void UnitDecoder::ready(StreamRing& ring) {
  if (!ring.unit) {
    counts_.corrupt++;
    return;
  }
  auto image = ring.unit->finish();
  ring.unit.reset();
  const Unit* unit = image ? units_.load(std::move(*image)) : nullptr;
  loads_++;
  births_.forget();
  if (!unit) {
    counts_.corrupt++;
    return;
  }
  note_mode(*unit);
  globals_born(*unit);
  note_covered_sites(*unit);
}

void UnitDecoder::globals_born(const Unit& unit) {
  GroupTable& groups = resolver_.groups();
  const auto rows = unit.image.global_rows();
  for (std::size_t i = 0; i < rows.size(); i++) {
    const std::uint64_t address = unit.image.globals[i];
    const std::uint64_t bytes =
        rows[i].bytes_low | std::uint64_t{rows[i].bytes_high} << 32;
    if (!address || !bytes || bytes > k_max_width) continue;
    // Another unit may have named the same variable already (common symbols,
    // inline variables, copy relocations).
    const Object* there = resolver_.objects().find(address);
    if (there && groups.kind(there->group) == feedback::GroupKind::global &&
        address + bytes <= there->end())
      continue;
    feedback::Group group;
    group.kind = feedback::GroupKind::global;
    group.file = unit.image.text(rows[i].file);
    group.line = rows[i].line;
    group.function = unit.image.text(rows[i].name);
    group.type = unit.image.text(rows[i].type);
    life_.global_birth(address, bytes, groups.intern(std::move(group)));
  }
}

void UnitDecoder::globals_died(const Unit& unit) {
  if (unit.image.path == hooks_.executable) return;
  for (const std::uint64_t address : unit.image.globals) {
    const Object* object = resolver_.objects().find(address);
    if (object && object->base == address &&
        resolver_.groups().kind(object->group) == feedback::GroupKind::global)
      life_.death(address);
  }
}

// A covered site's variable may belong to a unit that is loaded later.
void UnitDecoder::note_covered_sites(const Unit& unit) {
  Columns& columns = resolver_.columns();
  const auto& all = units_.covered_sites();
  const auto first = all.lower_bound(unit.first_site);
  const auto last = all.lower_bound(
      unit.first_site + static_cast<SiteId>(unit.image.sites().size()));
  for (auto it = first; it != last; ++it) columns[it->second.by].covered = 0;
  for (auto it = first; it != last; ++it)
    if (!it->second.address)
      columns[it->second.by].covered++;
    else if (!it->second.group)
      homeless_.push_back(it->first);
  std::erase_if(homeless_, [&](SiteId site) {
    const Object* object = resolver_.objects().find(all.at(site).address);
    if (object) units_.set_group(site, object->group);
    return object != nullptr;
  });
}

// Once units of another mode are loaded, records are no longer of bursts only.
void UnitDecoder::note_mode(const Unit& unit) {
  const bool sample = unit.image.header().mode == MPRT_MODE_SAMPLE;
  if (sampled_ && !sample) out_.emit_loop(EventKind::gap, 0);
  sampled_ = sample && (sampled_ || units_.all().size() == 1);
  objects_only_ = unit.image.header().mode == MPRT_MODE_OBJECTS && (objects_only_ || units_.all().size() == 1);
  life_.set_mode(sampled_, objects_only_);
}

}  // namespace memprof::backend
