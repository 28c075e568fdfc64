// sequencer_test.cc - in which order the rings of a program are read.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/decode/sequencer.h"

#include <gtest/gtest.h>

#include <deque>

#include "testsuite/unit/backend/stream_builder.h"

namespace memprof::backend {
namespace {

using testing::TestModule;
using testing::Words;

// Rings in memory; pieces become visible one by one, in the order of show().
class FakeSource final : public StreamSource {
 public:
  struct Piece {
    std::uint32_t ring, thread, signal_of;
    Words words;
  };
  // What the program publishes between two looks.
  std::deque<std::vector<Piece>> coming;

  void show(std::uint32_t ring, std::uint32_t thread, Words words,
            std::uint32_t signal_of = 0) {
    coming.push_back({{ring, thread, signal_of, std::move(words)}});
  }
  void together(std::vector<Piece> pieces) { coming.push_back(std::move(pieces)); }

  const mprt_shared& about() const override { return about_; }
  std::span<const std::unique_ptr<StreamRing>> rings() override { return rings_; }
  bool poll() override { return false; }
  bool wait() override {
    if (coming.empty()) {
      for (const auto& ring : rings_) ring->ended = true;
      return false;
    }
    for (Piece& piece : coming.front()) publish(std::move(piece));
    coming.pop_front();
    return true;
  }
  void advance(StreamRing& ring, std::size_t n) override {
    ring.unread = ring.unread.subspan(n);
    next(ring);
  }
  void skip_chunk(StreamRing&) override {}
  void release(StreamRing& ring) override {
    std::erase_if(rings_, [&](const auto& r) { return r.get() == &ring; });
  }
  bool intact() const override { return true; }
  std::uint64_t events_lost() const override { return 0; }

 private:
  void publish(Piece piece) {
    StreamRing* ring = nullptr;
    for (const auto& r : rings_)
      if (r->number == piece.ring) ring = r.get();
    if (!ring) {
      rings_.push_back(std::make_unique<StreamRing>());
      ring = rings_.back().get();
      ring->number = piece.ring;
      ring->thread = piece.thread;
      ring->signal_of = piece.signal_of;
    }
    waiting_[piece.ring].push_back(std::move(piece.words.words));
    if (ring->unread.empty()) next(*ring);
  }
  void next(StreamRing& ring) {
    auto& queue = waiting_[ring.number];
    if (!ring.unread.empty() || queue.empty()) return;
    kept_.push_back(std::move(queue.front()));
    queue.pop_front();
    ring.unread = kept_.back();
  }

  mprt_shared about_{};
  std::vector<std::unique_ptr<StreamRing>> rings_;
  std::map<std::uint32_t, std::deque<std::vector<std::uint64_t>>> waiting_;
  std::deque<std::vector<std::uint64_t>> kept_;
};

class SequencerTest : public ::testing::Test {
 protected:
  SequencerTest() {
    module_.function("f");
    for (unsigned i = 0; i < 10; i++) {
      module_.site(MPRT_OP_LOAD, 8);
      blocks_.push_back(module_.block(2, {{i, 1, 0}}));
    }
  }
  // A record of site I.
  Words at(unsigned i) { return Words().record(blocks_[i], 0x1000); }
  Words ticket(std::uint64_t n) { return Words().control(MPRT_TICKET, n); }
  // A handler that interrupts ring 0 at a position and executes SITE.
  Words handler(std::uint64_t position, unsigned site) {
    return join({Words().control(MPRT_SIGNAL_ENTER, 0, position), at(site),
                 Words().control(MPRT_SIGNAL_EXIT)});
  }
  static Words join(std::initializer_list<Words> parts) {
    Words all;
    for (const Words& w : parts) all.append(w);
    return all;
  }

  // The sites (0 ..) in the order in which they were executed.
  std::string order() {
    std::string out;
    for (;;) {
      Batch batch;
      const Sequencer::State state = sequencer_.fill(batch);
      for (const Event& e : batch.events)
        if (e.kind == EventKind::block)
          for_each(batch, e, [&](const Event& x) {
            if (x.kind == EventKind::load) out += std::to_string(x.site - 1);
          });
      if (state == Sequencer::State::finished) return out;
      if (state == Sequencer::State::idle) sequencer_.wait();
    }
  }

  TestModule module_;
  std::vector<std::uint64_t> blocks_;
  FakeSource source_;
  Decoder decoder_;
  Sequencer sequencer_{source_, decoder_};
};

TEST_F(SequencerTest, TicketsPutThreadsInOrder) {
  source_.show(0, 0, module_.load());
  // Thread 1's segment comes first, but its ticket says it is later.
  source_.show(1, 1, join({ticket(4), at(3), ticket(5)}));
  source_.show(2, 2, join({ticket(2), at(2), ticket(3)}));
  source_.show(0, 0, join({at(0), at(1), ticket(1), at(4)}));
  EXPECT_EQ(order(), "01423");
  EXPECT_TRUE(sequencer_.in_order());
}

TEST_F(SequencerTest, ManySmallSegmentsTakeTurns) {
  source_.show(0, 0, module_.load());
  std::string expected;
  Words a, b;
  for (unsigned i = 0; i < 3000; i++) {
    a.append(join({ticket(2 * i + 1), at(1)}));
    b.append(join({ticket(2 * i + 2), at(2)}));
  }
  source_.show(1, 1, b);
  source_.show(2, 2, a);
  const std::string seen = order();
  EXPECT_EQ(seen.size(), 6000u);
  EXPECT_TRUE(sequencer_.in_order());
}

// One that is used again has the time of its last use, before billions of accesses: it
// would be full for ever, and no thread would look whether there is more to read.
TEST_F(SequencerTest, ABatchWithoutEventsIsNotFull) {
  const std::uint64_t counted = module_.tally(3, {{0, 2, 0, 1}});
  source_.show(0, 0, join({module_.load(), Words().record(counted, 3'000'000'000, 0x1000)}));
  Batch batch;
  EXPECT_EQ(sequencer_.fill(batch), Sequencer::State::idle);
  sequencer_.wait();
  EXPECT_EQ(sequencer_.fill(batch), Sequencer::State::full);
  EXPECT_EQ(decoder_.time(), 3'000'000'000u);
  batch.clear();
  EXPECT_EQ(sequencer_.fill(batch), Sequencer::State::idle);
  EXPECT_TRUE(batch.events.empty());
}

TEST_F(SequencerTest, ALostTicketIsPassedAtTheEnd) {
  source_.show(0, 0, join({module_.load(), at(0), ticket(1)}));
  source_.show(1, 1, join({ticket(4), at(4)}));
  source_.show(2, 2, join({ticket(3), at(3)}));
  EXPECT_EQ(order(), "034");
  EXPECT_FALSE(sequencer_.in_order());
}

TEST_F(SequencerTest, AHandlersRecordsComeWhereItInterrupted) {
  const Words start = module_.load();
  const std::uint64_t p = (start.words.size() + 4) * 8;  // after two records
  const Words handler =
      join({Words().control(MPRT_SIGNAL_ENTER, 0, p), at(7), at(8),
            Words().control(MPRT_SIGNAL_EXIT)});
  // Everything is there at once; the signal ring is listed first.
  source_.together({{5, 0, 1, handler},
                    {0, 0, 0, join({start, at(0), at(1), at(2), at(3)})}});
  EXPECT_EQ(order(), "017823");
  EXPECT_TRUE(sequencer_.in_order());
}

TEST_F(SequencerTest, SeveralHandlersOfOneThread) {
  const Words start = module_.load();
  const std::uint64_t p = start.words.size() * 8;
  source_.show(0, 0, join({start, at(0), at(1)}));
  source_.together({{0, 0, 0, join({at(2), at(3)})},
                    {1, 0, 1, join({handler(p + 16, 7), handler(p + 16, 8),
                                    handler(p + 48, 9)})}});
  EXPECT_EQ(order(), "0178293") << "what came before the handlers were seen "
                                   "may be ahead of them";
}

TEST_F(SequencerTest, AHandlerBehindTheEndOfAChunk) {
  const Words start = module_.load();
  const std::uint64_t p = start.words.size() * 8;
  source_.together({{0, 0, 0, join({start, at(0)})}, {1, 0, 1, handler(p + 16, 7)}});
  source_.together({{0, 0, 0, join({at(1), at(2)})},
                    {1, 0, 1, Words().control(MPRT_CHUNK_END)},
                    {1, 0, 1, handler(p + 32, 8)}});
  EXPECT_EQ(order(), "07182");
  EXPECT_TRUE(sequencer_.in_order());
}

TEST_F(SequencerTest, AHandlerThatWasKilledDoesNotHoldUpItsThread) {
  const Words start = module_.load();
  const std::uint64_t p = (start.words.size() + 2) * 8;
  source_.together(
      {{0, 0, 0, join({start, at(0), at(1)})},
       {1, 0, 1, join({Words().control(MPRT_SIGNAL_ENTER, 0, p), at(7)})}});
  EXPECT_EQ(order(), "071");
  EXPECT_TRUE(sequencer_.in_order());
}

TEST_F(SequencerTest, RecordsBeforeTheirModuleAreParked) {
  TestModule late(0x900000, "late.c");
  late.function("init");
  late.site(MPRT_OP_STORE, 8);
  const auto early = late.block(2, {{0, 1, 0}});
  source_.show(0, 0, join({module_.load(), at(0), Words().record(early, 0x1000),
                           at(1), Words().birth(0x1000, 64, 0), at(2)}));
  source_.show(0, 0, join({at(3), late.load(), at(4)}));
  EXPECT_EQ(order(), "01234");
  EXPECT_EQ(decoder_.units().site_executions()[11], 1u);
  EXPECT_TRUE(sequencer_.in_order());
  EXPECT_EQ(decoder_.counts().lost, 0u);
}

TEST_F(SequencerTest, ParkedRecordsOfNoModuleAreLost) {
  source_.show(0, 0, join({module_.load(), at(0), Words().record(0x123440, 1),
                           at(1), Words().record(0x123440, 1), at(2)}));
  EXPECT_EQ(order(), "012");
  EXPECT_FALSE(sequencer_.in_order());
  EXPECT_EQ(decoder_.counts().lost, 2u);
}

TEST_F(SequencerTest, AnotherThreadMayRegisterTheModule) {
  source_.show(0, 0, join({at(0), at(1)}));
  source_.show(1, 1, join({module_.load(), at(5)}));
  source_.show(0, 0, at(2));
  EXPECT_EQ(order(), "5012");
  EXPECT_TRUE(sequencer_.in_order());
}

TEST_F(SequencerTest, CorruptStretchesAreSkipped) {
  source_.show(0, 0, join({module_.load(), at(0), Words().add({5, 5, 5}), at(1)}));
  source_.show(0, 0, at(2));
  EXPECT_EQ(order(), "02");
  EXPECT_EQ(decoder_.counts().corrupt, 1u);
}

TEST_F(SequencerTest, FillsBatchesOfLongStreams) {
  Words many = module_.load();
  for (unsigned i = 0; i < 20000; i++) many.append(at(i % 10));
  source_.show(0, 0, many);
  EXPECT_EQ(order().size(), 20000u);
}

}  // namespace
}  // namespace memprof::backend
