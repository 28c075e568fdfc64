// shm_source_test.cc - the rings in shared memory, with a producer by hand.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/stream/shm_source.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <thread>

#include "runtime/backend/decode/decoder.h"
#include "runtime/backend/decode/sequencer.h"
#include "testsuite/unit/backend/stream_builder.h"

namespace memprof::backend {
namespace {

using testing::TestModule;
using testing::Words;

// What the runtime does, without its haste. The "program" is a child process
// that sleeps, so that a test can kill it.
class ShmTest : public ::testing::Test {
 protected:
  ShmTest() {
    fd_ = memfd_create("test", MFD_CLOEXEC);
    EXPECT_EQ(ftruncate(fd_, MPRT_SHARED_BYTES), 0);
    base_ = static_cast<char*>(mmap(nullptr, MPRT_SHARED_BYTES,
                                    PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
    shared_ = reinterpret_cast<mprt_shared*>(base_);
    child_ = fork();
    if (child_ == 0) {
      signal(SIGUSR1, [](int) { execl("/bin/sleep", "sleep", "100", nullptr); });
      for (;;) pause();
    }
    shared_->magic = MPRT_SHARED_MAGIC;
    shared_->abi = MPRT_ABI;
    shared_->bytes = sizeof(mprt_shared);
    shared_->program_pid = static_cast<std::uint32_t>(child_);
    module_.function("f");
    module_.site(MPRT_OP_LOAD, 8);
    block_ = module_.block(2, {{0, 1, 0}});
  }
  ~ShmTest() override {
    kill_program();
    munmap(base_, MPRT_SHARED_BYTES);
    close(fd_);
  }
  void kill_program() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }

  mprt_ring& ring(unsigned i) {
    return reinterpret_cast<mprt_ring*>(base_ + MPRT_RINGS_OFFSET)[i];
  }
  std::uint64_t* chunk(unsigned i) {
    return reinterpret_cast<std::uint64_t*>(
        base_ + MPRT_CHUNKS_OFFSET + std::uint64_t{i} * MPRT_CHUNK_BYTES);
  }
  void open(unsigned i, std::uint32_t thread, std::vector<std::uint32_t> chunks) {
    for (std::size_t k = 0; k < chunks.size(); k++) ring(i).queue[k] = chunks[k];
    ring(i).thread = thread;
    ring(i).state = MPRT_RING_LIVE;
  }
  // Writes after the cursor of a ring; publishes or not.
  void write(unsigned i, const Words& words, bool publish = true) {
    std::uint64_t& cursor = cursors_[i];
    const std::uint64_t bytes = words.words.size() * 8;
    ASSERT_LE(cursor % MPRT_CHUNK_BYTES + bytes, MPRT_CHUNK_BYTES);
    std::uint64_t* to = chunk(ring(i).queue[cursor / MPRT_CHUNK_BYTES % MPRT_QUEUE]) +
                        cursor % MPRT_CHUNK_BYTES / 8;
    std::copy(words.words.begin(), words.words.end(), to);
    cursor += bytes;
    if (publish) ring(i).published = cursor;
  }
  void end_chunk(unsigned i, bool publish = true) {
    write(i, Words().control(MPRT_CHUNK_END), false);
    cursors_[i] = (cursors_[i] + MPRT_CHUNK_BYTES - 1) / MPRT_CHUNK_BYTES *
                  MPRT_CHUNK_BYTES;
    if (publish) ring(i).published = cursors_[i];
  }
  Words accesses(unsigned n) {
    Words w;
    for (unsigned i = 0; i < n; i++) w.record(block_, 0x1000 + 8 * i);
    return w;
  }

  // Reads everything; how many accesses there were.
  std::uint64_t read_all(ShmSource& source) {
    Sequencer sequencer(source, decoder_);
    for (;;) {
      Batch batch;
      const auto state = sequencer.fill(batch);
      if (state == Sequencer::State::finished) break;
      if (state == Sequencer::State::idle) sequencer.wait();
    }
    in_order_ = sequencer.in_order();
    return decoder_.time();
  }

  int fd_;
  char* base_;
  mprt_shared* shared_;
  pid_t child_;
  TestModule module_;
  std::uint64_t block_;
  std::map<unsigned, std::uint64_t> cursors_;
  Decoder decoder_;
  bool in_order_ = false;
};

TEST_F(ShmTest, ReadsChunksInTurnAndClearsThem) {
  auto source = ShmSource::attach(fd_);
  ASSERT_TRUE(source) << source.error().what;
  EXPECT_EQ(shared_->phase, MPRT_RUNNING);
  open(3, 0, {7, 2, 7});
  write(3, module_.load());
  write(3, accesses(10));
  end_chunk(3);
  write(3, accesses(5));
  shared_->ending = 1;
  EXPECT_EQ(read_all(**source), 15u);
  EXPECT_TRUE((*source)->intact());
  EXPECT_EQ(ring(3).consumed, MPRT_CHUNK_BYTES);
  EXPECT_EQ(chunk(7)[0], 0u);
  (*source)->finish(MPRT_FINISHED, "");
  EXPECT_EQ(shared_->phase, MPRT_FINISHED);
}

// It is still in the table of processes until somebody waits for it, and no pidfd can be had.
TEST_F(ShmTest, AProgramThatNoProcessWaitsForHasEnded) {
  rlimit old, none;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
  none = old;
  none.rlim_cur = static_cast<rlim_t>(dup(fd_));
  close(static_cast<int>(none.rlim_cur));
  setrlimit(RLIMIT_NOFILE, &none);
  auto source = ShmSource::attach(fd_);
  setrlimit(RLIMIT_NOFILE, &old);
  ASSERT_TRUE(source);
  open(0, 0, {1});
  write(0, module_.load());
  write(0, accesses(3));
  kill(child_, SIGKILL);
  EXPECT_EQ(read_all(**source), 3u);
}

// The process lives on with another program, which has not our memory.
TEST_F(ShmTest, AProgramThatBecameAnotherHasEnded) {
  auto source = ShmSource::attach(fd_);
  ASSERT_TRUE(source);
  open(0, 0, {1});
  write(0, module_.load());
  write(0, accesses(3));
  kill(child_, SIGUSR1);
  EXPECT_EQ(read_all(**source), 3u);
  EXPECT_EQ(kill(child_, 0), 0);
}

// A reader that checks a word and then uses it has the same word, whatever the program does meanwhile.
TEST_F(ShmTest, WhatWasShownStaysAsItWas) {
  auto source = ShmSource::attach(fd_);
  ASSERT_TRUE(source);
  open(0, 0, {1});
  const Words first = accesses(3), second = accesses(5);
  write(0, first);
  ASSERT_TRUE((*source)->poll());
  StreamRing& shown = *(*source)->rings()[0];
  std::fill_n(chunk(1), first.words.size(), ~std::uint64_t{0});
  EXPECT_TRUE(std::ranges::equal(shown.unread, first.words));
  (*source)->advance(shown, 2);
  write(0, second);
  ASSERT_TRUE((*source)->poll());
  std::fill_n(chunk(1), 64, std::uint64_t{0});
  Words all = first;
  all.words.insert(all.words.end(), second.words.begin(), second.words.end());
  EXPECT_TRUE(std::ranges::equal(shown.unread, std::span(all.words).subspan(2)));
}

TEST_F(ShmTest, ReadsBehindPublishedAfterACrash) {
  auto source = ShmSource::attach(fd_);
  ASSERT_TRUE(source);
  open(0, 0, {1, 5});
  write(0, module_.load());
  write(0, accesses(3), false);
  end_chunk(0, false);  // the queue entry stands before CHUNK_END
  write(0, accesses(4), false);
  // The last record is cut short: its address is missing.
  write(0, Words().add({block_ | 2, 0}), false);
  kill_program();
  EXPECT_EQ(read_all(**source), 7u);
  EXPECT_FALSE(decoder_.counts().ended);
  EXPECT_EQ(decoder_.counts().corrupt, 0u);
}

TEST_F(ShmTest, ATicketThatDiedWithItsThreadIsPassed) {
  auto source = ShmSource::attach(fd_);
  open(0, 0, {0});
  open(1, 1, {1});
  write(0, module_.load());
  write(1, Words().control(MPRT_TICKET, 2).append(accesses(2)));
  kill_program();
  EXPECT_EQ(read_all(**source), 2u);
  EXPECT_FALSE(in_order_);
}

TEST_F(ShmTest, AnEndedRingGivesItsChunksBack) {
  auto source = ShmSource::attach(fd_);
  open(4, 1, {3, 9, 3, 9, 11});
  write(4, module_.load());
  for (unsigned i = 0; i < 4; i++) {
    write(4, accesses(100));
    end_chunk(4);
    // The consumer must have let go before a chunk is used again.
    Sequencer sequencer(**source, decoder_);
    Batch batch;
    sequencer.fill(batch);
  }
  write(4, accesses(1));
  ring(4).state = MPRT_RING_ENDED;
  shared_->ending = 1;
  EXPECT_EQ(read_all(**source), 401u);
  EXPECT_EQ(ring(4).state, MPRT_RING_FREE);
  EXPECT_EQ(ring(4).published, 0u);
  ASSERT_EQ(shared_->pool_free_count, 3u);
  EXPECT_EQ(shared_->pool_free[0] + shared_->pool_free[1] + shared_->pool_free[2],
            3u + 9 + 11);
  for (unsigned c : {3, 9, 11})
    for (unsigned w = 0; w < MPRT_CHUNK_BYTES / 8; w++) ASSERT_EQ(chunk(c)[w], 0u);
}

TEST_F(ShmTest, WakesAProducerThatWaits) {
  auto source = ShmSource::attach(fd_);
  open(0, 0, {0, 1});
  write(0, module_.load());
  end_chunk(0);
  ring(0).producer_waiting = 1;
  shared_->ending = 1;
  read_all(**source);
  EXPECT_EQ(ring(0).producer_waiting, 0u);
  EXPECT_EQ(ring(0).consumed_futex, 1u);
}

TEST_F(ShmTest, SleepsUntilSomethingIsPublished) {
  auto source = ShmSource::attach(fd_);
  open(0, 0, {0});
  std::thread producer([&] {
    usleep(30000);
    write(0, module_.load());
    write(0, accesses(1));
    __atomic_store_n(&shared_->ending, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&shared_->work, 1, __ATOMIC_SEQ_CST);
  });
  EXPECT_EQ(read_all(**source), 1u);
  producer.join();
}

TEST_F(ShmTest, RefusesStrangers) {
  shared_->abi = MPRT_ABI + 1;
  EXPECT_EQ(ShmSource::attach(fd_).error().kind, feedback::Error::Kind::version);
  shared_->abi = MPRT_ABI;
  shared_->magic = 1;
  EXPECT_EQ(ShmSource::attach(fd_).error().kind, feedback::Error::Kind::corrupt);
  const int small = memfd_create("small", 0);
  EXPECT_EQ(ftruncate(small, 4096), 0);
  EXPECT_FALSE(ShmSource::attach(small));
  close(small);
  EXPECT_FALSE(ShmSource::attach(9999));
}

// Whatever the program writes into the shared memory: no crash, and an end.
TEST_F(ShmTest, SurvivesHostileRings) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; round++) {
    auto source = ShmSource::attach(fd_);
    ASSERT_TRUE(source);
    for (unsigned i = 0; i < 4; i++) {
      ring(i) = {};
      open(i, i, {i * 2, i * 2 + 1});
      cursors_[i] = 0;
      write(i, module_.load());
      write(i, accesses(20));
    }
    for (int k = 0; k < 30; k++) {
      mprt_ring& r = ring(random() % 4);
      switch (random() % 8) {
        case 0: r.published = random(); break;
        case 1: r.published += random() % 100000; break;
        case 2: r.queue[random() % 3] = static_cast<std::uint32_t>(random()); break;
        case 3: r.state = random() % 5; break;
        case 4: r.signal_of = random() % 6; break;
        case 5: r.thread = static_cast<std::uint32_t>(random()); break;
        case 6: chunk(random() % 8)[random() % 2000] = random() % 2000; break;
        case 7: chunk(random() % 8)[random() % 2000] = random(); break;
      }
    }
    shared_->pool_free_count = static_cast<std::uint32_t>(random());
    shared_->ending = 1;
    Decoder decoder;
    Sequencer sequencer(**source, decoder);
    for (;;) {
      Batch batch;
      const auto state = sequencer.fill(batch);
      if (state == Sequencer::State::finished) break;
      if (state == Sequencer::State::idle) sequencer.wait();
    }
  }
}

}  // namespace
}  // namespace memprof::backend
