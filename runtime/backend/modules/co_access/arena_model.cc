// arena_model.cc - misses of a trace of visits if some groups of objects had other places.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/co_access/arena_model.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace memprof::backend {
namespace {

constexpr std::uint64_t k_page = k_page_bytes, k_huge_page = k_huge_page_bytes;
// Above all pages of `before': 32 bits have a line each of 256 GB.
constexpr std::uint64_t k_arena = std::uint64_t{1} << 37;

constexpr std::uint64_t slot_bytes(std::uint64_t bytes) { return (bytes + 15) & ~std::uint64_t{15}; }

// Arenas have huge pages.
std::uint32_t page_of(std::uint64_t address) {
  const std::uint64_t page =
      address < k_arena ? address / k_page + 1 : (address - k_arena) / k_huge_page | 1u << 31;
  return static_cast<std::uint32_t>(page);
}

// An arena in which objects of all sizes lie in the order of their births.
class Arena {
 public:
  // FIRST: offset of the first object.
  explicit Arena(std::uint64_t first) : next_(k_arena + first) {}
  std::uint64_t birth(std::uint64_t bytes) {
    std::vector<std::uint64_t>& dead = dead_[slot_bytes(bytes) / 16];
    if (dead.empty()) {
      next_ += slot_bytes(bytes);
      return next_ - slot_bytes(bytes);
    }
    const std::uint64_t place = dead.back();
    dead.pop_back();
    return place;
  }
  void death(std::uint64_t place, std::uint64_t bytes) {
    dead_[slot_bytes(bytes) / 16].push_back(place);
  }

 private:
  std::uint64_t next_;
  std::array<std::vector<std::uint64_t>, VisitTrace::k_largest / 16 + 1> dead_;
};

// Quarters of misses, as they are counted.
constexpr std::uint64_t k_miss = 4, k_miss_without_pointer = 1;

// Adds what NOW has more than BEFORE; never less than nothing remains.
void add_change(std::uint64_t& sum, std::uint64_t now, std::uint64_t before) {
  sum = sum + now < before ? 0 : sum + now - before;
}

}  // namespace

ArenaModel::ArenaModel(const VisitTrace& trace, const CacheGeometry& geometry)
    : trace_(trace), geometry_(geometry) {
  std::unordered_map<std::uint64_t, std::uint64_t> pages;
  before_.reserve(trace.objects().size());
  for (const VisitTrace::Object& object : trace.objects()) {
    const std::uint64_t number = pages.try_emplace(object.base / k_page, 2 * pages.size()).first->second;
    // An object may go on in the next page, whose number is another one.
    before_.push_back(number * k_page + object.base % k_page);
  }
  before_misses_ = misses(before_);
}

std::vector<feedback::CoAccess::Misses> ArenaModel::misses(const Addresses& at) const {
  LruSets l1(geometry_.l1.size / geometry_.line, geometry_.l1.ways, 1);
  LruSets l2(geometry_.l2.size / geometry_.line, geometry_.l2.ways, 1);
  LruSets llc(geometry_.llc.size / geometry_.line, geometry_.llc.ways, 1);
  LruSets tlb(geometry_.tlb.size, geometry_.tlb.ways, 1);
  std::vector<feedback::CoAccess::Misses> all(trace_.groups());
  for (std::size_t i = 0; i < trace_.size(); i++) {
    const VisitTrace::Visit visit = trace_[i];
    const std::uint64_t address = at[visit.object] + (visit.part << VisitTrace::k_part_bits);
    const auto line = static_cast<std::uint32_t>(address / geometry_.line + 1);
    const bool in_tlb = tlb.use(page_of(address));
    if (l1.use(line)) continue;
    feedback::CoAccess::Misses& of = all[trace_.objects()[visit.object].group];
    const std::uint64_t miss = visit.pointer ? k_miss : k_miss_without_pointer;
    of.l1 += miss;
    if (l2.use(line) && in_tlb) continue;
    of.l2 += miss;
    if (!llc.use(line)) of.llc += miss;
  }
  for (feedback::CoAccess::Misses& of : all)
    of = {of.l1 / k_miss, of.l2 / k_miss, of.llc / k_miss};
  return all;
}

feedback::CoAccess::Misses ArenaModel::sum_of(const Addresses& at, const Chosen& chosen) const {
  const auto all = misses(at);
  feedback::CoAccess::Misses sum;
  for (std::size_t group = 0; group < all.size(); group++)
    if (chosen[group]) {
      sum.l1 += all[group].l1;
      sum.l2 += all[group].l2;
      sum.llc += all[group].llc;
    }
  for (std::size_t group = 0; group < all.size(); group++)
    if (!chosen[group]) {
      add_change(sum.l1, all[group].l1, before_misses_[group].l1);
      add_change(sum.l2, all[group].l2, before_misses_[group].l2);
      add_change(sum.llc, all[group].llc, before_misses_[group].llc);
    }
  return sum;
}

feedback::CoAccess::Misses ArenaModel::arena(const Chosen& chosen) const {
  return sum_of(in_arena(chosen), chosen);
}

feedback::CoAccess::Misses ArenaModel::ordered(std::size_t group) const {
  Chosen chosen(trace_.groups());
  chosen[group] = true;
  return sum_of(in_order(group), chosen);
}

// Objects of 64 bytes of one group begin in the middle of a line (runtime/arena/arena.h).
std::uint64_t ArenaModel::first_offset(const Chosen& chosen) const {
  if (std::count(chosen.begin(), chosen.end(), true) != 1) return 0;
  for (const VisitTrace::Object& object : trace_.objects())
    if (chosen[object.group] && slot_bytes(object.bytes) != geometry_.line) return 0;
  return geometry_.line / 2;
}

ArenaModel::Addresses ArenaModel::in_arena(const Chosen& chosen) const {
  Addresses at = before_;
  Arena arena(first_offset(chosen));
  auto death = trace_.deaths().begin();
  for (std::size_t i = 0; i < at.size(); i++) {
    for (; death != trace_.deaths().end() && death->births <= i; ++death) {
      const VisitTrace::Object& dead = trace_.objects()[death->object];
      if (chosen[dead.group]) arena.death(at[death->object], dead.bytes);
    }
    const VisitTrace::Object& born = trace_.objects()[i];
    if (chosen[born.group]) at[i] = arena.birth(born.bytes);
  }
  return at;
}

ArenaModel::Addresses ArenaModel::in_order(std::size_t group) const {
  Addresses at = before_;
  std::vector<bool> placed(at.size());
  Chosen chosen(trace_.groups());
  chosen[group] = true;
  std::uint64_t next = k_arena + first_offset(chosen);
  const auto place = [&](std::uint32_t object) {
    const VisitTrace::Object& o = trace_.objects()[object];
    if (o.group != group || placed[object]) return;
    placed[object] = true;
    at[object] = next;
    next += slot_bytes(o.bytes);
  };
  for (std::size_t i = trace_.size() / 2; i < trace_.size(); i++) place(trace_[i].object);
  for (std::uint32_t i = 0; i < at.size(); i++) place(i);
  return at;
}

}  // namespace memprof::backend
