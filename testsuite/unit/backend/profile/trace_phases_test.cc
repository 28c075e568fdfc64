// trace_phases_test.cc - requests to memory by object and interval.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/profile/trace_phases.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace memprof::backend {
namespace {

// What WORK(phases) makes TracePhases write.
template <typename Work>
std::string written(bool json, std::uint64_t first, std::uint64_t accesses, Work&& work) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const out = open_memstream(&text, &size);
  TracePhases phases(out, json, first, accesses);
  phases.begin();
  work(phases);
  phases.end();
  std::fclose(out);
  const std::string result(text, size);
  std::free(text);
  return result;
}

MemoryRequest request(std::uint64_t time, std::uint32_t object, bool write = false, std::uint8_t walk = 0) {
  return {0x1000, 0x2000, time, 0, object, write, walk};
}

void two_intervals(TracePhases& phases) {
  const std::uint32_t a = phases.add_object("a #0"), b = phases.add_object("b #0");
  phases.add(request(10, a));
  phases.add(request(10, a, false, 2));
  phases.add(request(19, b));
  phases.add(request(19, a));
  phases.add(request(40, b, true));
  phases.add(request(49, 0));
  phases.add(request(49, b, true));
}

TEST(TracePhases, AddUpByObjectMostRequestsFirst) {
  EXPECT_EQ(written(false, 10, 10, two_intervals), "# first reads writes walks object\n"
                                                   "10 3 0 1 all\n"
                                                   "10 2 0 1 a #0\n"
                                                   "10 1 0 0 b #0\n"
                                                   "40 1 2 0 all\n"
                                                   "40 0 2 0 b #0\n"
                                                   "40 1 0 0 -\n");
}

TEST(TracePhases, AreAnObjectOfJsonForEachInterval) {
  EXPECT_EQ(written(true, 10, 30, two_intervals),
            "{\"first\":10,\"reads\":3,\"writes\":0,\"walks\":1,\"objects\":["
            "{\"object\":\"a #0\",\"reads\":2,\"writes\":0,\"walks\":1},"
            "{\"object\":\"b #0\",\"reads\":1,\"writes\":0,\"walks\":0}]}\n"
            "{\"first\":40,\"reads\":1,\"writes\":2,\"walks\":0,\"objects\":["
            "{\"object\":\"b #0\",\"reads\":0,\"writes\":2,\"walks\":0},"
            "{\"object\":\"-\",\"reads\":1,\"writes\":0,\"walks\":0}]}\n");
}

TEST(TracePhases, AddUpWhatIsNotAmongTheHottest) {
  const std::string text = written(false, 0, 100, [](TracePhases& phases) {
    for (std::uint32_t i = 1; i <= 20; i++) {
      const std::uint32_t object = phases.add_object("o #" + std::to_string(i));
      for (std::uint32_t n = 0; n < i; n++) phases.add(request(5, object));
    }
  });
  EXPECT_NE(text.find("0 210 0 0 all\n0 20 0 0 o #20\n"), std::string::npos) << text;
  EXPECT_NE(text.find("0 5 0 0 o #5\n0 10 0 0 others\n"), std::string::npos) << text;
}

TEST(TracePhases, AddUpWhatHasHardlyAnyRequests) {
  const std::string text = written(false, 0, 100, [](TracePhases& phases) {
    const std::uint32_t a = phases.add_object("a #0"), b = phases.add_object("b #0");
    for (int i = 0; i < 1999; i++) phases.add(request(1, a));
    phases.add(request(2, b));
  });
  EXPECT_NE(text.find("0 1999 0 0 a #0\n0 1 0 0 others\n"), std::string::npos) << text;
}

TEST(TracePhases, OfNothingAreNone) {
  EXPECT_EQ(written(false, 0, 10, [](TracePhases&) {}), "# first reads writes walks object\n");
}

}  // namespace
}  // namespace memprof::backend
