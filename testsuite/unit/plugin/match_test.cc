// match_test.cc - finding a function's rows: names, suffixes, stale, shared.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugin/use/bridge.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "feedback/model.h"
#include "feedback/writer.h"

namespace {

using namespace memprof;
using namespace memprof::plugin;

class Match : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "match_test.XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    profile_.program.name = "p";
  }
  void TearDown() override {
    if (open_) profile_close(open_);
    std::filesystem::remove_all(folder_);
  }

  // One load site of EXECUTIONS in function NAME of FILE.
  void add(const std::string& file, const std::string& name,
           std::uint32_t checksum, std::uint64_t executions) {
    feedback::Module* module = nullptr;
    for (auto& m : profile_.modules)
      if (m.file == file) module = &m;
    if (!module) {
      module = &profile_.modules.emplace_back();
      module->file = file;
    }
    feedback::Function function;
    function.name = function.linkage_name = name;
    function.checksum = checksum;
    if (executions) {
      feedback::Site site;
      site.id = next_++;
      site.ordinal = 3;
      site.executions = executions;
      function.sites.push_back(site);
    }
    module->functions.push_back(function);
  }

  void write(const std::string& name = "p.memprof.json") {
    ASSERT_TRUE(feedback::write_profile(profile_, folder_ + "/" + name));
    profile_.modules.clear();
    next_ = 0;
  }

  profile_status open(const std::string& path, const char* source = nullptr) {
    const char* message = nullptr;
    profile_status status;
    open_ = profile_open(path.c_str(), 0, &status, &message, source);
    message_ = message;
    return status;
  }

  match_state find(const char* source, const char* name,
                   std::uint32_t checksum, bool shared = false, bool alone = false) {
    const function_match match =
        profile_find(open_, source, name, checksum, shared, alone);
    EXPECT_EQ(match.state == MATCH_OK, match.function != nullptr);
    executions_ = match.function ? profile_site(match.function, 3).executions
                                 : 0;
    return match.state;
  }

  std::string folder_, message_;
  feedback::Profile profile_;
  feedback::Id next_ = 0;
  profile* open_ = nullptr;
  std::uint64_t executions_ = 0;
};

TEST_F(Match, FindsByFileNameAndChecksum) {
  add("a.c", "f", 1, 10);
  add("b.c", "f", 1, 20);
  write();
  ASSERT_EQ(open(folder_ + "/p.memprof.json"), PROFILE_OK) << message_;
  EXPECT_EQ(find("a.c", "f", 1), MATCH_OK);
  EXPECT_EQ(executions_, 10u);
  EXPECT_EQ(find("b.c", "f", 1), MATCH_OK);
  EXPECT_EQ(executions_, 20u);
  EXPECT_EQ(find("a.c", "f", 2), MATCH_STALE);
  EXPECT_EQ(find("a.c", "g", 1), MATCH_NO_FUNCTION);
  EXPECT_EQ(find("c.c", "f", 1), MATCH_NO_MODULE);
}

TEST_F(Match, TakesTheLongestCommonSuffix) {
  add("/old/src/a.c", "f", 1, 10);
  add("/old/lib/a.c", "f", 1, 20);
  write();
  ASSERT_EQ(open(folder_), PROFILE_OK) << message_;
  EXPECT_EQ(find("/new/lib/a.c", "f", 1), MATCH_OK);
  EXPECT_EQ(executions_, 20u);
  EXPECT_EQ(find("src/a.c", "f", 1), MATCH_OK);
  EXPECT_EQ(executions_, 10u);
  EXPECT_EQ(find("a.c", "f", 1), MATCH_AMBIGUOUS);
  EXPECT_EQ(find("/new/ba.c", "f", 1), MATCH_NO_MODULE);
}

TEST_F(Match, LetsTheChecksumChooseBetweenSuffixes) {
  add("/x/a.c", "f", 1, 10);
  add("/y/a.c", "f", 2, 20);
  write();
  ASSERT_EQ(open(folder_), PROFILE_OK) << message_;
  EXPECT_EQ(find("a.c", "f", 2), MATCH_OK);
  EXPECT_EQ(executions_, 20u);
}

TEST_F(Match, TakesOtherNumbersIfNothingElseIsOfTheFamily) {
  add("a.c", "f.constprop.0", 1, 10);
  add("a.c", "g.part.0", 1, 20);
  add("a.c", "g.part.1", 1, 30);
  add("b.c", "h.constprop.0", 1, 40);
  write();
  ASSERT_EQ(open(folder_), PROFILE_OK) << message_;
  EXPECT_EQ(find("a.c", "f.constprop.1", 1, false, true), MATCH_OK);
  EXPECT_EQ(executions_, 10u);
  EXPECT_EQ(find("a.c", "f.constprop.1", 1, false, false), MATCH_NO_FUNCTION);
  EXPECT_EQ(find("a.c", "f.constprop.0", 2, false, true), MATCH_STALE);
  EXPECT_EQ(find("a.c", "g.part.2", 1, false, true), MATCH_AMBIGUOUS);
  EXPECT_EQ(find("a.c", "g.part.1", 1, false, true), MATCH_OK);
  EXPECT_EQ(executions_, 30u);
  EXPECT_EQ(find("a.c", "h.constprop.1", 1, false, true), MATCH_NO_FUNCTION);
}

TEST_F(Match, TakesSharedFunctionsFromTheModuleThatRanThem) {
  add("a.cc", "inline", 1, 0);
  add("b.cc", "inline", 1, 20);
  write();
  ASSERT_EQ(open(folder_), PROFILE_OK) << message_;
  EXPECT_EQ(find("a.cc", "inline", 1, true), MATCH_OK);
  EXPECT_EQ(executions_, 20u);
  EXPECT_EQ(find("c.cc", "inline", 1, true), MATCH_OK);
  EXPECT_EQ(executions_, 20u);
  // A static function of that name has nothing to do with it.
  EXPECT_EQ(find("a.cc", "inline", 1, false), MATCH_OK);
  EXPECT_EQ(executions_, 0u);
}

TEST_F(Match, AddsTheProfilesOfAFolder) {
  add("a.c", "f", 1, 10);
  write("one.memprof.json");
  add("a.c", "f", 1, 5);
  write("two.memprof.json");
  std::fclose(std::fopen((folder_ + "/other.json").c_str(), "w"));
  ASSERT_EQ(open(folder_), PROFILE_OK) << message_;
  EXPECT_EQ(find("a.c", "f", 1), MATCH_OK);
  EXPECT_EQ(executions_, 15u);
}

// Of profiles that lack the module only what is shared is read, if another one has it.
TEST_F(Match, AsksOtherProgramsOfAFolderForSharedFunctionsOnly) {
  add("a.c", "f", 1, 10);
  write("one.memprof.json");
  add("b.c", "f", 1, 5);
  add("b.c", "inline", 1, 7);
  profile_.modules.back().functions.back().comdat = true;
  write("two.memprof.json");
  ASSERT_EQ(open(folder_, "a.c"), PROFILE_OK) << message_;
  EXPECT_EQ(find("a.c", "f", 1), MATCH_OK);
  EXPECT_EQ(executions_, 10u);
  EXPECT_EQ(find("a.c", "inline", 1, true), MATCH_OK);
  EXPECT_EQ(executions_, 7u);
}

// A file that no profile names may hold public functions of another one.
TEST_F(Match, LooksForMovedFunctionsInAllOfAFolder) {
  add("a.c", "f", 1, 10);
  write("one.memprof.json");
  add("b.c", "f", 1, 0);
  write("two.memprof.json");
  ASSERT_EQ(open(folder_, "c.c"), PROFILE_OK) << message_;
  EXPECT_EQ(find("c.c", "f", 1, true), MATCH_OK);
  EXPECT_EQ(executions_, 10u);
}

TEST_F(Match, SaysWhatIsWrongAndMatchesNothing) {
  EXPECT_EQ(open(folder_), PROFILE_MISSING);
  EXPECT_NE(message_.find("no *.memprof.json"), std::string::npos) << message_;
  EXPECT_EQ(find("a.c", "f", 1), MATCH_NO_MODULE);
  profile_close(open_);
  EXPECT_EQ(open(folder_ + "/none"), PROFILE_MISSING);
  profile_close(open_);
  std::fclose(std::fopen((folder_ + "/x.memprof.json").c_str(), "w"));
  EXPECT_EQ(open(folder_), PROFILE_CORRUPT);
  EXPECT_NE(message_.find("x.memprof.json"), std::string::npos) << message_;
  EXPECT_EQ(find("a.c", "f", 1), MATCH_NO_MODULE);
}

// One damaged file in a folder spoils all: which rows it had, nobody knows.
TEST_F(Match, UsesNothingOfAFolderWithADamagedFile) {
  add("a.c", "f", 1, 10);
  write("a.memprof.json");
  std::fclose(std::fopen((folder_ + "/b.memprof.json").c_str(), "w"));
  EXPECT_EQ(open(folder_), PROFILE_CORRUPT);
  EXPECT_EQ(find("a.c", "f", 1), MATCH_NO_MODULE);
}

}  // namespace
