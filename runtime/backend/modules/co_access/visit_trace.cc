// visit_trace.cc - which small heap objects a program visits, one after the other.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/co_access/visit_trace.h"

#include <algorithm>

namespace memprof::backend {

void VisitTrace::birth(GroupId group, std::uint32_t serial, std::uint64_t base,
                       std::uint64_t bytes) {
  if (bytes == 0 || bytes > k_largest || objects_.size() == k_most_objects) return;
  if (group >= number_of_.size()) number_of_.resize(group + 1);
  if (number_of_[group] == 0) {
    groups_.push_back({group, 0, {}});
    number_of_[group] = static_cast<std::uint32_t>(groups_.size());
  }
  const std::uint32_t number = number_of_[group] - 1;
  std::vector<std::uint32_t>& of_group = groups_[number].objects;
  if (serial >= of_group.size()) of_group.resize(serial + 1, k_unknown);
  of_group[serial] = static_cast<std::uint32_t>(objects_.size());
  objects_.push_back({base, number, static_cast<std::uint32_t>(bytes)});
}

std::uint32_t VisitTrace::find(GroupId group, std::uint32_t serial) const {
  if (group >= number_of_.size() || number_of_[group] == 0) return k_unknown;
  const std::vector<std::uint32_t>& of_group = groups_[number_of_[group] - 1].objects;
  return serial < of_group.size() ? of_group[serial] : k_unknown;
}

void VisitTrace::death(GroupId group, std::uint32_t serial) {
  const std::uint32_t object = find(group, serial);
  if (object != k_unknown)
    deaths_.push_back({static_cast<std::uint32_t>(objects_.size()), object});
}

void VisitTrace::access(GroupId group, std::uint32_t serial, std::uint64_t offset,
                        bool pointer) {
  const std::uint32_t object = find(group, serial);
  if (object == k_unknown || offset >= objects_[object].bytes) return;
  const std::uint32_t visit =
      object * k_parts + static_cast<std::uint32_t>(offset >> k_part_bits);
  if (visit == last_) return;
  last_ = visit;
  groups_[objects_[object].group].visits++;
  if (visits_++ / k_burst % every_ == 0) keep(visit * 2 + pointer);
}

void VisitTrace::keep(std::uint32_t visit) {
  kept_.push_back(visit);
  if (kept_.size() == k_most_visits) thin_out();
}

void VisitTrace::thin_out() {
  std::size_t to = 0;
  for (std::size_t from = 0; from < kept_.size(); from += 2 * k_burst, to += k_burst)
    std::copy_n(&kept_[from], k_burst, &kept_[to]);
  kept_.resize(to);
  every_ *= 2;
}

}  // namespace memprof::backend
