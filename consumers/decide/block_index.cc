// block_index.cc - which of few large objects of an allocation call miss the TLB.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The profile has misses by site and group, and a group holds all objects of a call.
// Its LMADs know more: the stream o1 of a site has the serial numbers of the objects
// that the site accessed, one after the other, and v1 how far into them it went.
//
// Example: a matrix and a vector from one `allocate'.  The site of a[k] has o1 =
// 1, 1, 1, ..., and v1 up to 33554428; that of x[j[k]] has o1 = 3, 3, 3, ...  So what
// the second one misses, object 3 misses.
//
// A site that goes from object to object (the two vectors of an iteration, which are
// swapped) divides its misses as it does its accesses.
#include "consumers/decide/block_index.h"

#include <algorithm>

#include "consumers/decide/whole.h"

namespace memprof::decide {
namespace {

// What of the points in OBJECTS is for each of COUNT objects; the summary of those
// after the last LMAD counts as spread evenly.
std::vector<double> parts_of(const feedback::LmadStream<1>& objects, std::size_t count) {
  std::vector<double> found(count);
  double all = 0;
  const auto point = [&](std::int64_t object, double weight) {
    if (object < 0 || static_cast<std::size_t>(object) >= count) return;
    found[static_cast<std::size_t>(object)] += weight;
    all += weight;
  };
  for (const auto& lmad : objects.lmads)
    if (lmad.stride[0] == 0)
      point(lmad.start[0], static_cast<double>(lmad.count));
    else  // no object twice: at most as many as there are
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(lmad.count, count); i++)
        point(lmad.start[0] + static_cast<std::int64_t>(i) * lmad.stride[0], 1);
  if (const auto& rest = objects.overflow; rest.count) {
    const auto step = static_cast<std::int64_t>(std::clamp<std::uint64_t>(rest.granularity[0], 1, INT64_MAX));
    const std::int64_t first = std::max<std::int64_t>(rest.min[0], 0);
    const std::int64_t last = std::min(rest.max[0], static_cast<std::int64_t>(count) - 1);
    if (first <= last) {
      const std::int64_t steps = (last - first) / step;
      const double each = static_cast<double>(rest.count) / static_cast<double>(steps + 1);
      for (std::int64_t i = 0; i <= steps; i++) point(first + i * step, each);
    }
  }
  for (double& part : found) part /= std::max(1.0, all);
  return found;
}

}  // namespace

void BlockIndex::add_row(const feedback::ObjectRelative& row, std::vector<BlockFacts>& blocks) {
  std::vector<double>& shares = parts_[{row.site, row.group}] = parts_of(row.o1, blocks.size());
  std::int64_t last = 0;
  for (const auto& lmad : row.v1.lmads)
    last = std::max({last, lmad.start[0],
                     last_of(lmad.start[0], lmad.stride[0], lmad.count)});
  if (row.v1.overflow.count) last = std::max(last, row.v1.overflow.max[0]);
  for (std::size_t i = 0; i < blocks.size(); i++)
    if (shares[i] > 0) {
      blocks[i].accesses +=
          whole(shares[i] * static_cast<double>(row.accesses));
      blocks[i].bytes = std::max(blocks[i].bytes, static_cast<std::uint64_t>(last) + 1);
    }
}

void BlockIndex::add(feedback::Id site, feedback::Id group, double count,
                     double BlockFacts::*member) {
  if (const auto at = parts_.find({site, group}); at != parts_.end())
    for (std::size_t i = 0; i < at->second.size(); i++)
      (*blocks_[group])[i].*member += count * at->second[i];
}

BlockIndex::BlockIndex(const feedback::Profile& profile,
                       const std::map<feedback::Id, std::size_t>& of_group,
                       std::vector<AllocationIndex::Entry>& entries, const CostModel& model) {
  std::map<std::size_t, unsigned> groups;  // of each call
  for (const auto& [group, entry] : of_group) groups[entry]++;
  for (const auto& group : profile.groups) {
    const auto at = of_group.find(group.id);
    // What realloc makes larger keeps its number here, and is a call there.
    if (at == of_group.end() || groups[at->second] > 1 || group.allocator == "realloc" ||
        group.objects < 2 || group.objects > k_max_blocks ||
        static_cast<double>(group.span) * model.input_scale <
            static_cast<double>(model.tlb_bytes))
      continue;
    ObjectFacts& facts = entries[at->second].facts;
    facts.blocks.resize(group.objects);
    blocks_[group.id] = &facts.blocks;
  }
  if (blocks_.empty()) return;
  for (const auto& row : profile.object_relative)
    if (const auto at = blocks_.find(row.group); at != blocks_.end()) add_row(row, *at->second);
}

}  // namespace memprof::decide
