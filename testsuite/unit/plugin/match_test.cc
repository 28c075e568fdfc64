// match_test.cc - finding a function's rows: names, suffixes, stale, shared.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugin/use/bridge.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

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
    open_ = profile_open(path.c_str(), {nullptr, 0, 1}, {.source = source}, &status, &message);
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

// One damaged file in a folder spoils all: which rows it had is not known.
TEST_F(Match, UsesNothingOfAFolderWithADamagedFile) {
  add("a.c", "f", 1, 10);
  write("a.memprof.json");
  std::fclose(std::fopen((folder_ + "/b.memprof.json").c_str(), "w"));
  EXPECT_EQ(open(folder_), PROFILE_CORRUPT);
  EXPECT_EQ(find("a.c", "f", 1), MATCH_NO_MODULE);
}

TEST_F(Match, FindsWhatMovedToAnotherFileIfThereIsOne) {
  add("a.c", "f", 1, 10);
  add("b.c", "g", 1, 20);
  add("c.c", "twice", 1, 30);
  add("d.c", "twice", 1, 40);
  write();
  ASSERT_EQ(open(folder_, "a.c"), PROFILE_OK) << message_;
  EXPECT_EQ(find("a.c", "f", 1), MATCH_OK);
  EXPECT_EQ(find("a.c", "g", 1), MATCH_OK);  // the rows of b.c are read only now
  EXPECT_EQ(executions_, 20u);
  EXPECT_EQ(find("a.c", "twice", 1), MATCH_NO_FUNCTION);
  EXPECT_EQ(find("a.c", "g", 2), MATCH_NO_FUNCTION);
}

class Salvage : public Match {
 protected:
  // Function f of FILE with loads of EXPRESSIONS, executed 1, 2, ... times.
  void add_loads(const std::string& file, std::initializer_list<const char*> expressions) {
    add(file, "f", 1, 0);
    for (auto& m : profile_.modules)
      if (m.file == file)
        for (const char* expression : expressions) {
          feedback::Site site;
          site.id = next_++;
          auto& sites = m.functions.back().sites;
          site.ordinal = static_cast<std::uint32_t>(sites.size());
          site.width = 4;
          site.expression = expression;
          site.executions = sites.size() + 1;
          sites.push_back(site);
        }
  }

  // What the sites EXPRESSIONS of a changed f in SOURCE executed.
  std::vector<std::uint64_t> salvage(const char* source, std::initializer_list<const char*> expressions,
                                     match_state expected = MATCH_SALVAGED) {
    const function_match was = profile_find(open_, source, "f", 2, false, false);
    EXPECT_EQ(was.function, nullptr);
    std::vector<site_shape> sites;
    for (const char* expression : expressions) sites.push_back({false, 4, expression, "", "", 0});
    const function_match found =
        profile_salvage(open_, was, source, "f", sites.data(), unsigned(sites.size()));
    EXPECT_EQ(found.state, expected);
    std::vector<std::uint64_t> executions;
    for (unsigned i = 0; found.function && i < sites.size(); i++)
      executions.push_back(profile_site(found.function, i).executions);
    const char* line = profile_match_remark(open_, found, source, "f");
    remark_ = line ? line : "";
    return executions;
  }
  std::string remark_;
  using Counts = std::vector<std::uint64_t>;
};

TEST_F(Salvage, FindsSitesAmongOthersThatCameAndWent) {
  add_loads("a.c", {"p", "q", "r"});
  write();
  ASSERT_EQ(open(folder_), PROFILE_OK);
  EXPECT_EQ(salvage("a.c", {"x", "p", "r", "y"}), (Counts{0, 1, 3, 0}));
  EXPECT_NE(remark_.find("\"how\":\"salvaged\""), std::string::npos) << remark_;
  EXPECT_NE(remark_.find("\"executions\":6,\"used\":4"), std::string::npos) << remark_;
  // Which of them is it?
  EXPECT_EQ(salvage("a.c", {"p", "p", "r"}), (Counts{0, 0, 3}));
  EXPECT_EQ(salvage("a.c", {"x", "y"}, MATCH_STALE), Counts{});
  EXPECT_NE(remark_.find("\"how\":\"lost\""), std::string::npos) << remark_;
}

// Three lines more at the top: of two equal loads the one is left that was in line 3.
TEST_F(Salvage, CountsLinesFromThePairsAround) {
  add_loads("a.c", {"r", "p", "p", "s"});
  std::uint32_t line = 1;
  for (feedback::Site& site : profile_.modules[0].functions[0].sites) site.line = line++;
  write();
  ASSERT_EQ(open(folder_), PROFILE_OK);
  const site_shape sites[] = {{false, 4, "r", "", "", 4}, {false, 4, "p", "", "", 6}, {false, 4, "s", "", "", 7}};
  const function_match found = profile_salvage(open_, {MATCH_STALE, nullptr}, "a.c", "f", sites, 3);
  ASSERT_EQ(found.state, MATCH_SALVAGED);
  EXPECT_EQ(profile_site(found.function, 0).executions, 1u);
  EXPECT_EQ(profile_site(found.function, 1).executions, 3u);
  EXPECT_EQ(profile_site(found.function, 2).executions, 4u);
}

// A callee that had been inlined into f is a function of its own now: its load is the one in
// line 9, of which f had two copies.
TEST_F(Salvage, FindsSitesOfInlinedFunctionsByTheirPlaces) {
  add_loads("a.c", {"s", "p", "p", "t"});
  auto& sites = profile_.modules[0].functions[0].sites;
  for (feedback::Site& site : sites) site.line = site.column = 9;
  sites[0].line = 8;
  sites[3].file = "h.h";
  write();
  ASSERT_EQ(open(folder_), PROFILE_OK);
  const site_shape shapes[] = {{false, 4, "q", "", "", 1, "", 9, 9},
                               {true, 4, "q", "", "", 1, "", 9, 9},       // a store
                               {false, 4, "q", "", "", 1, "", 9, 8},      // another column
                               {false, 4, "q", "", "x", 1, "", 9, 9},     // another field
                               {false, 4, "t", "", "", 9, "h.h", 9, 9},
                               {false, 4, "t", "", "", 9, nullptr, 8, 9}};  // no place
  const function_match was = profile_find(open_, "a.c", "g", 2, false, false);
  ASSERT_EQ(was.state, MATCH_NO_FUNCTION);
  const function_match found = profile_salvage(open_, was, "a.c", "g", shapes, 6);
  ASSERT_EQ(found.state, MATCH_SALVAGED);
  Counts executions;
  for (unsigned i = 0; i < 6; i++) executions.push_back(profile_site(found.function, i).executions);
  EXPECT_EQ(executions, (Counts{3, 0, 0, 0, 4, 0}));
  EXPECT_NE(std::string(profile_match_remark(open_, found, "a.c", "g"))
                .find("\"kind\":\"match\",\"function\":\"f\",\"how\":\"salvaged\""),
            std::string::npos);
  EXPECT_EQ(profile_salvage(open_, was, "b.c", "g", shapes, 6).state, MATCH_NO_FUNCTION);
}

TEST_F(Salvage, InAnotherFileNeedsHalfOfTheSites) {
  add_loads("a.c", {"p", "q", "r"});
  add("b.c", "g", 1, 10);
  write();
  ASSERT_EQ(open(folder_, "b.c"), PROFILE_OK);
  EXPECT_EQ(salvage("b.c", {"x", "p", "q"}), (Counts{0, 1, 2}));
  EXPECT_EQ(salvage("b.c", {"x", "p", "y"}, MATCH_NO_FUNCTION), Counts{});
}

TEST_F(Salvage, TakesNothingIfSeveralFunctionsMayBeMeant) {
  add_loads("x/a.c", {"p", "q"});
  add_loads("y/a.c", {"p", "q"});
  write();
  ASSERT_EQ(open(folder_), PROFILE_OK);
  EXPECT_EQ(salvage("a.c", {"p", "q", "r"}, MATCH_STALE), Counts{});
  EXPECT_EQ(remark_, "");
  EXPECT_EQ(salvage("x/a.c", {"p", "q", "r"}), (Counts{1, 2, 0}));
}

TEST_F(Match, UsesNothingOfAnotherVersionOfGcc) {
  for (const char* compiler : {"GNU C17 12.2.0", "GNU GIMPLE 14.2.0", ""}) {
    add("a.c", "f", 1, 10);
    profile_.program.compiler = compiler;
    write();
    const char* message = nullptr;
    profile_status status;
    open_ = profile_open(folder_.c_str(), {nullptr, 0, 1}, {.source = "a.c", .gcc_major = 12}, &status,
                         &message);
    const bool other = std::string(compiler).find("14") != std::string::npos;
    EXPECT_EQ(status, other ? PROFILE_VERSION : PROFILE_OK) << compiler;
    EXPECT_EQ(find("a.c", "f", 1), other ? MATCH_NO_MODULE : MATCH_OK) << compiler;
    EXPECT_EQ(std::string(message).find("made with GCC 14, and GCC 12 has other code") != std::string::npos,
              other);
    profile_close(open_);
    open_ = nullptr;
  }
}

}  // namespace
