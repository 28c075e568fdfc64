// installation_test.cc - the other parts, from the place of the command.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/installation.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "consumers/cli/process.h"

namespace memprof::cli {
namespace {

namespace fs = std::filesystem;

TEST(Installation, BuildTreeHasItsSpecsBesideTheCommand) {
  TemporaryFolder folder;
  std::ofstream(folder.path() + "/memprof.specs") << "x";
  Installation r = Installation::of_executable(folder.path() + "/memprof");
  EXPECT_TRUE(r.build_tree);
  EXPECT_EQ(r.specs, folder.path() + "/memprof.specs");
  EXPECT_EQ(r.plugin("14.2.0"), folder.path() + "/gcc-14.2.0/memprof.so");
  EXPECT_EQ(*usable_specs(r), r.specs);
}

TEST(Installation, KeepsTheLinkThroughWhichItsFolderIsUsed) {
  TemporaryFolder folder;
  const std::string self = folder.path() + "/my build/memprof", link = folder.path() + "/link";
  fs::create_directories(folder.path() + "/my build");
  std::ofstream(self) << "x";
  fs::create_directory_symlink("my build", link);
  fs::create_symlink(self, folder.path() + "/command");
  const auto name = [&self](const std::string& called) {
    return Installation::usable_name(self, called.c_str());
  };
  EXPECT_EQ(name(link + "/./memprof"), link + "/memprof");
  EXPECT_EQ(name(self), self);
  EXPECT_EQ(name(folder.path() + "/command"), self);
  fs::create_symlink("link/memprof", folder.path() + "/relative");
  EXPECT_EQ(name(folder.path() + "/relative"), link + "/memprof");
  EXPECT_EQ(name("/bin/sh"), self);
  EXPECT_EQ(Installation::usable_name("/a/b/memprof", (link + "/memprof").c_str()), "/a/b/memprof");
}

TEST(Installation, MovesWithItsPrefix) {
  Installation here = Installation::of_executable("/a/bin/memprof");
  Installation there = Installation::of_executable("/b/c/bin/memprof");
  EXPECT_FALSE(here.build_tree);
  EXPECT_EQ(here.specs.substr(0, 3), "/a/");
  EXPECT_EQ(there.specs, "/b/c" + here.specs.substr(2));
  EXPECT_EQ(there.backend, "/b/c" + here.backend.substr(2));
}

TEST(Installation, WithoutSpecsSaysSo) {
  auto specs = usable_specs(Installation::of_executable("/nowhere/bin/memprof"));
  ASSERT_FALSE(specs);
  EXPECT_NE(specs.error().text().find("completely installed"), std::string::npos);
}

TEST(Installation, SpecsThatNameOtherFilesAreRewritten) {
  TemporaryFolder folder;
  fs::create_directories(folder.path() + "/bin");
  Installation r = Installation::of_executable(folder.path() + "/bin/memprof");
  fs::create_directories(fs::path(r.specs).parent_path());

  // As installed: nothing to do.
  std::string good = "-fplugin=" + r.plugin("%(version)") + " rest";
  std::ofstream(r.specs) << good;
  EXPECT_EQ(*usable_specs(r), r.specs);

  // The folder that was configured, which is not where r is.
  std::ofstream(r.specs) << "-fplugin=" MEMPROF_LIBDIR "/x/memprof.so -L" MEMPROF_LIBDIR " end";
  setenv("XDG_CACHE_HOME", (folder.path() + "/cache").c_str(), 1);
  auto specs = usable_specs(r);
  ASSERT_TRUE(specs);
  EXPECT_NE(*specs, r.specs);
  std::stringstream text;
  text << std::ifstream(*specs).rdbuf();
  EXPECT_EQ(text.str(), "-fplugin=" + r.plugins + "/x/memprof.so -L" + r.plugins + " end");
  unsetenv("XDG_CACHE_HOME");
}

TEST(Installation, ListsTheVersionsThatHaveAPlugin) {
  TemporaryFolder folder;
  std::ofstream(folder.path() + "/memprof.specs") << "x";
  const Installation r = Installation::of_executable(folder.path() + "/memprof");
  EXPECT_TRUE(r.versions().empty());
  EXPECT_EQ(missing_plugin(r, {"gcc-14", "14.2.0", ""}),
            "there is no plugin for gcc-14 14.2.0; to build one: make -C " + folder.path() +
                " plugin-for GCC=gcc-14");
  for (const char* version : {"14.2.0", "9.5.0", "12.2.0"}) {
    fs::create_directories(folder.path() + "/gcc-" + version);
    std::ofstream(r.plugin(version)) << "x";
  }
  fs::create_directories(folder.path() + "/gcc-15.2.0");  // empty
  EXPECT_EQ(r.versions(), (std::vector<std::string>{"9.5.0", "12.2.0", "14.2.0"}));
  EXPECT_EQ(missing_plugin(r, {"gcc-14", "14.2.0", ""}), "");
  EXPECT_NE(missing_plugin(r, {"gcc", "14.3.0", ""}).find("but for 9.5.0, 12.2.0, 14.2.0; to build"),
            std::string::npos);
}

TEST(Installation, AsksACompiler) {
  TemporaryFolder folder;
  const std::string name = folder.path() + "/gcc-x";
  std::ofstream(name) << "#!/bin/sh\necho 14.2.0\n";
  fs::permissions(name, fs::perms::owner_all);
  EXPECT_EQ(ask_compiler(name).version, "14.2.0");
  EXPECT_EQ(ask_compiler("/no/such/gcc").trouble, "/no/such/gcc: No such file or directory");
  EXPECT_EQ(ask_compiler("false").trouble, "false: failed");
}

TEST(Process, ReportsStatusSignalAndFailure) {
  EXPECT_EQ(run_captured({"sh", "-c", "echo out; echo err >&2; exit 3"}).status, 3);
  EXPECT_EQ(run_captured({"sh", "-c", "echo out; echo err >&2"}).output, "out\nerr\n");
  EXPECT_EQ(run_captured({"sh", "-c", "kill -9 $$"}).status, 137);
  EXPECT_EQ(run_captured({"/no/such/program"}).error, ENOENT);
}

TEST(TemporaryFolder, GoesAway) {
  std::string path;
  {
    TemporaryFolder folder;
    path = folder.path();
    std::ofstream(path + "/file") << "x";
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace memprof::cli
