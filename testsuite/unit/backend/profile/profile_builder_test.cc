// profile_builder_test.cc - groups of the profile.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/profile/profile_builder.h"

#include <gtest/gtest.h>

#include "runtime/backend/decode/decoder.h"

namespace memprof::backend {
namespace {

TEST(ProfileBuilder, HasTheGroupsThatOnlyWindowsHaveMet) {
  Decoder decoder;
  feedback::Group variable;
  variable.kind = feedback::GroupKind::global;
  variable.function = "late";
  const GroupId id = decoder.groups().intern(variable);
  decoder.groups()[id].objects = 1;
  ProfileBuilder builder(decoder.units(), decoder.groups());
  feedback::Profile profile;
  builder.count({});
  builder.add_groups(profile);
  EXPECT_TRUE(profile.groups.empty());
  feedback::Cache row;
  row.site = 0;
  row.group = id;
  profile.cache.push_back(row);
  builder.add_groups_of_windows(profile);
  builder.add_groups_of_windows(profile);
  ASSERT_EQ(profile.groups.size(), 1u);
  EXPECT_EQ(profile.groups[0].function, "late");
  EXPECT_EQ(profile.run.objects, 1u);
}

}  // namespace
}  // namespace memprof::backend
