// backend_modules.cc - what the profiling modules cost per access.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Usage: backend_modules [module [mix]].  Feeds made-up batches to each module
// and prints nanoseconds of CPU time per access:
//
//   random    loads and stores of 4 and 8 bytes all over 16 MB, in two loops
//   list      a linked list: three sites that walk nodes in order
//   bytes     one-byte loads and stores, nearby
//   birth     small objects that are born, written, read and die
//   gemm      C[i][j] += A[i][k] * B[k][j], ranges over j, n = 500
//   jacobi    five-point stencil, ranges over rows of 1000
//   short     ranges of 8 iterations
//   column    ranges that step by 4000 bytes
#include <ctime>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "runtime/backend/event/module.h"
#include "testsuite/unit/backend/backend_testutil.h"

namespace memprof::backend {
namespace {

class Program final : public ProgramInfo {
 public:
  bool store_p(SiteId site) const override { return site % 2 == 0; }
  feedback::GroupKind group_kind(GroupId) const override { return feedback::GroupKind::heap; }
  std::uint64_t executions(SiteId) const override { return 1000; }
  std::size_t sites() const override { return 100; }
  feedback::Id site_id(SiteId site) const override { return site; }
  feedback::Id loop_id(LoopId loop) const override { return loop; }
  feedback::Id group_id(GroupId group) const override { return group; }
};

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

using testing::Trace;

constexpr std::uint64_t k_base = 0x7f0000000000;

// Makes batches of one mix, one after the other.
class Mix {
 public:
  virtual ~Mix() = default;
  // False: the program has ended.
  virtual bool next(Trace& trace) = 0;

 protected:
  void access(Trace& trace, SiteId site, std::uint64_t offset, std::uint64_t width,
              GroupId group = 1, std::uint32_t object = 0) {
    trace.events.push_back({k_base + offset, time_++, k_base, width, site, group, object, 0, 0,
                            site % 2 ? EventKind::load : EventKind::store});
  }
  void context(Trace& trace, EventKind kind, LoopId loop) {
    trace.events.push_back({0, time_, 0, 0, 0, 0, 0, loop, 0, kind});
  }
  void memory(Trace& trace, EventKind kind, std::uint64_t offset, std::uint64_t width) {
    trace.events.push_back({k_base + offset, time_, k_base + offset, width, 0, 1, 0, 0, 0, kind});
  }
  void range(Trace& trace, LoopId loop, std::uint64_t count,
             std::initializer_list<RangeAccess> accesses) {
    trace.events.push_back({0, time_, 0, 0, 0, 0, 0,
                            static_cast<std::uint32_t>(trace.ranges.size()), 0,
                            EventKind::range});
    trace.ranges.push_back({count, time_, loop,
                            static_cast<std::uint32_t>(trace.accesses.size()),
                            static_cast<std::uint32_t>(accesses.size())});
    for (RangeAccess a : accesses) {
      a.address += k_base;
      a.base = k_base;
      a.group = 1;
      a.count = count;
      a.store = a.site % 2 == 0;
      time_ += count;
      trace.accesses.push_back(a);
    }
  }
  static RangeAccess at(SiteId site, std::uint64_t offset, std::int64_t step = 8) {
    return {offset, step, 0, 0, 8, site, 0, 0, false};
  }

  std::uint64_t time_ = 0;
  std::mt19937_64 random_{1};
  int round_ = 0;
};

class RandomMix final : public Mix {
  bool next(Trace& trace) override {
    if (round_ == 0) context(trace, EventKind::loop_enter, 1);
    if (round_++ == 200) return false;
    for (int i = 0; i < 64; i++) {
      context(trace, EventKind::loop_iteration, 1);
      context(trace, EventKind::loop_enter, 2);
      for (int j = 0; j < 100; j++) {
        context(trace, EventKind::loop_iteration, 2);
        const std::uint64_t r = random_();
        access(trace, 1 + 2 * (j % 3), r % (16 << 20) & ~7u, 8);
        access(trace, 7, (r >> 30) % (16 << 20) & ~3u, 4);
        access(trace, 2 + 2 * (j % 3), (r >> 20) % (16 << 20) & ~7u, 8);
      }
      context(trace, EventKind::loop_exit, 2);
    }
    return true;
  }
};

class ListMix final : public Mix {
  bool next(Trace& trace) override {
    if (round_++ == 100) return false;
    context(trace, EventKind::loop_enter, 1);
    for (std::uint32_t i = 0; i < 3000; i++) {
      context(trace, EventKind::loop_iteration, 1);
      const std::uint64_t node = i * 48;
      access(trace, 1, node, 8, 1, i);
      access(trace, 3, node + 8, 4, 1, i);
      access(trace, 2, node + 8, 4, 1, i);
    }
    context(trace, EventKind::loop_exit, 1);
    return true;
  }
};

class ByteMix final : public Mix {
  bool next(Trace& trace) override {
    if (round_++ == 100) return false;
    context(trace, EventKind::loop_enter, 1);
    for (std::uint64_t i = 0; i < 3000; i++) {
      context(trace, EventKind::loop_iteration, 1);
      const std::uint64_t at = static_cast<std::uint64_t>(round_) * 3000 % 32768 + i;
      access(trace, 2, at, 1);
      access(trace, 1, (at - random_() % 1000) % 32768, 1);
      access(trace, 3, at / 2 * 2, 2);
    }
    context(trace, EventKind::loop_exit, 1);
    return true;
  }
};

class BirthMix final : public Mix {
  bool next(Trace& trace) override {
    if (round_++ == 60) return false;
    for (std::uint64_t i = 0; i < 2000; i++) {
      const std::uint64_t at = random_() % 8192 * 64;
      memory(trace, EventKind::birth, at, 48);
      access(trace, 2, at, 8);
      access(trace, 1, at, 8);
      memory(trace, EventKind::death, at, 48);
    }
    return true;
  }
};

class GemmMix final : public Mix {
  bool next(Trace& trace) override {
    constexpr std::uint64_t n = 500, matrix = n * n * 8;
    if (round_ == 0)
      for (std::uint64_t i = 0; i < 3 * n; i++) range(trace, 9, n, {at(2, i * n * 8)});
    if (round_ == 100) return false;
    const auto i = static_cast<std::uint64_t>(round_++);
    context(trace, EventKind::loop_enter, 1);
    for (std::uint64_t k = 0; k < n; k++) {
      context(trace, EventKind::loop_iteration, 1);
      access(trace, 3, matrix + (i * n + k) * 8, 8);
      range(trace, 2, n, {at(5, 2 * matrix + k * n * 8), at(1, i * n * 8), at(4, i * n * 8)});
    }
    context(trace, EventKind::loop_exit, 1);
    return true;
  }
};

class JacobiMix final : public Mix {
  bool next(Trace& trace) override {
    constexpr std::uint64_t n = 1000, grid = n * n * 8;
    if (round_ == 0) {
      for (std::uint64_t i = 0; i < 2 * n; i++) range(trace, 9, n, {at(2, i * n * 8)});
      context(trace, EventKind::loop_enter, 1);
    }
    if (round_ == 20) return false;
    const std::uint64_t from = round_ % 2 ? grid : 0, to = round_ % 2 ? 0 : grid;
    const SiteId s = round_ % 2 ? 10 : 20;
    round_++;
    context(trace, EventKind::loop_iteration, 1);
    context(trace, EventKind::loop_enter, 2);
    for (std::uint64_t i = 1; i + 1 < n; i++) {
      context(trace, EventKind::loop_iteration, 2);
      const std::uint64_t row = (i * n + 1) * 8;
      range(trace, 3, n - 2,
            {at(s + 1, from + row), at(s + 3, from + row - 8), at(s + 5, from + row + 8),
             at(s + 7, from + row - n * 8), at(s + 9, from + row + n * 8), at(s, to + row)});
    }
    context(trace, EventKind::loop_exit, 2);
    return true;
  }
};

class ShortMix final : public Mix {
  bool next(Trace& trace) override {
    if (round_ == 0) range(trace, 9, 1 << 17, {at(2, 0)});
    if (round_++ == 100) return false;
    context(trace, EventKind::loop_enter, 1);
    for (std::uint64_t i = 0; i < 2000; i++) {
      context(trace, EventKind::loop_iteration, 1);
      const std::uint64_t to = random_() % 16000 * 64, from = random_() % 16000 * 64;
      range(trace, 2, 8, {at(1, from), at(4, to)});
    }
    context(trace, EventKind::loop_exit, 1);
    return true;
  }
};

class ColumnMix final : public Mix {
  bool next(Trace& trace) override {
    if (round_++ == 20) return false;
    for (std::uint64_t j = 0; j < 500; j++)
      range(trace, 2, 500, {at(1, j * 8, 4000), at(2, 2000000 + j * 8, 4000)});
    return true;
  }
};

template <typename M>
std::unique_ptr<Mix> make() { return std::make_unique<M>(); }

constexpr struct {
  const char* name;
  std::unique_ptr<Mix> (*make)();
} k_mixes[] = {{"random", make<RandomMix>}, {"list", make<ListMix>},
               {"bytes", make<ByteMix>},    {"birth", make<BirthMix>},
               {"gemm", make<GemmMix>},     {"jacobi", make<JacobiMix>},
               {"short", make<ShortMix>},   {"column", make<ColumnMix>}};

void measure(const ModuleEntry& entry, const char* name, Mix& mix) {
  const Program program;
  const auto module = entry.make(program);
  double seconds = 0;
  std::uint64_t accesses = 0;
  for (Trace trace; mix.next(trace); trace = {}) {
    const Batch batch = testing::make_batch(trace);
    for (const Event& e : batch.events) accesses += e.kind <= EventKind::store;
    for (const RangeAccess& a : batch.accesses) accesses += a.count;
    const double start = cpu_seconds();
    module->prepare(batch);
    module->consume(batch);
    seconds += cpu_seconds() - start;
  }
  if (accesses == 0) {
    std::fprintf(stderr, "backend_modules: %s has no accesses\n", name);
    std::exit(1);
  }
  std::printf("%-16s %-8s %8.2f ns/access  (%.1f M)\n", entry.name, name,
              seconds * 1e9 / static_cast<double>(accesses),
              static_cast<double>(accesses) * 1e-6);
  std::fflush(stdout);
}

}  // namespace
}  // namespace memprof::backend

int main(int argc, char** argv) {
  using namespace memprof::backend;
  bool any = false;
  for (const ModuleEntry& entry : module_registry()) {
    if (argc > 1 ? std::strcmp(argv[1], entry.name) != 0 : (entry.flags & MPRT_BY_DEFAULT) == 0) continue;
    for (const auto& mix : k_mixes)
      if (argc < 3 || std::strcmp(argv[2], mix.name) == 0) {
        measure(entry, mix.name, *mix.make());
        any = true;
      }
  }
  if (!any) std::fprintf(stderr, "backend_modules: no such module or mix\n");
  return any ? 0 : 2;
}
