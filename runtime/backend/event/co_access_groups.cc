// co_access_groups.cc - finds the sites that go together.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/co_access_groups.h"

#include <algorithm>

namespace memprof::backend {
namespace {

// Calls fn(entry, executions before it) for the executions of a block.
template <typename Fn>
void for_executions(const CompiledDesc& desc, Fn&& fn) {
  std::uint16_t time = 0;
  for (const BlockEntry& e : std::span(desc.block_entries(), desc.entries))
    if (e.execution()) fn(e, time++);
}

ColumnEntry column_of(const BlockEntry& e, std::uint16_t time, std::uint32_t convoy) {
  return {e.offset, e.site, convoy, static_cast<std::uint32_t>(e.width), time, e.word};
}

// How often each of the SITES from FIRST on is named.
std::vector<std::uint32_t> occurrences(std::span<CompiledDesc* const> descriptors,
                                       SiteId first, std::size_t sites) {
  std::vector<std::uint32_t> count(sites);
  const auto note = [&](SiteId site) {
    if (site - first < sites) count[site - first]++;
  };
  for (const CompiledDesc* desc : descriptors)
    if (desc->kind == CompiledKind::range)
      for (const RangeEntry& e : std::span(desc->range_entries(), desc->entries)) note(e.site);
    else
      for (const BlockEntry& e : std::span(desc->block_entries(), desc->entries))
        if (e.execution()) note(e.site);
  return count;
}

void measure(Convoy& convoy) {
  std::int64_t low = 0, high = 0, end = 0;
  for (const Convoy::Member& m : convoy.members) {
    const auto offset = static_cast<std::int64_t>(m.offset);
    low = std::min(low, offset);
    high = std::max(high, offset);
    end = std::max(end, offset + m.width);
  }
  convoy.low = static_cast<std::uint64_t>(low);
  convoy.extent = static_cast<std::uint64_t>(high - low) + 1;
  convoy.bytes = static_cast<std::uint64_t>(end - low);
}

}  // namespace

void write_single_columns(CompiledDesc& desc) {
  desc.place_columns();
  ColumnEntry* next = desc.column_entries();
  for_executions(desc, [&](const BlockEntry& e, std::uint16_t time) {
    *next++ = column_of(e, time, 0);
  });
  desc.columns = desc.executions = static_cast<std::uint16_t>(next - desc.column_entries());
}

void ConvoyTable::write_columns(CompiledDesc& desc) const {
  ColumnEntry* next = desc.column_entries();
  for_executions(desc, [&](const BlockEntry& e, std::uint16_t time) {
    std::uint32_t convoy = e.site < convoy_of_.size() ? convoy_of_[e.site] : 0;
    if (convoy != 0 && !whole_p(convoy)) convoy = 0;
    if (convoy == 0 || (*this)[convoy].leader() == e.site) *next++ = column_of(e, time, convoy);
  });
  desc.columns = static_cast<std::uint16_t>(next - desc.column_entries());
}

void ConvoyTable::plan(std::span<CompiledDesc* const> descriptors, SiteId first,
                       std::size_t sites) {
  // A distance that no object spans; offsets of one word seldom are so far apart.
  constexpr std::uint64_t k_far = std::uint64_t{1} << 30;
  const std::vector<std::uint32_t> count = occurrences(descriptors, first, sites);
  const std::size_t end = std::max(led_.size(), first + sites);
  led_.resize(end);
  convoy_of_.resize(end);
  // By word; absolute addresses (word 0) are those of different variables.
  std::vector<Convoy> convoys;
  std::vector<std::pair<std::uint64_t, std::uint16_t>> leads;
  for (CompiledDesc* desc : descriptors) {
    // A run is executions of one block.
    if (desc->kind != CompiledKind::block && desc->kind != CompiledKind::run) continue;
    if (desc->executions < 2) continue;
    convoys.assign(desc->words, {});
    leads.assign(desc->words, {});
    for_executions(*desc, [&](const BlockEntry& e, std::uint16_t time) {
      if (e.word == 0 || e.site - first >= sites || count[e.site - first] != 1) return;
      Convoy& convoy = convoys[e.word];
      auto& [offset, start] = leads[e.word];
      if (convoy.members.empty()) offset = e.offset, start = time;
      if (e.offset - offset + k_far >= 2 * k_far) return;
      convoy.members.push_back({e.site, static_cast<std::uint32_t>(e.width), e.offset - offset,
                                std::uint32_t{time} - start});
    });
    bool some = false;
    for (Convoy& convoy : convoys) {
      if (convoy.members.size() < 2) continue;
      measure(convoy);
      for (const Convoy::Member& m : convoy.members) convoy_of_[m.site] = size() + 1;
      led_[convoy.leader()] = size() + 1;
      convoys_.push_back({std::move(convoy), desc});
      some = true;
    }
    if (some) write_columns(*desc);
  }
}

void ConvoyTable::dissolve(std::uint32_t number) {
  Planned& planned = convoys_[number - 1];
  planned.whole = false;
  led_[planned.convoy.leader()] = 0;
  write_columns(*planned.descriptor);
}

std::vector<const Convoy*> ConvoyTable::whole() const {
  std::vector<const Convoy*> result;
  for (const Planned& planned : convoys_)
    if (planned.whole) result.push_back(&planned.convoy);
  return result;
}

}  // namespace memprof::backend
