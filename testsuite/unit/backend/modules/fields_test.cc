// fields_test.cc - visits, affinity and misses of fields.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

#include <gtest/gtest.h>

namespace memprof::backend {
namespace {

using feedback::Access;
using feedback::Profile;

class NoProgram final : public ProgramInfo {
 public:
  bool store_p(SiteId) const override { return false; }
  feedback::GroupKind group_kind(GroupId) const override { return {}; }
  std::uint64_t executions(SiteId) const override { return 0; }
  std::size_t sites() const override { return 0; }
  feedback::Id site_id(SiteId site) const override { return site; }
  feedback::Id loop_id(LoopId loop) const override { return loop; }
  feedback::Id group_id(GroupId group) const override { return group; }
};

feedback::Site site(feedback::Id id, feedback::Id loop, const char* field, std::uint64_t n,
                    Access kind = Access::load) {
  feedback::Site s;
  s.id = id;
  s.loop = loop;
  s.type = "struct order";
  s.field = field;
  s.executions = n;
  s.kind = kind;
  return s;
}

// The example in the head of fields.cc, and code outside of loops.
TEST(Fields, CountsVisitsOfLoops) {
  Profile p;
  p.modules.emplace_back().functions.resize(2);
  p.modules[0].functions[0].sites = {
      site(1, 5, "price", 1000), site(2, 5, "price", 30), site(3, 5, "amount", 30),
      site(4, 5, "next", 1000), site(5, 6, "amount", 7, Access::store)};
  p.modules[0].functions[1].sites = {site(6, feedback::k_none, "pos.x", 4),
                                     site(7, feedback::k_none, "pos.y", 2),
                                     site(8, feedback::k_none, "next", 3)};
  p.cache = {{1, feedback::k_none, 0, 20, 0, 0, {}, false}, {2, feedback::k_none, 0, 5, 0, 0, {}, false}};
  const NoProgram program;
  make_fields(program)->derive(p);
  ASSERT_EQ(p.fields.size(), 4u);
  const auto& [amount, next, pos, price] =
      std::tie(p.fields[0], p.fields[1], p.fields[2], p.fields[3]);
  EXPECT_EQ(amount.field, "amount");
  EXPECT_EQ(amount.loads, 30u);
  EXPECT_EQ(amount.stores, 7u);
  EXPECT_EQ(amount.visits, 37u);
  ASSERT_EQ(amount.together.size(), 2u);
  EXPECT_EQ(amount.together[0].field, "next");
  EXPECT_EQ(amount.together[0].count, 30u);
  EXPECT_EQ(amount.together[1].count, 30u);
  EXPECT_EQ(next.visits, 1003u);
  ASSERT_EQ(next.together.size(), 2u);
  EXPECT_EQ(next.together[0].field, "pos");
  EXPECT_EQ(next.together[0].count, 3u);
  EXPECT_EQ(next.together[1].count, 1000u);
  EXPECT_EQ(pos.visits, 4u);
  EXPECT_EQ(price.loads, 1030u);
  EXPECT_EQ(price.visits, 1000u);
  EXPECT_EQ(price.misses, 25u);
}

}  // namespace
}  // namespace memprof::backend
