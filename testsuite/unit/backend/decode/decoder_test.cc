// decoder_test.cc - records to object-relative events.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/decode/decoder.h"

#include <gtest/gtest.h>

#include "testsuite/unit/backend/decoder_fixture.h"

namespace memprof::backend {
namespace {

using testing::DecoderTest;
using testing::TestModule;
using testing::Trace;
using testing::Words;
using testing::text;
using testing::trace_of;

// Object-relative tuples (Wu et al., CGO 2004), with the times of accesses, births and deaths.
TEST_F(DecoderTest, ObjectsByGroupSerialNumberAndOffset) {
  TestModule m;
  m.function("f");
  m.site(MPRT_OP_LOAD, 8);
  const auto site7 = m.alloc(7);
  const auto b = m.block(2, {{0, 1, 0}});
  load(m);
  EXPECT_EQ(decode(Words()
                       .birth(0x1000, 16, site7)
                       .birth(0x2000, 16, site7)
                       .record(b, 0x2008)
                       .death(0x1000)
                       .birth(0x1000, 16, site7)
                       .record(b, 0x1000)
                       .record(b, 0x1010)),
            "birth 7#0+0 w16 t0\n"
            "birth 7#1+0 w16 t0\n"
            "load 1 7#1+8 w8 t0\n"
            "death 7#0+0 w16 t1\n"
            "birth 7#2+0 w16 t1\n"
            "load 1 7#2+0 w8 t1\n"
            "load 1 unknown w8 t2\n");
}

// Other addresses, same tuples.
TEST_F(DecoderTest, TuplesDoNotDependOnTheAllocator) {
  const auto tuples = [](std::uint64_t heap, std::uint64_t spread) {
    Decoder decoder;
    StreamRing ring;
    Batch batch;
    TestModule m;
    m.function("f");
    m.site(MPRT_OP_LOAD, 8), m.site(MPRT_OP_STORE, 4);
    const auto node = m.alloc(3), row = m.alloc(4);
    const auto b = m.block(3, {{0, 1, 8}, {1, 2, 12}});
    Words w = m.load();
    for (unsigned i = 0; i < 50; i++) {
      w.birth(heap + i * spread, 24, node);
      w.birth(heap + i * spread + 0x100000, 1000, row);
      w.record(b, heap + i * spread, heap + i / 2 * spread + 0x100000);
    }
    const std::uint64_t* p = w.words.data();
    decoder.decode(ring, &p, p + w.words.size(), batch);
    decoder.finish(batch);
    return text(trace_of(batch), decoder.groups());
  };
  const std::string one = tuples(0x5555'0000'1000, 2048);
  EXPECT_EQ(one, tuples(0x7f12'3450'0010, 4096 + 48));
  EXPECT_NE(one.find("store 2 4#24+12 w4"), std::string::npos);
}

TEST_F(DecoderTest, ReallocMovesOnlyWhenItSucceeds) {
  TestModule m;
  m.function("f");
  m.site(MPRT_OP_LOAD, 8);
  const auto a = m.alloc(1), r = m.alloc(2);
  const auto b = m.block(2, {{0, 1, 0}});
  load(m);
  EXPECT_EQ(decode(Words()
                       .birth(0x1000, 32, a)
                       .realloc(0x1000, 0, 64, r)
                       .record(b, 0x1000)
                       .realloc(0x1000, 0x1000, 64, r)
                       .record(b, 0x1020)
                       .realloc(0x1000, 0x2000, 128, r)
                       .record(b, 0x1000)
                       .record(b, 0x2000)),
            "birth 1#0+0 w32 t0\n"
            "load 1 1#0+0 w8 t0\n"
            "death 1#0+0 w32 t1\n"
            "birth 2#0+0 w64 t1\n"
            "load 1 2#0+32 w8 t1\n"
            "death 2#0+0 w64 t2\n"
            "birth 2#1+0 w128 t2\n"
            "load 1 unknown w8 t2\n"
            "load 1 2#1+0 w8 t3\n");
}

// Between the two records another thread may get the old memory.
TEST_F(DecoderTest, ReallocDoesNotKillTheNextOwnerOfItsOldMemory) {
  TestModule m;
  m.function("f");
  const auto a = m.alloc(1), r = m.alloc(2), other = m.alloc(3);
  load(m);
  const std::string events =
      decode(Words()
                 .birth(0x1000, 32, a)
                 .control(MPRT_REALLOC_REQUEST, 0x1000, 0)
                 .birth(0x1000, 32, other)
                 .control(MPRT_REALLOC_RESULT, 0x1000, 0x2000, 64, r, 0,
                          MPRT_REALLOC, 0));
  EXPECT_EQ(events,
            "birth 1#0+0 w32 t0\n"
            "death 1#0+0 w32 t0\n"
            "birth 3#0+0 w32 t0\n"
            "birth 2#0+0 w64 t0\n");
}

TEST_F(DecoderTest, AMissedFreeIsNoticed) {
  TestModule m;
  m.function("f");
  const auto a = m.alloc(1);
  load(m);
  EXPECT_EQ(decode(Words().birth(0x1000, 32, a).birth(0x1010, 32, a)),
            "birth 1#0+0 w32 t0\n"
            "death 1#0+0 w32 t0\n"
            "birth 1#1+0 w32 t0\n");
  EXPECT_EQ(decoder_.objects().evictions(), 1u);
}

TEST_F(DecoderTest, GlobalsAreObjectsOfTheirOwn) {
  TestModule m;
  m.function("f");
  m.site(MPRT_OP_LOAD, 1), m.site(MPRT_OP_STORE, 4);
  m.global("flag", 0x601001, 1);
  m.global("total", 0x601004, 4);
  m.global("flag_again", 0x601001, 1);
  const auto b = m.block(1, {{0, MPRT_BASE_ABSOLUTE, 0x601001},
                             {1, MPRT_BASE_ABSOLUTE, 0x601004}});
  load(m);
  EXPECT_EQ(decode(Words().record(b).record(b)),
            "load 1 1#0+0 w1 t0\nstore 2 1#0+0 w4 t1\n"
            "load 1 1#0+0 w1 t2\nstore 2 1#0+0 w4 t3\n");
  EXPECT_EQ(decoder_.objects().births(), 2u);
}

TEST_F(DecoderTest, GlobalsOfAClosedLibraryDie) {
  TestModule m(0x500000, "a.c", "/lib/plugin.so"), exe(0x900000);
  m.function("f");
  m.site(MPRT_OP_LOAD, 1);
  m.global("flag", 0x601001, 1);
  exe.global("state", 0x701001, 1);
  const auto b = m.block(1, {{0, MPRT_BASE_ABSOLUTE, 0x601001}});
  decoder_.executable = "/bin/prog";
  load(m), load(exe);
  EXPECT_EQ(decode(Words()
                       .control(MPRT_UNIT_UNLOAD, m.address)
                       .control(MPRT_UNIT_UNLOAD, exe.address)
                       .record(b)),
            "death 1#0+0 w1 t0\nload 1 unknown w1 t0\n");
  EXPECT_EQ(decoder_.objects().live(), 1u);
}

TEST_F(DecoderTest, TheStackOfAThreadIsOneObject) {
  TestModule m;
  m.function("f");
  m.site(MPRT_OP_LOAD, 8);
  const auto b = m.block(2, {{0, 1, 0}});
  load(m);
  EXPECT_EQ(decode(Words()
                       .thread_start(0, 0, 0x7ff000000000, 0x7ff000800000)
                       .record(b, 0x7ff000000010)
                       .control(MPRT_THREAD_END, 0)
                       .record(b, 0x7ff000000010)),
            "birth thread 0#0+0 w8388608 t0\n"
            "load 1 thread 0#0+16 w8 t0\n"
            "death thread 0#0+0 w8388608 t1\n"
            "thread_end\n"
            "load 1 unknown w8 t1\n");
}

// Which thread has freed it matters for lifetimes.
TEST_F(DecoderTest, BirthsAndDeathsBelongToTheirThread) {
  ring_.thread = 1;
  decode(Words().birth(0x1000, 64, 1));
  ring_.thread = 2;
  decode(Words().death(0x1000));
  const Trace trace = trace_of(batch_);
  ASSERT_EQ(trace.events.size(), 1u);
  EXPECT_EQ(trace.events[0].kind, EventKind::death);
  EXPECT_EQ(trace.events[0].thread, 2u);
}

// memprof_start () after memprof_stop (), and memprof_reset ().
TEST_F(DecoderTest, GapsAndStreamsThatNoModuleWants) {
  const Words words = Words().control(MPRT_MARKER, MPRT_GAP, 0);
  const std::uint64_t* p = words.words.data();
  ring_.thread = 3;
  EXPECT_EQ(decoder_.decode(ring_, &p, p + words.words.size(), batch_), Stop::batch_full);
  EXPECT_EQ(batch_.gaps, std::vector<std::uint32_t>{3});
  EXPECT_EQ(batch_.events.back().kind, EventKind::gap);
  EXPECT_FALSE(decoder_.counts().unwanted);
  decode(Words().control(MPRT_PROGRAM_END, MPRT_END_RESET, 0));
  EXPECT_TRUE(decoder_.counts().unwanted);
}

// Objects are known all the same; another thread's burst is one, too.
TEST_F(DecoderTest, BetweenBurstsBirthsAndDeathsAreNoEvents) {
  TestModule m;
  m.blob.mode = MPRT_MODE_SAMPLE;
  m.function("f");
  m.site(MPRT_OP_LOAD, 8);
  const auto a = m.alloc(1);
  const auto b = m.block(2, {{0, 1, 0}});
  load(m);
  const auto burst = [&](std::uint64_t tag) { return Words().control(MPRT_MARKER, tag, 5); };
  EXPECT_EQ(decode(Words().birth(0x1000, 32, a).birth(0x2000, 32, a).death(0x2000)), "");
  decode(burst(MPRT_BURST_BEGIN));
  EXPECT_EQ(decode(Words().record(b, 0x1008).death(0x1000).birth(0x1000, 16, a)),
            "load 1 1#0+8 w8 t0\n"
            "death 1#0+0 w32 t1\n"
            "birth 1#2+0 w16 t1\n");
  StreamRing other;
  other.thread = 1;
  const Words death = Words().death(0x1000);
  const std::uint64_t* p = death.words.data();
  batch_.clear();
  decoder_.decode(other, &p, p + death.words.size(), batch_);
  decoder_.finish(batch_);
  EXPECT_NE(text(trace_of(batch_), decoder_.groups()).find("death 1#2+0"), std::string::npos);
  decode(burst(MPRT_BURST_END));
  EXPECT_EQ(decode(Words().birth(0x1000, 16, a)).find("birth"), std::string::npos);
  // What is not sampled reports all the time.
  TestModule full;
  full.address = 0x7000'0000'0000;
  full.function("g");
  load(full);
  EXPECT_NE(decode(Words().death(0x1000)).find("death 1#3+0"), std::string::npos);
}

TEST_F(DecoderTest, LengthsLocalsAndExternalStores) {
  TestModule m;
  m.function("f");
  m.site(MPRT_OP_LOAD, 0), m.site(MPRT_OP_STORE, 0);
  const auto l = m.local("buffer", 64);
  const auto copy = m.block(4, {{0, 1, 0, 3}, {1, 2, 0, 3}});
  const auto local = m.block(2, {{l, 1, 0, 0, MPRT_OP_LOCAL_BIRTH, 0}});
  const auto external = m.block(3, {{0, 1, 0, 2, MPRT_OP_EXTERNAL_STORE, 0}});
  load(m);
  EXPECT_EQ(decode(Words()
                       .record(copy, 0x1000, 0x2000, 24)
                       .record(copy, 0x1000, 0x2000, 0)
                       .record(local, 0x3000)
                       .record(external, 0x4000, 100)
                       .record(external, 0x4000, 0)),
            "load 1 unknown w24 t0\nstore 2 unknown w24 t1\n"
            "load 1 unknown w0 t2\nstore 2 unknown w0 t3\n"
            "local unknown w64 t4\n"
            "external unknown w100 t4\n");
  EXPECT_EQ(decoder_.units().site_executions(),
            (std::vector<std::uint64_t>{0, 2, 2}));
}

// They need no record of another kind; those that are too long for an event do.
TEST_F(DecoderTest, BirthsOfLocalsAmongAccesses) {
  TestModule m;
  m.function("f");
  m.site(MPRT_OP_STORE, 8), m.site(MPRT_OP_LOAD, 4);
  const testing::BlockAccess small{m.local("buffer", 64), 1, 16, 0, MPRT_OP_LOCAL_BIRTH},
      large{m.local("table", std::uint64_t{1} << 24), 1, 0, 0, MPRT_OP_LOCAL_BIRTH};
  const auto block = m.block(2, {{0, 1, 0}, small, {1, 1, 16}, {0, 1, 24}});
  const auto mixed = m.block(2, {large, {1, 1, 16}});
  load(m);
  EXPECT_EQ(decoder_.units().find(block)->kind, CompiledKind::block);
  EXPECT_EQ(decoder_.units().find(mixed)->kind, CompiledKind::mixed);
  EXPECT_EQ(decode(Words().record(block, 0x7000).record(mixed, 0x7000)),
            "store 1 unknown w8 t0\nlocal unknown w64 t1\n"
            "load 2 unknown w4 t1\nstore 1 unknown w8 t2\n"
            "local unknown w16777216 t3\nload 2 unknown w4 t3\n");
  EXPECT_EQ(decoder_.units().site_executions(), (std::vector<std::uint64_t>{0, 2, 2}));
}

// Many batches in which nearly each record goes to another object, in the way that the decoder has
// for these; some die meanwhile, and their memory is used again.
TEST_F(DecoderTest, SitesThatWanderFindTheirObjects) {
  TestModule m;
  m.function("f");
  m.site(MPRT_OP_LOAD, 8), m.site(MPRT_OP_STORE, 8), m.site(MPRT_OP_LOAD, 4);
  const std::uint64_t groups[] = {m.alloc(1), m.alloc(2)};
  // The second base is another object's, and site 1 is there as well.
  const auto one = m.block(2, {{0, 1, 0}, {1, 1, 8}, {2, 1, 16}});
  const auto two = m.block(3, {{0, 1, 8}, {1, 2, 0}, {0, 2, 8}, {2, 1, 4}});
  load(m);
  constexpr std::uint64_t k_objects = 300;
  struct Node {
    unsigned group = 0, serial = 0;
    bool alive = false;
  } nodes[k_objects];
  unsigned born[2] = {};
  Words words;
  std::ostringstream expected;
  std::uint64_t state = 1, time = 0;
  const auto random = [&](std::uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  const auto address = [](std::uint64_t i) { return 0x10000 + i * 512; };
  const auto size = [](std::uint64_t i) { return i % 7 == 0 ? 400 : 24 + i % 3 * 16; };
  const auto tell = [&](const Node& node) -> std::ostream& {
    return expected << ' ' << node.group + 1 << '#' << node.serial;
  };
  const auto access = [&](const char* kind, int site, std::uint64_t i, int offset, int width) {
    expected << kind << ' ' << site;
    if (nodes[i].alive)
      tell(nodes[i]) << '+' << offset;
    else
      expected << " unknown";
    expected << " w" << width << " t" << time++ << '\n';
  };
  for (int step = 0; step < 20000; step++) {
    const std::uint64_t i = random(k_objects), j = random(k_objects);
    Node& node = nodes[i];
    if (step % 16 == 0 || step < 600) {
      const bool birth = !node.alive;
      if (birth) {
        const auto group = static_cast<unsigned>(random(2));
        node = {group, born[group]++, true};
        words.birth(address(i), size(i), groups[group]);
      } else {
        node.alive = false;
        words.death(address(i));
      }
      expected << (birth ? "birth" : "death");
      tell(node) << "+0 w" << size(i) << " t" << time << '\n';
    }
    if (step % 3 != 0) {
      words.record(one, address(i));
      access("load", 1, i, 0, 8), access("store", 2, i, 8, 8), access("load", 3, i, 16, 4);
    } else {
      words.record(two, address(i), address(j));
      access("load", 1, i, 8, 8), access("store", 2, j, 0, 8), access("load", 1, j, 8, 8);
      access("load", 3, i, 4, 4);
    }
  }
  EXPECT_EQ(decode(words), expected.str());
}

TEST_F(DecoderTest, LoopEventsAndIterations) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_LOAD, 8, loop);
  const auto in = m.enter(loop), out = m.exit(loop);
  const auto body = m.block(2, {{0, 1, 0}}, loop, true);
  load(m);
  EXPECT_EQ(decode(Words().record(in).record(body, 8).record(body, 16).record(out)),
            "enter 1\niter 1\nload 1 unknown w8 t0\niter 1\n"
            "load 1 unknown w8 t1\nexit 1\n");
  EXPECT_EQ(decoder_.units().loop_counts()[1].invocations, 1u);
  EXPECT_EQ(decoder_.units().loop_counts()[1].iterations, 2u);
}

TEST_F(DecoderTest, LoopEventsAmongAccesses) {
  TestModule m;
  m.function("f");
  const auto outer = m.loop(), inner = m.loop(outer);
  m.site(MPRT_OP_LOAD, 8, outer), m.site(MPRT_OP_LOAD, 4, inner);
  m.site(MPRT_OP_STORE, 0, outer);
  const testing::BlockAccess in{inner, 2, 0, 0, MPRT_OP_ENTER},
      again{inner, 0, 0, 0, MPRT_OP_ITERATION},
      out{inner, 0, 0, 0, MPRT_OP_EXIT}, left{outer, 0, 0, 0, MPRT_OP_EXIT};
  const auto first = m.block(3, {{0, 1, 0}, in, again, {1, 1, 16}}, outer, true);
  const auto last = m.block(3, {out, {2, 1, 0, 2}, {0, 1, 8}, left}, outer);
  load(m);
  EXPECT_EQ(decode(Words().record(first, 8, 900).record(last, 40, 3)),
            "iter 1\nload 1 unknown w8 t0\nenter 2\niter 2\n"
            "load 2 unknown w4 t1\nexit 2\nstore 3 unknown w3 t2\n"
            "load 1 unknown w8 t3\nexit 1\n");
  EXPECT_EQ(decoder_.units().loop_counts()[1].iterations, 1u);
  EXPECT_EQ(decoder_.units().loop_counts()[2].invocations, 1u);
  EXPECT_EQ(decoder_.units().loop_counts()[2].iterations, 1u);
  EXPECT_EQ(decoder_.units().site_executions(),
            (std::vector<std::uint64_t>{0, 2, 1, 1}));
}

TEST_F(DecoderTest, FramesOfLoopEvents) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  const auto in = m.enter_frame(loop), back = m.resume(loop),
             out = m.resume(MPRT_NO_LOOP);
  load(m);
  EXPECT_EQ(decode(Words().record(in, 900).record(back, 900).record(out, 800)),
            "enter 1\nresume 1 frame 900\nresume 0 frame 800\n");
}

TEST_F(DecoderTest, StopsWhereSomebodyElseDecides) {
  TestModule m;
  m.function("f");
  load(m);
  decode(Words().death(0x1000, 3).death(0x1000, 1));
  EXPECT_EQ(stop_, Stop::ticket);
  EXPECT_EQ(ring_.wanted_ticket, 3u);
  EXPECT_EQ(left_, 6u);
  decode(Words().control(MPRT_TICKET, 1).control(MPRT_TICKET, 2));
  EXPECT_EQ(stop_, Stop::exhausted);
  EXPECT_EQ(decoder_.passed_ticket(), 2u);
  decode(Words().record(0x123440, 1));
  EXPECT_EQ(stop_, Stop::unknown);
  decode(Words().control(MPRT_CHUNK_END).record(0x123440, 1));
  EXPECT_EQ(stop_, Stop::chunk_end);
  EXPECT_EQ(left_, 2u);
  decode(Words().add({0}));
  EXPECT_EQ(stop_, Stop::corrupt);
  decode(Words().add({0x123440 | 5, 1, 2}));
  EXPECT_EQ(stop_, Stop::corrupt);
  decoder_.skip_unknown();
  decode(Words().record(0x123440, 1));
  EXPECT_EQ(decoder_.counts().lost, 1u);
}

TEST_F(DecoderTest, WithoutColumnsTheEventsAreTheSame) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_LOAD, 8, loop), m.site(MPRT_OP_STORE, 4, loop), m.site(MPRT_OP_LOAD, 8, loop);
  m.site(MPRT_OP_STORE, 0), m.alloc(5);
  const auto block = m.block(2, {{0, 1, 0}, {1, 1, 8}}, loop, true);
  const auto mixed = m.block(3, {{3, 1, 0, 2}});
  const auto range = m.range(3, loop, {{2, 2, 0, 8}});
  load(m);
  const Words words = Words()
                          .birth(0x7000, 64, 0)
                          .record(block, 0x7000)
                          .record(block, 0x7038)
                          .record(range, 20, 0x7000)
                          .record(mixed, 0x7000, 3)
                          .record(mixed, 0x7000, 0)
                          .record(block, (std::uint64_t{1} << k_address_bits) - 12)
                          .death(0x7000);
  const std::string with = expanded(words);
  EXPECT_FALSE(batch_.columns.empty());
  EXPECT_EQ(decoder_.groups()[1].accesses, 12u);
  decoder_.leave_out_columns();
  EXPECT_EQ(expanded(words), with);
  EXPECT_TRUE(batch_.columns.empty());
  EXPECT_EQ(decoder_.groups()[1].accesses, 0u);
}

TEST_F(DecoderTest, AbsurdNumbersAreCountedNotFollowed) {
  TestModule m;
  m.function("f");
  const auto loop = m.loop();
  m.site(MPRT_OP_LOAD, 8, loop), m.site(MPRT_OP_LOAD, 0);
  const auto r = m.range(3, loop, {{0, 2, 0, 8}});
  const auto b = m.block(3, {{1, 1, 0, 2}});
  const auto small = m.block(2, {{0, 1, 0}});
  load(m);
  const std::uint64_t huge = ~std::uint64_t{0};
  EXPECT_EQ(decode(Words()
                       .record(r, huge, 0x1000)
                       .record(r, std::uint64_t{1} << 45, 0x1000)
                       .record(r, 2, huge - 16)
                       .record(b, 0x1000, huge)
                       .record(small, huge)
                       .birth(huge, 8, 0)
                       .record(small, 1, 2)),
            "enter 1\niter 1\nload 1 unknown w0 t0\niter 1\nload 1 unknown w0 t1\nexit 1\n"
            "load 2 unknown w0 t2\nload 1 unknown w0 t3\n");
  EXPECT_EQ(decoder_.counts().corrupt, 5u);
  EXPECT_EQ(decoder_.counts().beyond, 4u);
}

}  // namespace
}  // namespace memprof::backend
