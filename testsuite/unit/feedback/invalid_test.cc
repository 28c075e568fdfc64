// invalid_test.cc - each file of testsuite/invalid has one fault.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The files are golden/v1/every-field-1.0.json, or every-field.json, with one thing changed.  A fault of
// form or of an id makes reading fail as well; counts that contradict each other
// are for the validator only.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "feedback/reader.h"
#include "feedback/validate.h"
#include "testsuite/unit/feedback/feedback_samples.h"

namespace memprof::feedback {
namespace {

using namespace test;

struct Case {
  const char* name;
  bool refused;       // by read_profile
  const char* fault;  // the start of the first one's text, behind the file's name
};

const Case k_cases[] = {
    {"array", true, "byte 0: not a memprof profile: expected '{'"},
    {"bad-utf8", true, "byte 847: not valid JSON"},
    {"blank", true, "the file is empty"},
    {"captured-less-than-accesses", false,
     "/object_relative/0/v3/captured: 11 (with the overflow) is less than the accesses, 12"},
    {"captured-more-than-accesses", false,
     "/object_relative/0/v3/captured: 13 is more than (with the overflow) the accesses, 12"},
    {"captured-not-sum", false,
     "/object_relative/0/v2/captured: 11 is not the sum of the descriptors' counts, 12"},
    {"comment", true, "byte 1410: not valid JSON"},
    {"count-hex-too-large", true,
     "/object_relative/0/accesses: expected an integer, found a string that is no hexadecimal number"},
    {"count-is-negative", true,
     "/object_relative/0/accesses: expected a number from 0 to 18446744073709551615"},
    {"count-is-real", true,
     "/object_relative/0/accesses: expected an integer, found a number that is not an integer"},
    {"count-is-string", true,
     "/object_relative/0/accesses: expected an integer, found a string that is no hexadecimal number"},
    {"count-too-large", true,
     "/object_relative/0/accesses: expected an integer, found a number that is not an integer"},
    {"dependence-carried", false, "/dependences/0/carried: 10 is more than the count, 9"},
    {"dependence-count-zero", false, "/dependences/0/count: expected 1 or more"},
    {"dependence-count", false, "/dependences/0/count: 13 is more than the sink's executions, 12"},
    {"dependence-distance-bucket", false,
     "/dependences/0/distance/histogram/5: 10 is more than the count, 9"},
    {"dependence-distance", false, "/dependences/0/distance/min: min is more than max"},
    {"dependence-frequency", false, "/dependences/0/frequency: expected 9 / 12"},
    {"dependence-intra", false, "/dependences/0/intra: 10 is more than the count, 9"},
    {"dependence-iters", false, "/dependences/0/iters: 10 is more than the count, 9"},
    {"dependence-loop-dangling", true, "/dependences/0/loop: there is no loop with id 3"},
    {"dependence-parts", false,
     "/dependences/0/count: intra + carried + no_loop is 8, not the count, 9"},
    {"dependence-sink-dangling", true, "/dependences/0/sink: there is no site with id 5"},
    {"dependence-sink-kind", false, "/dependences/0/sink: expected a load"},
    {"dependence-source-kind", false, "/dependences/0/source: expected a store"},
    {"dependence-twice", false,
     "/dependences/1: a second row with this source, sink, kind, loop and context"},
    {"empty", true, "the file is empty"},
    {"flag-is-number", true, "/run/complete: expected true or false, found a number"},
    {"function-twice", false,
     "/modules/0/functions/1: a second function _Z1fi with this checksum in the module"},
    {"group-carved-from-itself", true, "/groups/0/parent: the group is carved from itself"},
    {"group-id-twice", true, "/groups/1/id: a second group with id 0"},
    {"group-span", false, "/groups/0/span: 96 is more than the group's bytes, 80"},
    {"id-reserved", true, "/object_relative/0/group: expected a number from 0 to 4294967293"},
    {"index-body", false,
     "/index: does not fit the rows (was the file edited?); memprof merge FILE -o FILE makes it anew"},
    {"index-file", false,
     "/index: does not fit the rows (was the file edited?); memprof merge FILE -o FILE makes it anew"},
    {"index-incomplete", false, "/index/modules/0/points_to: expected 3 numbers, found 2"},
    {"index-offset", false,
     "/index: does not fit the rows (was the file edited?); memprof merge FILE -o FILE makes it anew"},
    {"inferred-count-zero", false, "/inferred_dependences/0/count: expected 1 or more"},
    {"inferred-frequency", false,
     "/inferred_dependences/0/frequency: expected 288230376151711744 / 1152921504606846996"},
    {"inferred-sink-kind", false, "/inferred_dependences/0/sink: expected a load"},
    {"inferred-sum", false,
     "/inferred_dependences/1/count: 1297036692682702848 is more than (with the rows before) the sink's executions, 1152921504606846996"},
    {"inferred-twice", false, "/inferred_dependences/1: a second row with this source and sink"},
    {"infinite-number", true, "byte 2133: not valid JSON"},
    {"key-missing", true, "/modules/0/functions/0/sites/1/kind: this key is missing"},
    {"key-twice", true, "/modules/0/functions/0/sites/1/kind: this key occurs twice"},
    {"kind-unknown", true,
     "/modules/0/functions/0/sites/1/kind: expected one of \"load\", \"store\", found \"write\""},
    {"line-too-large", true,
     "/modules/0/functions/0/sites/1/line: expected a number from 0 to 4294967295"},
    {"lmad-count-zero", false, "/object_relative/0/v2/lmads: descriptor 1 has count 0"},
    {"lmad-too-far", true, "/object_relative/0/v1/lmads/2: the last value does not fit into 64 bits"},
    {"lmads-length", true,
     "/object_relative/0/v2/lmads: expected a multiple of 5 numbers, found 6"},
    {"lone-surrogate", true, "byte 852: not valid JSON"},
    {"loop-encloses-itself", true,
     "/modules/0/functions/0/loops/0/parent: the loop encloses itself"},
    {"loop-id-twice", true, "/modules/0/functions/0/loops/1/id: a second loop with id 0"},
    {"loop-parent-dangling", true,
     "/modules/0/functions/0/loops/1/parent: loop 9 is not in this function"},
    {"mdf-above-one", false, "/mdf/1: expected lo <= est <= hi <= 1"},
    {"mdf-order", false, "/mdf/0: expected lo <= est <= hi <= 1"},
    {"mdf-sink-is-store", false, "/mdf/1/sink: expected a load"},
    {"mdf-source-dangling", true, "/mdf/0/source: there is no site with id 8"},
    {"mdf-source-is-load", false, "/mdf/0/source: expected a store"},
    {"mdf-twice", false, "/mdf/1: a second row with this source and sink"},
    {"missing-groups", true, "/groups: this key is missing"},
    {"missing-header", true, "/memprof: this key is missing"},
    {"missing-run", true, "/run: this key is missing"},
    {"nan", true, "byte 2129: not valid JSON"},
    {"nested-too-deep", true, "nested more than 32 deep"},
    {"never-met-bound", false, "/never_met/0/hi: expected 1 or less"},
    {"never-met-elsewhere", false, "/never_met/0/sources/0: site 1 is not in loop 1"},
    {"never-met-sink-is-store", false, "/never_met/0/sinks/0: expected a load"},
    {"never-met-source-dangling", true, "/never_met/0/sources/0: there is no site with id 8"},
    {"not-json", true, "byte 0: not a memprof profile: expected '{'"},
    {"number", true, "byte 0: not a memprof profile: expected '{'"},
    {"numbers-length", true, "/dependences/0/distance/histogram: expected 6 numbers, found 5"},
    {"object-is-table", true, "/program: expected an object, found an array"},
    {"object-relative-accesses", false,
     "/object_relative: 13 is more than the executions of site 1, 12"},
    {"object-relative-group-dangling", true,
     "/object_relative/0/group: there is no group with id 5"},
    {"object-relative-twice", false, "/object_relative/1: a second row with this site and group"},
    {"ordinal-twice", true,
     "/modules/0/functions/0/sites/1/ordinal: a second site with ordinal 0 in this function"},
    {"overflow-min-max", false, "/object_relative/0/v3/overflow/min/0: min is more than max"},
    {"pair-length", true, "/strides/0/histogram/1: expected 2 numbers, found 1"},
    {"points-to-count-zero", false, "/points_to/0/groups/1/1: expected 1 or more"},
    {"points-to-group-dangling", true, "/points_to/0/groups/1/0: there is no group with id 2"},
    {"points-to-group-twice", false, "/points_to/0/groups/1/0: a second entry for this group"},
    {"points-to-sum", false, "/points_to/0/groups: 13 is more than the site's executions, 12"},
    {"points-to-twice", false, "/points_to/1/site: a second row with this site"},
    {"ratio-is-negative", true, "/strides/0/share: expected a number that is not negative"},
    {"ratio-is-text", true, "/strides/0/share: expected a number, found a string"},
    {"row-is-number", true, "/groups/1: expected an object, found a number"},
    {"run-accesses", false,
     "/run/accesses: 1152921504606847008 is not loads + stores, 1152921504606847009"},
    {"run-loads", false,
     "/run/loads: 1152921504606846997 is not the sum of the sites' executions, 1152921504606846996"},
    {"run-without-runs", false, "/run/runs: expected 1 or more"},
    {"section-twice", true, "/points_to: this key occurs twice"},
    {"site-id-twice", true, "/modules/0/functions/0/sites/1/id: a second site with id 0"},
    {"site-frame-dangling", true,
     "/modules/0/functions/0/sites/0/frame: frame 3 is not among the 1 of this function"},
    {"frame-in-itself", true,
     "/modules/0/functions/0/frames/0/frame: frame 1 is not among the 0 before"},
    {"site-loop-dangling", true,
     "/modules/0/functions/0/sites/0/loop: loop 7 is not in this function"},
    {"site-not-executed", false, "/run/stores: 12 is not the sum of the sites' executions, 0"},
    {"stride-dominant", false, "/strides/0/dominant: not the first stride of the histogram"},
    {"stride-entry-twice", false,
     "/strides/0/within_object/histogram/1/0: a second entry for this stride"},
    {"stride-entry-zero", false, "/strides/0/within_object/histogram/1/1: expected 1 or more"},
    {"stride-executions", false, "/strides/0/executions: 13 is not the site's, 12"},
    {"stride-repeats", false, "/strides/0/repeats: 13 is more than the executions, 12"},
    {"stride-share", false, "/strides/0/share: expected 7 / 12"},
    {"stride-site-dangling", true, "/strides/0/site: there is no site with id 6"},
    {"stride-too-many", false,
     "/strides/0/histogram: its counts and `other' make 12, but 12 executions have fewer strides"},
    {"stride-twice", false, "/strides/1/site: a second row with this site"},
    {"stride-unsorted", false,
     "/strides/0/within_object/histogram/1/1: more than the entry before: not sorted"},
    {"table-is-object", true, "/strides: expected an array, found an object"},
    {"text-is-null", true, "/memprof/tool: expected a string, found null"},
    {"timeline-thread-twice", false, "/timeline/1/thread: a second row with this thread"},
    {"trailing-text", true, "byte 2672: not valid JSON"},
    {"truncated", true, "byte 1336: the file ends in the middle (truncated?)"},
    {"type-too-large", false,
     "/types/0/bytes: 1099511627776 is more than what a structure can have, 1099511627775"},
    {"version-malformed", true, "/memprof/format: expected a version such as \"1.2\""},
    {"version-newer-major", true,
     "/memprof/format: format 2.0, but this memprof reads 1.x; make the profile anew, or use the memprof that made it"},
    {"version-number", true,
     "/memprof/format: expected a string, found a number that is not an integer"},
    {"version-older-major", true,
     "/memprof/format: format 0.9, but this memprof reads 1.x; make the profile anew, or use the memprof that made it"},
};

std::string behind_name(const Error& error) {
  const std::string text = error.text().substr(error.file.size());
  return text.substr(text.starts_with(": ") ? 2 : 1);
}

class Invalid : public testing::TestWithParam<Case> {
 protected:
  std::string path() const { return source_path("invalid/") + GetParam().name + ".json"; }
};

TEST_P(Invalid, IsReported) {
  const std::vector<Error> faults = validate_file(path());
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults[0].file, path());
  EXPECT_TRUE(behind_name(faults[0]).starts_with(GetParam().fault))
      << behind_name(faults[0]) << "\nexpected " << GetParam().fault;
}

TEST_P(Invalid, IsRefusedByTheReaderWithTheSameWords) {
  const Result<Profile> profile = read_profile(path());
  ASSERT_EQ(!profile, GetParam().refused);
  if (profile) return;
  EXPECT_TRUE(behind_name(profile.error()).starts_with(GetParam().fault))
      << behind_name(profile.error());
}

TEST_P(Invalid, CompileReadsItOrRefusesIt) {
  const Result<Profile> profile = read_module(path(), "a.c");
  if (!profile) {
    EXPECT_FALSE(profile.error().what.empty());
    return;
  }
  for (const Stride& row : profile->strides) EXPECT_NE(row.site, k_none);
}

std::string test_name(const testing::TestParamInfo<Case>& parameter) {
  std::string name = parameter.param.name;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Invalid, testing::ValuesIn(k_cases), test_name);

TEST(InvalidFolder, HasAFileForEachCaseAndNoOther) {
  std::set<std::string> expected, found;
  for (const Case& c : k_cases) expected.insert(std::string(c.name) + ".json");
  for (const auto& entry : std::filesystem::directory_iterator(source_path("invalid")))
    if (entry.path().extension() == ".json") found.insert(entry.path().filename());
  EXPECT_EQ(expected, found);
}

}  // namespace
}  // namespace memprof::feedback
