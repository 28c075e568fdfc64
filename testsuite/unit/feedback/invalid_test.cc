// invalid_test.cc - each profile of testsuite/invalid/faults.txt has one fault.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "feedback/reader.h"
#include "feedback/validate.h"
#include "testsuite/invalid/invalid_profiles.h"
#include "testsuite/unit/feedback/feedback_samples.h"

namespace memprof::feedback {
namespace {

using namespace test;

std::string after_name(const Error& error) {
  const std::string text = error.text().substr(error.file.size());
  return text.substr(text.starts_with(": ") ? 2 : 1);
}

class Invalid : public testing::TestWithParam<InvalidProfile> {
 protected:
  void SetUp() override { spill(path(), GetParam().text); }
  std::string path() const { return folder_.path("x.json"); }

 private:
  TemporaryFolder folder_;
};

TEST_P(Invalid, IsReported) {
  const std::vector<Error> faults = validate_file(path());
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults[0].file, path());
  EXPECT_TRUE(after_name(faults[0]).starts_with(GetParam().message))
      << after_name(faults[0]) << "\nexpected " << GetParam().message;
}

TEST_P(Invalid, IsRefusedByTheReaderWithTheSameWords) {
  const Result<Profile> profile = read_profile(path());
  ASSERT_EQ(!profile, GetParam().refused);
  if (profile) return;
  EXPECT_TRUE(after_name(profile.error()).starts_with(GetParam().message))
      << after_name(profile.error());
}

TEST_P(Invalid, CompileReadsItOrRefusesIt) {
  const Result<Profile> profile = read_module(path(), "a.c");
  if (!profile) {
    EXPECT_FALSE(profile.error().what.empty());
    return;
  }
  for (const Stride& row : profile->strides) EXPECT_NE(row.site, k_none);
}

std::string test_name(const testing::TestParamInfo<InvalidProfile>& parameter) {
  std::string name = parameter.param.name;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Invalid, testing::ValuesIn(invalid_profiles(source_path(""))), test_name);

}  // namespace
}  // namespace memprof::feedback
