// version_test.cc - old documents stay readable, newer ones as far as
// they can be.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "feedback/reader.h"
#include "feedback/regularity.h"
#include "feedback/schema.h"
#include "feedback/validate.h"
#include "feedback/writer.h"
#include "testsuite/unit/feedback/feedback_samples.h"

namespace memprof::feedback {
namespace {

using namespace test;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

// The full profile without what 1.2 has added to the rows of functions.
Profile before_12() {
  Profile p = full_profile();
  Function& f = p.modules[0].functions[0];
  f.file.clear();
  f.loops[1].file.clear();
  for (Loop& loop : f.loops) loop.invocations_error = loop.iterations_error = 0;
  p.groups[0].error = 0;
  f.sites.pop_back();
  p.run.accesses -= 4;
  p.run.stores -= 4;
  p.never_met.clear();
  p.run.external_functions.clear();
  p.groups[0].parent = k_none;
  p.dependences[0].uncertain = 0;
  std::erase(p.sections, "never_met");
  return p;
}

TEST(Golden, EveryFileIsReadAndValid) {
  unsigned files = 0;
  for (const char* folder : {"golden/v1"})
    for (const auto& entry : std::filesystem::directory_iterator(source_path(folder))) {
      if (entry.path().extension() != ".json") continue;
      files++;
      const Result<Profile> profile = read_profile(entry.path());
      EXPECT_TRUE(bool(profile)) << profile.error().text();
      for (const Error& fault : validate_file(entry.path())) ADD_FAILURE() << fault.text();
    }
  EXPECT_GE(files, 1u);
}

TEST(Golden, EveryFieldOfVersion1) {
  Result<Profile> p = read_profile(source_path("golden/v1/every-field.json"));
  ASSERT_TRUE(bool(p));
  // The writer of today makes the same bytes: a change of the format shows here.
  EXPECT_EQ(to_json(full_profile()), slurp(source_path("golden/v1/every-field.json")));
  EXPECT_EQ(to_json(*p), to_json(full_profile()));
  EXPECT_EQ(p->program.build_id, "b1d");
  EXPECT_EQ(p->run.threads, 6u);
  EXPECT_EQ(p->run.duration_s, 1.25);
  const Function& f = p->modules.at(0).functions.at(0);
  EXPECT_EQ(f.linkage_name, "_Z1fi");
  EXPECT_EQ(f.checksum, 0xdeadbeefu);
  EXPECT_TRUE(f.comdat);
  EXPECT_EQ(f.loops.at(1).parent, 0u);
  EXPECT_EQ(f.sites.at(0).executions, (1ull << 60) + 20);
  EXPECT_EQ(f.sites.at(0).inlined_at, "a.c:9");
  EXPECT_EQ(f.frames.at(f.sites.at(0).frame - 1).name, "std::find");
  EXPECT_EQ(f.sites.at(1).kind, Access::store);
  EXPECT_EQ(p->groups.at(0).context, "a.c:3 < b.c:9");
  EXPECT_EQ(p->groups.at(1).kind, GroupKind::unknown);
  EXPECT_EQ(p->object_relative.at(0).v3.lmads.at(0).stride[2], -6);
  EXPECT_EQ(p->object_relative.at(0).o1.overflow.count, 12u);
  EXPECT_EQ(p->mdf.at(1).source, k_external);
  EXPECT_EQ(p->strides.at(0).klass, StrideClass::pmst);
  EXPECT_EQ(p->strides.at(0).within_object.histogram.at(1).stride, 4);
  EXPECT_EQ(p->dependences.at(0).distance.histogram[5], 5u);
  EXPECT_EQ(p->inferred_dependences.at(0).frequency, 0.25);
  EXPECT_EQ(p->inferred_dependences.at(1).source, k_external);
  EXPECT_EQ(p->points_to.at(0).groups.at(0).count, 11u);
}

// Those that 1.0 and 1.1 do not have.
void drop_later_tables(Profile& profile) {
  profile.regularity.clear();
  profile.whole_stream.clear();
  profile.stream_names.clear();
  profile.pages.clear();
  profile.page_phases.clear();
  profile.co_access.clear();
  profile.reuse.clear();
  profile.timeline.clear();
  for (Cache& row : profile.cache) row.errors = {}, row.guessed = false;
  for (Group& group : profile.groups) group.large = group.resident = 0, group.wrapper.clear();
  for (Module& module : profile.modules)
    for (Function& function : module.functions) {
      function.frames.clear();
      function.calls.clear();
      for (Loop& loop : function.loops) loop.frame = 0;
      for (Site& site : function.sites) site.frame = 0, site.header.clear();
    }
  profile.run.pages.clear();
  profile.run.start = 0;
  profile.run.host.clear();
  profile.run.labels.clear();
  profile.run.windows = profile.run.window_accesses = 0;
  for (const char* table : {"reuse", "regularity", "whole_stream", "stream_names", "pages", "page_phases", "co_access", "timeline"})
    std::erase(profile.sections, table);
}

// 1.1 has one table more, 1.2 another one; it says which executions have no loop, and has
// counts in sums.
TEST(Golden, EveryFieldOfVersion10) {
  Result<Profile> p = read_profile(source_path("golden/v1/every-field-1.0.json"));
  ASSERT_TRUE(bool(p));
  Profile expected = before_12();
  expected.inferred_dependences.clear();
  expected.dependences.pop_back();
  std::erase(expected.sections, "inferred_dependences");
  expected.mdf[0].counts = {};
  drop_later_tables(expected);
  EXPECT_EQ(to_json(*p), to_json(expected));
}

TEST(Golden, EveryFieldOfVersion11) {
  Result<Profile> p = read_profile(source_path("golden/v1/every-field-1.1.json"));
  ASSERT_TRUE(bool(p));
  Profile expected = before_12();
  expected.mdf[0].counts = {};
  drop_later_tables(expected);
  expected.dependences.pop_back();
  EXPECT_EQ(to_json(*p), to_json(expected));
}

// What was all `intra', or both `intra' and `carried', is so no longer.
TEST(Golden, PartsOfOldDependencesAddUp) {
  Result<Profile> p = parse_profile(
      R"({"memprof":{"format":"1.1"},"program":{"name":"p"},
"run":{"complete":true,"mode":"full","runs":1,"accesses":22,"loads":20,"stores":2,"events_lost":0,
"external_calls":0,"objects":0,"threads":1,"duration_s":1},
"modules":[{"file":"a.c","functions":[{"name":"f","checksum":1,"loops":[{"id":0}],"sites":[
{"id":0,"ordinal":0,"kind":"store","executions":2},{"id":1,"ordinal":1,"kind":"load","executions":20}]}]}],
"groups":[],"dependences":[
{"source":0,"sink":1,"kind":"raw","count":9,"frequency":0.45,"loop":0,"intra":7,"carried":5,
"distance":{"max":2,"histogram":[7,0,5,0,0,0]}},
{"source":0,"sink":1,"kind":"raw","count":4,"frequency":0.2,"iters":1,"intra":4}]})", "");
  ASSERT_TRUE(bool(p)) << p.error().text();
  ASSERT_EQ(p->dependences.size(), 2u);
  const Dependence &both = p->dependences[0], &apart = p->dependences[1];
  EXPECT_EQ(both.intra, 4u);
  EXPECT_EQ(both.carried, 5u);
  EXPECT_EQ(both.no_loop, 0u);
  EXPECT_EQ(apart.intra, 0u);
  EXPECT_EQ(apart.no_loop, 4u);
  EXPECT_EQ(apart.distance.histogram[0], 0u);
}

// Files from before windows have neither `looked' nor `before', but `retired'.
TEST(Version, RegularityBeforeWindowsIsOfAllReferences) {
  TemporaryFolder folder;
  const std::string path = folder.path("p.json");
  std::string text = replaced(to_json(full_profile()), "\"looked\":15,\"before\":16,", "");
  text = replaced(text, "\"pages\":2,\"periods\"", "\"pages\":2,\"retired\":1,\"periods\"");
  const std::size_t index = text.find("\"index\":");  // it fits no longer
  text.erase(index, text.find("\"program\":") - index);
  spill(path, text);
  for (const Error& fault : validate_file(path)) ADD_FAILURE() << fault.text();
  Result<Profile> p = read_profile(path);
  ASSERT_TRUE(bool(p)) << p.error().text();
  Profile expected = full_profile();
  expected.regularity[0].looked = expected.regularity[0].before = 0;
  EXPECT_EQ(to_json(*p), to_json(expected));
  EXPECT_EQ(summary(p->regularity[0]).looked, 1);
}

// Whether its minor version is newer, or a profiling module was added to the program that made it.
TEST(Version, UnknownKeysAreSkipped) {
  for (const std::string format : {"1.2", "1.9"}) {
    TemporaryFolder folder;
    const std::string path = folder.path("p.json");
    std::string text =
        replaced(to_json(full_profile()), "\"format\":\"1.2\"", "\"format\":\"" + format + "\"");
    text = replaced(text, "\"ordinal\":3,", "\"ordinal\":3,\"heat\":{\"x\":[1,2,{}]},");
    text = replaced(text, "\"points_to\":[\n", "\"whatever\":[{\"a\":[1]},[],7],\n\"points_to\":[\n");
    text = replaced(text, "\"run\":{", "\"future\":\"text\",\n\"run\":{\"cpu\":null,");
    const std::size_t index = text.find("\"index\":");  // it fits no longer
    text.erase(index, text.find("\"program\":") - index);
    spill(path, text);
    for (const Error& fault : validate_file(path)) ADD_FAILURE() << fault.text();
    Result<Profile> p = read_profile(path);
    ASSERT_TRUE(bool(p)) << p.error().text();
    EXPECT_EQ(to_json(*p), to_json(full_profile()));
    EXPECT_TRUE(bool(read_module(path, "a.c")));
  }
}

TEST(Version, OtherMajorIsThatAndNothingElse) {
  // Also when the rest makes no sense, and when the version comes last.
  for (const char* text :
       {"{\"memprof\":{\"format\":\"2.0\"},\"modules\":7}",
        "{\"modules\":7,\"groups\":[1,2],\"memprof\":{\"format\":\"2.0\"}}"}) {
    const Result<Profile> p = parse_profile(text, "f.json");
    ASSERT_FALSE(bool(p));
    EXPECT_EQ(p.error().kind, Error::Kind::version);
    EXPECT_TRUE(p.error().text().starts_with("f.json:/memprof/format: format 2.0, but "));
  }
}

// Any order of the keys is JSON of the same meaning (jq -S, say).
TEST(Version, OrderOfKeysDoesNotMatter) {
  const std::string text = to_json(full_profile());
  const std::size_t memprof = text.find("\"memprof\":"), index = text.find("\"index\":");
  const std::string header = text.substr(memprof, index - memprof - 2);
  std::string other = text.substr(0, memprof) + text.substr(index);
  other.insert(other.size() - 3, ",\n" + header);
  const std::string by_name = nlohmann::json::parse(text).dump();
  for (const std::string& changed : {other, by_name}) {
    const Result<Profile> p = parse_profile(changed, "x");
    ASSERT_TRUE(bool(p)) << p.error().text();
    EXPECT_EQ(to_json(*p), text);
  }
}

TEST(Version, ParseFormat) {
  unsigned major = 9, minor = 9;
  EXPECT_TRUE(parse_format("1.0", &major, &minor));
  EXPECT_EQ(major, 1u);
  EXPECT_EQ(minor, 0u);
  for (const char* text : {"", "1", "1.", ".1", "1.0.0", "1.0 ", "-1.0", "a.b", "1,0"})
    EXPECT_FALSE(parse_format(text, &major, &minor)) << text;
}

}  // namespace
}  // namespace memprof::feedback
