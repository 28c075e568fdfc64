// dependence_oracle_test.cc - dependences of random programs, in closed form, and by definition.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

#include "runtime/backend/base/fault.h"
#include "runtime/backend/modules/dependence/dependence_search.h"
#include "runtime/backend/shadow/shadow_memory.h"
#include "testsuite/unit/backend/dependence_oracle.h"
#include "testsuite/unit/backend/random_program.h"

#include <algorithm>

namespace memprof::backend::testing {
namespace {

// All forms of the module agree with the definitions.
void expect_agreement(const FakeProgram& program, const Trace& batch, std::uint64_t seed) {
  using Kinds = DependenceOracle::Kinds;
  const auto agrees = [&](const feedback::Profile& profile, Kinds kinds) {
    ASSERT_EQ(difference(text(profile), text(DependenceOracle(kinds).run(program, batch))), "")
        << "seed " << seed << " kinds " << static_cast<int>(kinds);
  };
  agrees(run(make_dependence, program, batch), Kinds::raw);
  agrees(run(make_dependence_all, program, batch), Kinds::last_reader);
  agrees(run(make_dependence_readers, program, batch), Kinds::all_readers);
}

void expect_agreement(const Trace& batch, std::uint64_t seed) {
  FakeProgram program;
  program.count(batch);
  expect_agreement(program, batch, seed);
}

// COUNT elements of WIDTH bytes, next to each other, accessed upwards.
RangeAccess elements(SiteId site, std::uint64_t address, std::uint64_t width,
                     std::uint64_t count) {
  RangeAccess a{};
  a.site = site;
  a.address = address;
  a.width = width;
  a.step = static_cast<std::int64_t>(width);
  a.count = count;
  return a;
}

TEST(Dependence, RandomProgramsAgreeWithTheOracle) {
  std::size_t rows = 0;
  for (std::uint64_t seed = 0; seed < 400; seed++) {
    RandomProgram::Options options;
    options.threads = seed % 5 == 0 ? 3 : 1;
    options.events = 4 + seed % 9;
    options.area = seed % 3 == 0 ? 100 : seed % 3 == 1 ? 600 : 9000;
    options.max_count = options.area > 1000 ? 300 : 24;
    if (seed % 12 == 11) options.wide = 6000;
    const Trace batch = RandomProgram(seed, options).make();
    FakeProgram program;
    program.count(batch);
    const auto expected = DependenceOracle().run(program, batch);
    rows += expected.dependences.size();
    ASSERT_EQ(difference(text(run(make_dependence, program, batch)), text(expected)), "") << "seed " << seed;
    ASSERT_EQ(difference(text(run(make_dependence, program, expand(batch))), text(expected)), "")
        << "expanded, seed " << seed;
  }
  EXPECT_GT(rows, 3000u);
}

// Between bursts anything may happen: what was known of memory and loops is void.
TEST(Dependence, GapsAgreeWithTheOracle) {
  std::size_t rows = 0;
  for (std::uint64_t seed = 0; seed < 200; seed++) {
    RandomProgram::Options options;
    options.threads = seed % 5 == 0 ? 3 : 1;
    options.events = 8 + seed % 9;
    options.area = seed % 3 == 0 ? 60 : 600;
    Trace batch = RandomProgram(seed, options).make();
    std::mt19937_64 random(seed);
    for (std::size_t at = 1 + random() % 40; at < batch.events.size(); at += 1 + random() % 40) {
      FlatEvent gap = batch.events[at];
      gap.kind = EventKind::gap;
      batch.events.insert(batch.events.begin() + static_cast<std::ptrdiff_t>(at), gap);
    }
    FakeProgram program;
    program.count(batch);
    const auto expected = DependenceOracle().run(program, batch);
    rows += expected.dependences.size();
    ASSERT_EQ(difference(text(run(make_dependence, program, batch)), text(expected)), "") << "seed " << seed;
  }
  EXPECT_GT(rows, 500u);
}

// d[j] op= d[5]: accesses of step 0 at one place or two, which the others of their range come
// by in the first iteration, the last one, another one, or just not.
TEST(Dependence, FixedPlacesAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 400; seed++) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return random() % n; };
    constexpr std::int64_t steps[] = {4, 8, -4, -12};
    const LoopId outer = seed % 4 == 0 ? 2 : 1;  // a recursion
    Script s;
    s.store(9, 0x7e00, 0x300).enter(outer);
    for (int round = 0; round < 6; round++) {
      s.iterate(outer);
      const std::int64_t step = steps[below(4)];
      const std::uint64_t count = 1 + below(20);
      const std::uint64_t width = step % 8 == 0 && below(2) ? 8 : 4 >> below(8) / 6;
      const auto place = [step](std::uint64_t k) {
        return 0x7f80 + static_cast<std::uint64_t>(step) * k;
      };
      const std::uint64_t meetings[] = {0, 1, below(count), count - 1, count, count + 1};
      const std::uint64_t fixed[] = {place(meetings[below(6)]), place(meetings[below(6)])};
      std::vector<SiteId> sites{1, 2, 3, 4, 5, 6, 7, 8};
      std::shuffle(sites.begin(), sites.end(), random);
      std::vector<RangeAccess> accesses;
      for (SiteId site : sites) {
        if (below(3) == 0) continue;
        RangeAccess a{};
        a.site = site;
        a.store = site % 2 == 0;
        a.width = width;
        a.count = count - below(8) / 7;
        a.step = below(2) ? step : 0;
        a.address = a.step == 0 ? fixed[below(2)] : place(below(3));
        if (below(40) == 0) a.address += 2;
        accesses.push_back(a);
      }
      if (!accesses.empty()) s.range(2, count, accesses);
    }
    for (std::uint64_t a = 0x7e00; a < 0x8100; a += 4) s.load(11, a, 4);
    expect_agreement(s.batch, seed);
  }
}

// Pages take all their forms: lists that become dense, dense ones that become
// compact, and cells of 2 bytes and of 1, and back.
TEST(Dependence, BytesAndShortsAgreeWithTheOracle) {
  const std::uint64_t fine_step = ShadowPages::fine_step;
  for (std::uint64_t seed = 0; seed < 36; seed++) {
    // From 24 on a fine page makes the others compact, for ever or for long.
    if (seed >= 24) ShadowPages::fine_step = seed % 4 == 0 ? 8000 : 1;
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return random() % n; };
    const std::uint64_t smallest = seed % 3 == 0 ? 2 : 1;
    Script s;
    s.enter(1);
    for (std::uint64_t a = 0; a < k_page; a += k_granule) s.store(9, 0x20000 + a, 1);
    for (int i = 0; i < 9000; i++) {
      if (below(3) == 0) s.iterate(1);
      if (seed >= 24 && below(40) == 0) {
        RangeAccess a{};
        a.site = static_cast<SiteId>(11 + below(2));
        a.store = a.site % 2 == 1;
        a.width = 1u << below(3);
        a.step = static_cast<std::int64_t>(a.width << below(2)) * (below(3) ? 1 : -1);
        a.count = 1 + below(60);
        a.address = 0x7200 + below(5000);
        s.range(2, a.count, {a});
        continue;
      }
      const std::uint64_t width = smallest << below(seed % 2 ? 2 : 4);
      const std::uint64_t address =
          0x7000 + below(6000) / (below(9) ? width : smallest) * (below(9) ? width : smallest);
      const auto site = static_cast<SiteId>(1 + 2 * below(4));
      if (below(3000) == 0)
        s.event(EventKind::death, 0x7000 + below(6000), below(5000));
      else if (below(1500) == 0)
        s.store(9, 0x7000 + below(5) * 1000, 64 + below(1500));
      else if (below(2) == 0)
        s.store(site, address, width);
      else
        s.load(site + 1, address, width);
    }
    expect_agreement(s.batch, seed);
  }
  ShadowPages::fine_step = fine_step;
}

// A loop goes on by fits and starts, and what it has written is read meanwhile: the bounds
// of far distances move with the sources as well as with the iterations.
TEST(Dependence, FarSourcesAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 60; seed++) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return random() % n; };
    const std::uint64_t words = 100 + seed * 17;
    const auto place = [&] { return 0x7000 + 8 * below(words); };
    Script s;
    s.enter(1);
    for (std::uint64_t i = 0; i < words; i++) s.iterate(1).store(1, 0x7000 + 8 * i, 8);
    for (int phase = 0; phase < 60; phase++) {
      if (seed % 3 == 0) s.enter(2);
      for (std::uint64_t reads = below(30); reads != 0; reads--) {
        if (seed % 3 == 0) s.iterate(2);
        s.load(2, place(), 8);
      }
      if (seed % 3 == 0) s.exit(2);
      for (std::uint64_t starts = below(seed % 2 ? 4 : 40); starts != 0; starts--) {
        s.iterate(1);
        if (below(2)) s.store(1, place(), 8);
        if (below(8) == 0) s.load(2, place(), 8);
      }
    }
    expect_agreement(s.batch, seed);
  }
}

// Rows that single stores have written, in one iteration of the outer loop or each in its
// own, and now and then one more: blocks of cells are counted as a whole.
TEST(Dependence, LongRowsAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 40; seed++) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return random() % n; };
    const std::uint64_t width = seed % 2 ? 8 : 4, count = 600;
    const auto place = [width](std::uint64_t i) { return 0x7f40 + width * i; };
    Script s;
    s.enter(1);
    for (std::uint64_t round = 0; round < 8; round++) {
      s.iterate(1).enter(2);
      for (std::uint64_t i = 0; i < count; i++) {
        s.iterate(2).store(static_cast<SiteId>(below(200) ? 1 : 3), place(i), width);
        if (below(100) != 0) continue;
        const std::uint64_t read = 1 + below(count);
        s.range(3, read, {elements(2, place(below(count - read + 1)), width, read)});
      }
      s.exit(2);
    }
    expect_agreement(s.batch, seed);
  }
}

// Fields of structures, which ranges and single stores write, mostly upwards, and ranges
// read: what is sorted is known until somebody stores there.
TEST(Dependence, SortedFieldsAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 60; seed++) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return random() % n; };
    const std::uint64_t width = seed % 2 ? 8 : 4, fields = 1 + seed % 4, elements = 700 / fields;
    const auto place = [&](std::uint64_t i, std::uint64_t field) {
      return 0x7f40 + width * (i * fields + field);
    };
    const auto part = [&](bool store, std::uint64_t begin, std::uint64_t count) {
      RangeAccess a{};
      const std::uint64_t field = below(fields);
      a.store = store;
      a.site = static_cast<SiteId>(store ? 4 + field : 10 + field);
      a.width = field + 1 < fields && width == 4 && below(4) == 0 ? 8 : width;
      a.step = static_cast<std::int64_t>(width * fields) * (below(9) ? 1 : -1);
      a.count = count;
      a.address = place(a.step > 0 ? begin : begin + count - 1, field);
      return a;
    };
    Script s;
    s.enter(1);
    for (std::uint64_t round = 0; round < 40; round++) {
      s.iterate(1);
      if (round % 8 == 0) {
        s.enter(2);
        for (std::uint64_t i = 0; i < elements; i++) {
          s.iterate(2);
          for (std::uint64_t f = 0; f < fields; f++) s.store(1, place(i, f), width);
        }
        s.exit(2);
      }
      const std::uint64_t begin = below(elements), count = 1 + below(elements - begin);
      s.range(3, count, {part(below(3) == 0, begin, count)});
      for (std::uint64_t n = below(4); n != 0; n--)
        s.store(static_cast<SiteId>(1 + below(3)), place(below(elements), below(fields)),
                below(30) ? width : 1);
    }
    expect_agreement(s.batch, seed);
  }
}

// Elements that lie in a page each, of one writer or several or none, as the columns of a matrix
// and the roots of a Fourier transform do.
TEST(Dependence, ScatteredLoadsAgreeWithTheOracle) {
  const std::uint64_t most = DependenceSearch::most_answers;
  for (std::uint64_t seed = 0; seed < 60; seed++) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return random() % n; };
    if (seed % 3 == 0) DependenceSearch::most_answers = 40 * seed;
    const std::uint64_t pages = 20, step = k_page * (1 + seed % 2) + seed % 4 * 4;
    const auto place = [step](std::uint64_t i) { return 0x7ff8 + step * i; };
    Script s;
    s.enter(1);
    for (std::uint64_t round = 0; round < 30; round++) {
      s.iterate(1).enter(2);
      for (std::uint64_t i = 0; i < pages; i++)
        if (s.iterate(2); below(4) != 0)
          s.store(static_cast<SiteId>(1 + below(round % 5 + 1)), place(i) + below(2) * 4,
                  below(9) ? 8 : 1 + below(4));
      s.exit(2);
      const std::uint64_t begin = below(pages), count = 1 + below(pages - begin);
      RangeAccess a = elements(10, place(begin), below(3) ? 8 : 4, count);
      a.step = static_cast<std::int64_t>(step);
      if (below(4) == 0) {
        a.address = place(begin + count - 1);
        a.step = -a.step;
      }
      s.range(3, count, {a});
    }
    expect_agreement(s.batch, seed);
    DependenceSearch::most_answers = most;
  }
}

// Sweeps over a plane, from one array to another and back, or in place: what all rows read
// and store at once, and single stores meanwhile.
TEST(Dependence, RowsAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 80; seed++) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t n) { return random() % n; };
    const std::uint64_t width = seed % 2 ? 8 : 4, columns = 12 + below(80), rows = 3 + below(30);
    const std::uint64_t pitch = width * (columns + 2), size = pitch * (rows + 2);
    const std::uint64_t arrays[] = {0x7f40, 0x7f40 + size + 4096 * below(2)};
    const auto place = [&](std::uint64_t array, std::uint64_t y, std::uint64_t x) {
      return arrays[array] + y * pitch + x * width;
    };
    const auto sweep = [&](SiteId site, bool store, std::uint64_t array, std::uint64_t y,
                           std::uint64_t x, bool down) {
      RangeAccess a = elements(site, place(array, y, x), width, columns);
      a.store = store;
      a.rows = rows;
      a.row_step = static_cast<std::int64_t>(pitch);
      if (!down) return a;
      a.address = place(array, y + rows - 1, x + columns - 1);
      a.step = -a.step;
      a.row_step = -a.row_step;
      return a;
    };
    Script s;
    for (std::uint64_t array = 0; array < 2; array++) {
      RangeAccess a = elements(1, arrays[array], width, size / width);
      a.store = true;
      s.range(1, a.count, {a});
    }
    s.enter(2);
    for (std::uint64_t round = 0; round < 12; round++) {
      s.iterate(2);
      const std::uint64_t from = round % 2, to = below(8) ? 1 - from : from;
      const bool down = below(4) == 0;
      s.range(4, columns,
              {sweep(2, false, from, 1, 0, down), sweep(3, false, from, 1, 2, down),
               sweep(4, false, from, below(3), 1, down), sweep(5, true, to, 1, 1, down)},
              below(3) ? 3 : 0);
      for (std::uint64_t n = below(6); n != 0; n--)
        s.store(6, place(below(2), below(rows + 2), below(columns)), below(5) ? width : 1);
      if (below(3) == 0) s.load(7, place(below(2), below(rows), below(columns)), width);
    }
    s.exit(2);
    expect_agreement(s.batch, seed);
  }
}

TEST(Dependence, AllKindsAgreeWithTheOracle) {
  for (std::uint64_t seed = 0; seed < 300; seed++) {
    RandomProgram::Options options;
    options.threads = seed % 5 == 0 ? 3 : 1;
    options.events = 8;
    options.area = 100 + seed % 7 * 100;
    const Trace batch = RandomProgram(seed, options).make();
    FakeProgram program;
    program.count(batch);
    expect_agreement(program, batch, seed);
  }
}

// What there is no room for is not handed from step to step, but counted at once.
TEST(Dependence, ManyAnswersAgreeWithTheOracle) {
  const std::uint64_t most = DependenceSearch::most_answers;
  for (std::uint64_t seed = 0; seed < 200; seed++) {
    DependenceSearch::most_answers = seed % 20;
    RandomProgram::Options options;
    options.threads = seed % 5 == 0 ? 3 : 1;
    options.area = 100 + seed % 7 * 100;
    const Trace batch = RandomProgram(seed, options).make();
    FakeProgram program;
    program.count(batch);
    expect_agreement(program, batch, seed);
  }
  DependenceSearch::most_answers = most;
}

TEST(Dependence, FaultsAreVisible) {
  for (const Fault fault : {Fault::granule8, Fault::no_clear, Fault::first_byte,
                            Fault::iters, Fault::range_distance}) {
    bool seen = false;
    for (std::uint64_t seed = 0; seed < 30 && !seen; seed++) {
      const Trace batch = RandomProgram(seed, {}).make();
      g_fault = Fault::none;
      const std::string good = text(run(make_dependence, batch));
      g_fault = fault;
      seen = good != text(run(make_dependence, batch));
      g_fault = Fault::none;
    }
    EXPECT_TRUE(seen) << static_cast<int>(fault);
  }
}

}  // namespace
}  // namespace memprof::backend::testing
