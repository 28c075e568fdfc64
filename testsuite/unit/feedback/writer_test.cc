// writer_test.cc - canonical bytes; files are replaced whole.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "feedback/derive.h"
#include "feedback/file.h"
#include "feedback/merge.h"
#include "feedback/reader.h"
#include "feedback/writer.h"
#include "testsuite/unit/feedback/feedback_samples.h"

namespace memprof::feedback {
namespace {

using namespace test;

std::size_t entries(const std::string& folder) {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) n++;
  return n;
}

mode_t mode_of(const std::string& path) {
  struct stat st;
  return ::stat(path.c_str(), &st) == 0 ? st.st_mode & 07777 : 0;
}

TEST(Canonical, SameBytesForAnyOrderAndIds) {
  for (unsigned seed = 0; seed < 100; seed++) {
    const Profile p = random_profile(seed);
    ASSERT_EQ(to_json(shuffled(p, seed)), to_json(p)) << "seed " << seed;
  }
}

TEST(Canonical, IsIdempotent) {
  for (unsigned seed = 0; seed < 30; seed++) {
    Profile p = random_profile(seed);
    canonicalise(p);
    const std::string once = to_json(p);
    canonicalise(p);
    ASSERT_EQ(to_json(p), once);
  }
}

// What differs between two runs of the same program is on one line.
TEST(Canonical, RunIsTheOnlyLineThatARunChanges) {
  Profile p = random_profile(5), q = p;
  q.run.duration_s = 123456.75;
  q.run.threads = 999999;
  auto without_run = [](const Profile& profile) {
    std::string text = to_json(profile);
    const std::size_t from = text.find("\"run\":");
    return text.erase(from, text.find('\n', from) - from);
  };
  EXPECT_NE(to_json(p), to_json(q));
  EXPECT_EQ(without_run(p), without_run(q));
}

TEST(Canonical, DropsRowsOfMissingSitesAndGroups) {
  Profile p = full_profile();
  p.strides.push_back(p.strides[0]);
  p.strides.back().site = 77;
  p.points_to[0].groups.push_back({55, 3});
  p.object_relative.push_back(p.object_relative[0]);
  p.object_relative.back().group = k_none;
  EXPECT_EQ(to_json(p), to_json(full_profile()));
}

TEST(Canonical, HoldsNoNumberThatIsNotJson) {
  Profile p = full_profile();
  p.mdf[0].est = 0.0 / 0.0;
  p.dependences[0].frequency = 1 / 0.0;
  p.run.duration_s = -1 / 0.0;
  EXPECT_TRUE(bool(parse_profile(to_json(p), "")));
}

TEST(Canonical, BytesThatAreNotUtf8BecomeReplacementCharacters) {
  Profile p = full_profile();
  p.modules[0].file = "a\xff\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80.c";
  p.program.command = std::string("nul \0 here", 10);
  Result<Profile> back = parse_profile(to_json(p), "");
  ASSERT_TRUE(bool(back)) << back.error().text();
  const std::string r = "\xef\xbf\xbd";
  EXPECT_EQ(back->modules[0].file, "a" + r + r + r + r + r + r + r + r + r + r + ".c");
  EXPECT_EQ(back->program.command, p.program.command);
}

TEST(Canonical, IntegersAbove2To53AreHexStrings) {
  Profile p = full_profile();
  auto text_of = [&p](std::uint64_t n) {
    p.run.external_calls = n;
    const std::string text = to_json(p), key = "\"external_calls\":";
    const std::size_t from = text.find(key) + key.size();
    return text.substr(from, text.find(',', from) - from);
  };
  EXPECT_EQ(text_of(1ull << 53), "9007199254740992");
  EXPECT_EQ(text_of((1ull << 53) + 1), "\"0x20000000000001\"");
  EXPECT_EQ(text_of(UINT64_MAX), "\"0xffffffffffffffff\"");
}

// v1 and o1 of a site that stays in one object are not written, but read.
TEST(ObjectRelativeRows, OfOneObjectAreShort) {
  Profile p = full_profile();
  ObjectRelative& r = p.object_relative[0];
  r.v2 = {{{{3, 0}, {0, 8}, 4}, {{3, 100}, {0, -4}, 2}}, 6, {{3, 5}, {3, 90}, {0, 5}, 6, 44}};
  r.v1 = {{{{0}, {8}, 4}, {{100}, {-4}, 2}}, 6, {{5}, {90}, {5}, 6, 44}};
  r.o1 = {{{{3}, {0}, 12}}, 12, {}};
  const std::string text = to_json(p);
  EXPECT_EQ(text.find("\"v1\""), text.npos) << text;
  EXPECT_EQ(text.find("\"o1\""), text.npos);
  Result<Profile> back = parse_profile(text, "");
  ASSERT_TRUE(bool(back)) << back.error().text();
  const ObjectRelative& read = back->object_relative[0];
  EXPECT_EQ(read.v1.lmads.at(1).stride[0], -4);
  EXPECT_EQ(read.v1.captured, 6u);
  EXPECT_EQ(read.v1.overflow.max[0], 90);
  EXPECT_EQ(read.v1.overflow.granularity[0], 5u);
  EXPECT_EQ(read.v1.overflow.t_closed, 44u);
  EXPECT_EQ(read.o1.lmads.at(0).start[0], 3);
  EXPECT_EQ(read.o1.captured, 12u);
  EXPECT_EQ(to_json(*back), text);
}

TEST(ObjectRelativeRows, OfSeveralObjectsOrRunsAreWhole) {
  auto whole = [](auto change) {
    Profile p = full_profile();
    ObjectRelative& r = p.object_relative[0];
    r.v2 = {{{{3, 0}, {0, 8}, 4}}, 4, {{3, 5}, {3, 90}, {0, 5}, 8, 44}};
    r.v1 = {{{{0}, {8}, 4}}, 4, {{5}, {90}, {5}, 8, 44}};
    r.o1 = {{{{3}, {0}, 12}}, 12, {}};
    EXPECT_EQ(to_json(p).find("\"v1\""), std::string::npos);
    change(r);
    const std::string text = to_json(p);
    EXPECT_EQ(to_json(*parse_profile(text, "")), text);
    return (text.find("\"v1\"") != text.npos) + 2 * (text.find("\"o1\"") != text.npos);
  };
  EXPECT_EQ(whole([](ObjectRelative& r) { r.v2.lmads[0].stride[0] = 1; }), 3);
  EXPECT_EQ(whole([](ObjectRelative& r) { r.v2.lmads[0].start[0] = 1; }), 3);
  EXPECT_EQ(whole([](ObjectRelative& r) { r.v2.overflow.max[0] = 4; }), 3);
  EXPECT_EQ(whole([](ObjectRelative& r) { r.v1.overflow.t_closed++; }), 1);
  EXPECT_EQ(whole([](ObjectRelative& r) { r.v1.lmads[0].start[0]++; }), 1);
  EXPECT_EQ(whole([](ObjectRelative& r) { r.o1.lmads[0].count++; }), 2);
  EXPECT_EQ(whole([](ObjectRelative& r) { r.o1.captured--; }), 2);
}

// v2 that is v3 without the times is not written; starts are differences.
TEST(ObjectRelativeRows, OfOpenStreamsAreShort) {
  Profile p = full_profile();
  ObjectRelative& r = p.object_relative[0];
  r.v3 = {{{{3, 0, 7}, {0, 8, 1}, 4}, {{4, INT64_MIN, 20}, {1, 4, 2}, 8}}, 12, {}};
  r.v2 = {{{{3, 0}, {0, 8}, 4}, {{4, INT64_MIN}, {1, 4}, 8}}, 12, {}};
  const std::string text = to_json(p);
  EXPECT_EQ(text.find("\"v2\""), text.npos) << text;
  EXPECT_NE(text.find("[3,0,7,0,8,1,4,1,\"-0x8000000000000000\",13,1,4,2,8]"), text.npos)
      << text;
  Result<Profile> back = parse_profile(text, "");
  ASSERT_TRUE(bool(back)) << back.error().text();
  EXPECT_EQ(back->object_relative[0].v2.lmads.at(1).start[1], INT64_MIN);
  EXPECT_EQ(back->object_relative[0].v2.captured, 12u);
  EXPECT_EQ(to_json(*back), text);
  r.v2.lmads[1].count--;
  r.v2.captured--;
  EXPECT_NE(to_json(p).find("\"v2\""), std::string::npos);
}

// Strides of a site that stays in one object are written once.
TEST(StrideRows, OfOneObjectAreShort) {
  Profile p = full_profile();
  Stride& r = p.strides[0];
  r.within_object.histogram = r.histogram;
  r.within_object.other = r.other;
  derive(r);
  const std::string text = to_json(p);
  EXPECT_NE(text.find("\"within_object\":{\"class\":\"none\",\"all\":true}"), text.npos) << text;
  Result<Profile> back = parse_profile(text, "");
  ASSERT_TRUE(bool(back)) << back.error().text();
  const Stride& read = back->strides[0];
  EXPECT_FALSE(read.within_object.all);
  EXPECT_EQ(read.within_object.histogram.size(), r.histogram.size());
  EXPECT_EQ(read.within_object.dominant, r.dominant);
  EXPECT_EQ(read.within_object.other, r.other);
  EXPECT_EQ(to_json(*back), text);
  r.within_object.other++;
  EXPECT_EQ(to_json(p).find("\"all\""), std::string::npos);
}

TEST(DependenceRows, AtOneDistanceAreShort) {
  for (const bool carried : {false, true}) {
    Profile p = full_profile();
    Dependence& r = p.dependences[0];
    r.intra = carried ? 0 : r.count;
    r.carried = carried ? r.count : 0;
    r.distance = {};
    r.distance.min = r.distance.max = carried;
    r.distance.histogram[carried] = r.count;
    const std::string text = to_json(p);
    EXPECT_EQ(text.find("\"distance\""), text.npos) << text;
    Result<Profile> back = parse_profile(text, "");
    ASSERT_TRUE(bool(back)) << back.error().text();
    EXPECT_EQ(back->dependences[0].distance.histogram[carried], r.count);
    EXPECT_EQ(back->dependences[0].distance.max, unsigned(carried));
    r.distance.max = 4;
    EXPECT_NE(to_json(p).find("\"distance\""), std::string::npos);
  }
}

TEST(WriteProfile, ReplacesInOneStepAndLeavesNothingBehind) {
  TemporaryFolder folder;
  const std::string path = folder.path("p.memprof.json");
  ASSERT_TRUE(bool(write_profile(full_profile(), path)));
  ASSERT_TRUE(bool(write_profile(random_profile(1), path)));
  EXPECT_EQ(slurp(path), to_json(random_profile(1)));
  EXPECT_EQ(entries(folder.name()), 1u);
}

TEST(WriteProfile, NewFileFollowsTheUmaskOldFileKeepsItsMode) {
  TemporaryFolder folder;
  const std::string path = folder.path("p.json");
  const mode_t before = ::umask(027);
  ASSERT_TRUE(bool(write_profile(full_profile(), path)));
  EXPECT_EQ(mode_of(path), 0640u);
  ::chmod(path.c_str(), 0664);
  ASSERT_TRUE(bool(write_profile(full_profile(), path)));
  EXPECT_EQ(mode_of(path), 0664u);
  ::umask(before);
}

TEST(WriteProfile, GoesThroughSymbolicLinks) {
  TemporaryFolder folder;
  ASSERT_TRUE(bool(write_profile(full_profile(), folder.path("real.json"))));
  ASSERT_EQ(::symlink("real.json", folder.path("link.json").c_str()), 0);
  ASSERT_TRUE(bool(write_profile(random_profile(2), folder.path("link.json"))));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link.json")));
  EXPECT_EQ(slurp(folder.path("real.json")), to_json(random_profile(2)));
}

TEST(WriteProfile, WhatIsNoRegularFileIsWrittenToAndStays) {
  TemporaryFolder folder;
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int fd = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  ::fcntl(fd, F_SETPIPE_SZ, 1 << 20);
  EXPECT_TRUE(bool(write_profile(full_profile(), pipe)));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  std::string text(to_json(full_profile()).size(), ' ');
  EXPECT_EQ(::read(fd, text.data(), text.size()), ssize_t(text.size()));
  EXPECT_EQ(text, to_json(full_profile()));
  ::close(fd);
}

TEST(WriteProfile, LongNamesFoldersAndMissingFolders) {
  TemporaryFolder folder;
  EXPECT_TRUE(bool(write_profile(full_profile(), folder.path(std::string(255, 'x')))));
  Status status = write_profile(full_profile(), folder.name());
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error().kind, Error::Kind::unwritable);
  status = write_profile(full_profile(), folder.path("none/p.json"));
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error().kind, Error::Kind::unwritable);
  EXPECT_NE(status.error().text().find("No such file"), std::string::npos);
}

TEST(WriteProfile, AFullDeviceIsAnErrorWithItsName) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  const Status status = write_profile(full_profile(), "/dev/full");
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error().text(), "/dev/full: cannot write: No space left on device");
}

// A lock on NAME, which is there; closed by the caller.
int locked(const std::string& name) {
  const int fd = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(::flock(fd, LOCK_EX), 0);
  return fd;
}

TEST(MergeIntoFile, AddsToTheSameBuild) {
  TemporaryFolder folder;
  const std::string path = folder.path("p.json");
  const Profile p = without_streams(random_profile(1));
  ASSERT_TRUE(bool(merge_into_file(p, path)));
  const Result<Stored> second = merge_into_file(p, path);
  ASSERT_TRUE(bool(second));
  EXPECT_EQ(second->note, "");
  EXPECT_EQ(second->path, path);
  EXPECT_EQ(slurp(path), to_json(merge(p, p)));
  const Result<Stored> alone = merge_into_file(p, path, {.merge = false});
  ASSERT_TRUE(bool(alone));
  EXPECT_EQ(alone->note, "");
  EXPECT_EQ(slurp(path), to_json(p));
}

TEST(MergeIntoFile, ReplacesWhatCannotBeAddedAndSaysSo) {
  TemporaryFolder folder;
  const std::string path = folder.path("p.json");
  const Profile p = without_streams(random_profile(1));
  Profile other_build = p, other_modules = p, other_mode = p;
  other_build.program.build_id = "x";
  std::erase(other_modules.sections, "points_to");
  other_modules.points_to.clear();
  other_mode.run.mode = "sample";
  const std::pair<std::string, const char*> cases[] = {
      {to_json(other_build), "another build"},
      {to_json(other_modules), "other profiling modules"},
      {to_json(other_mode), "another mode"},
      {"", "empty"}};
  for (const auto& [old, reason] : cases) {
    spill(path, old);
    const Result<Stored> stored = merge_into_file(p, path);
    ASSERT_TRUE(bool(stored));
    EXPECT_NE(stored->note.find(reason), std::string::npos) << stored->note;
    EXPECT_EQ(stored->note.find(path), 0u) << stored->note;
    EXPECT_EQ(stored->path, path);
    EXPECT_EQ(slurp(path), to_json(p));
  }
}

TEST(MergeIntoFile, LeavesWhatItCannotReadAndGoesBesideIt) {
  const Profile p = without_streams(random_profile(1));
  Profile other_build = p;
  other_build.program.build_id = "x";
  const std::tuple<std::string, const char*, Adding> cases[] = {
      {"{", "truncated", {}},
      {"notes", "not a memprof profile", {}},
      {"{\"memprof\":{\"format\":\"7.1\"}}", "format 7.1", {}},
      {"{\"name\":1}", "not a file of memprof", {.merge = false}},
      {to_json(other_build), "could not be read", {.build_known = false}}};
  for (const auto& [old, reason, adding] : cases) {
    TemporaryFolder folder;
    const std::string path = folder.path("p.memprof.json");
    spill(path, old);
    EXPECT_EQ(path_for_run(path, adding), folder.path("p.2.memprof.json"));
    const Result<Stored> stored = merge_into_file(p, path, adding);
    ASSERT_TRUE(bool(stored));
    EXPECT_EQ(stored->path, folder.path("p.2.memprof.json"));
    EXPECT_NE(stored->note.find(reason), std::string::npos) << stored->note;
    EXPECT_EQ(slurp(path), old);
    EXPECT_EQ(slurp(stored->path), to_json(p));
  }
}

TEST(MergeIntoFile, FollowsNoLinkAndFailsWhenEachNameIsTaken) {
  TemporaryFolder folder;
  const Profile p = without_streams(random_profile(1));
  spill(folder.path("mine"), "");
  ASSERT_EQ(::symlink("mine", folder.path("p.json").c_str()), 0);
  const Result<Stored> stored = merge_into_file(p, folder.path("p.json"));
  ASSERT_TRUE(bool(stored));
  EXPECT_EQ(stored->path, folder.path("p.2.json"));
  for (unsigned n = 2; n < 10; n++) spill(folder.path("p." + std::to_string(n) + ".json"), "mine");
  const Result<Stored> none = merge_into_file(p, folder.path("p.json"));
  ASSERT_FALSE(bool(none));
  EXPECT_EQ(none.error().kind, Error::Kind::unwritable);
  EXPECT_EQ(slurp(folder.path("mine")), "");
  EXPECT_EQ(slurp(folder.path("p.9.json")), "mine");
}

TEST(TemporaryFiles, OfDeadProcessesGo) {
  TemporaryFolder folder;
  const std::string path = folder.path("p.json");
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ::waitpid(dead, nullptr, 0);
  const std::string start = folder.path(".p.json."), number = std::to_string(dead);
  const std::string stays[] = {start + std::to_string(::getpid()) + ".7.tmp", start + number + ".tmp",
                               start + number + ".7.tmp.mine", folder.path(".q.json." + number + ".7.tmp"),
                               start + number + ".8.tmp"};
  for (const std::string& name : stays) spill(name, "");
  spill(start + number + ".7.tmp", "");
  const int elsewhere = locked(start + number + ".8.tmp");  // by a process of another machine
  ASSERT_TRUE(bool(write_profile(full_profile(), path)));
  EXPECT_EQ(entries(folder.name()), 1u + std::size(stays));
  for (const std::string& name : stays) EXPECT_EQ(::access(name.c_str(), F_OK), 0) << name;
  ::close(elsewhere);
}

TEST(MergeIntoFile, ConcurrentRunsLoseNothing) {
  TemporaryFolder folder;
  const std::string path = folder.path("p.json");
  Profile p = without_streams(full_profile());
  p.run.runs = 1;
  constexpr int k_processes = 8, k_times = 5;
  for (int i = 0; i < k_processes; i++)
    if (::fork() == 0) {
      bool good = true;
      for (int k = 0; k < k_times; k++) {
        const Result<Stored> stored = merge_into_file(p, path);
        good = good && stored && stored->note.empty();
      }
      ::_exit(good ? 0 : 1);
    }
  for (int i = 0; i < k_processes; i++) {
    int status = 1;
    ::wait(&status);
    EXPECT_EQ(status, 0);
  }
  Result<Profile> sum = read_profile(path);
  ASSERT_TRUE(bool(sum)) << sum.error().text();
  EXPECT_EQ(sum->run.runs, std::uint64_t(k_processes * k_times));
  EXPECT_EQ(sum->strides[0].executions, 12u * k_processes * k_times);
  EXPECT_EQ(entries(folder.name()), 1u);
}

TEST(WriterLock, OfOneFileDoesNotWaitForOtherWritersInItsFolder) {
  TemporaryFolder folder;
  for (const char* name : {"p.json", "q.json"}) spill(folder.path(name), "");
  const int fds[] = {locked(folder.name()), locked(folder.path("q.json"))};
  WriterLock lock;
  EXPECT_TRUE(lock.acquire(folder.path("p.json")));
  for (int fd : fds) ::close(fd);
}

// A writer that waits for a file that its holder replaces has a lock on the new one in the end.
TEST(WriterLock, IsOnWhatIsThereWhenItIsHad) {
  TemporaryFolder folder;
  const std::string path = folder.path("p.json");
  spill(path, "");
  const int holder = locked(path);
  std::thread waiting([&] {
    WriterLock lock;
    EXPECT_TRUE(lock.acquire(path));
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    EXPECT_NE(::flock(fd, LOCK_EX | LOCK_NB), 0);
    ::close(fd);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  spill(path + ".new", "");
  ASSERT_EQ(::rename((path + ".new").c_str(), path.c_str()), 0);
  ::close(holder);
  waiting.join();
}

// In a container whose first process waits for no child, killed backends stay zombies.
TEST(Writing, RemovesWhatAKilledProcessHasLeftThatNoProcessWaitedFor) {
  TemporaryFolder folder;
  const std::string path = folder.path("p.json");
  const pid_t child = ::fork();
  if (child == 0) {
    std::string name;
    ::_exit(open_temporary(path, &name) < 0);
  }
  siginfo_t info;
  ASSERT_EQ(::waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(entries(folder.name()), 1u);
  EXPECT_TRUE(bool(replace_file(path, {"{}", ""})));
  EXPECT_EQ(entries(folder.name()), 1u);
  ::waitpid(child, nullptr, 0);
}

// As long as there is no file its folder is locked, and whoever waits for that locks the file.
TEST(WriterLock, IsOnTheFolderWhereThereIsNoFile) {
  TemporaryFolder folder;
  const std::string path = folder.path("p.json");
  const int holder = locked(folder.name());
  std::thread waiting([&] {
    WriterLock lock;
    EXPECT_TRUE(lock.acquire(path));
    const int fds[] = {::open(path.c_str(), O_RDONLY | O_CLOEXEC), locked(folder.name())};
    EXPECT_NE(::flock(fds[0], LOCK_EX | LOCK_NB), 0);
    for (int fd : fds) ::close(fd);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  spill(path, "");
  ::close(holder);
  waiting.join();
}

TEST(WriterLock, NeedsAFolder) {
  WriterLock lock;
  EXPECT_FALSE(lock.acquire("/nonexistent/p.json"));
}

}  // namespace
}  // namespace memprof::feedback
