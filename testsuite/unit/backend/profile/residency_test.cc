// residency_test.cc - how much of large objects is in memory.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/profile/residency.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "runtime/backend/program/object_manager.h"

namespace memprof::backend {
namespace {

TEST(Residency, OnlyTouchedPagesAreThere) {
  constexpr std::size_t k_bytes = 8 << 20, k_step = 64 << 10;
  void* const place =
      mmap(nullptr, k_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(place, MAP_FAILED);
  madvise(place, k_bytes, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < k_bytes; i += k_step) static_cast<volatile char*>(place)[i] = 1;
  GroupTable groups;
  ObjectManager objects(groups);
  feedback::Group group;
  const GroupId id = groups.intern(std::move(group));
  objects.birth(reinterpret_cast<std::uint64_t>(place), k_bytes, id);
  const auto found = find_residency("/proc/self", objects, groups);
  ASSERT_TRUE(found.contains(id));
  EXPECT_EQ(found.at(id).bytes, k_bytes);
  EXPECT_EQ(found.at(id).resident, k_bytes / k_step * 4096);
  EXPECT_TRUE(find_residency("", objects, groups).empty());
  EXPECT_TRUE(find_residency("/proc/self/nothing", objects, groups).empty());
  munmap(place, k_bytes);
}

}  // namespace
}  // namespace memprof::backend
