// reuse_test.cc - module `cache' in sample mode.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/reuse/reuse.h"

#include <gtest/gtest.h>

namespace memprof::backend {
namespace {

class OneSite final : public ProgramInfo {
 public:
  std::size_t sites() const override { return 1; }
  bool store_p(SiteId) const override { return stores; }
  feedback::GroupKind group_kind(GroupId) const override { return {}; }
  std::uint64_t executions(SiteId) const override { return 100; }
  feedback::Id site_id(SiteId site) const override { return site; }
  feedback::Id loop_id(LoopId) const override { return feedback::k_none; }
  feedback::Id group_id(GroupId group) const override { return group; }
  bool sampled() const override { return true; }
  bool stores = false;
};

feedback::Profile profile_of_one_site() {
  feedback::Profile profile;
  feedback::Function& function = profile.modules.emplace_back().functions.emplace_back();
  function.sites.emplace_back().id = 1;
  function.sites[0].executions = 100;
  return profile;
}

// A use in a group that no burst has met, of a line that is only looked at because it is marked.
TEST(SampledCache, AMarkedUseOfAnUnmetGroupIsNoRow) {
  const OneSite program;
  const auto module = make_sampled_cache(program);
  Batch batch;
  batch.window_uses = {{.number = 7, .kind = WindowUse::begin},
                       {.number = 64, .count = 1, .site = 1, .group = 2, .kind = WindowUse::line,
                        .marked = true},
                       {.count = 1, .kind = WindowUse::end}};
  module->consume(batch);
  feedback::Profile profile = profile_of_one_site();
  module->finish(profile);
  module->derive(profile);
  EXPECT_EQ(profile.run.windows, 1u);
  EXPECT_TRUE(profile.cache.empty());
}

// A window of 100 stores to as many lines, each of which is stored to once more before the next one: half of the
// stores leave their line alone.
TEST(SampledCache, LinesThatAStoreLeavesAlone) {
  OneSite program;
  program.stores = true;
  const auto module = make_sampled_cache(program);
  for (std::uint64_t window = 0; window < 16; window++) {
    Batch batch;
    batch.window_uses.push_back({.number = window, .kind = WindowUse::begin});
    for (std::uint64_t i = 0; i < 100; i++)
      batch.window_uses.push_back({.number = 1000 + i / 2, .count = 1, .site = 1, .group = 2,
                                   .kind = WindowUse::line, .looked_at = true});
    batch.window_uses.push_back({.count = 100, .kind = WindowUse::end});
    module->consume(batch);
  }
  feedback::Profile profile = profile_of_one_site();
  module->finish(profile);
  module->derive(profile);
  ASSERT_EQ(profile.reuse.size(), 1u);
  const auto& leaving = profile.reuse[0].leaving;
  ASSERT_FALSE(leaving.empty());
  EXPECT_EQ(leaving[0].size, 16u);
  EXPECT_EQ(leaving[0].misses, 50u);
}

// What no window met is guessed, but no walk by 8 bytes misses more than one in 8 of its accesses.
TEST(SampledCache, AnUnmetWalkMissesOncePerLine) {
  const OneSite program;
  feedback::Profile profile = profile_of_one_site();
  profile.groups.emplace_back().id = 2;
  profile.groups[0].bytes = 1 << 20;
  profile.points_to.push_back({1, {{2, 100}}});
  feedback::Stride& stride = profile.strides.emplace_back();
  stride.site = 1, stride.executions = 100;
  stride.histogram = {{8, 100}};
  const auto module = make_sampled_cache(program);
  module->finish(profile);
  module->derive(profile);
  ASSERT_EQ(profile.cache.size(), 1u);
  EXPECT_TRUE(profile.cache[0].guessed);
  EXPECT_LE(profile.cache[0].l1, 13u);
}

}  // namespace
}  // namespace memprof::backend
