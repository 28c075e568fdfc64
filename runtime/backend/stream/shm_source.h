// shm_source.h - the rings of a running program, in memory shared with it.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Nothing in that memory is trusted: every position, chunk number and state is
// read once and checked, a ring that makes no sense is given up, and nothing
// that the program could write makes us touch memory outside of the mapping.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "feedback/result.h"
#include "runtime/backend/stream/stream.h"

namespace memprof::backend {

class ShmSource final : public StreamSource {
 public:
  // FD is the memfd that the program made. Tells the program that we read.
  static feedback::Result<std::unique_ptr<ShmSource>> attach(int fd);
  ~ShmSource() override;
  ShmSource(const ShmSource&) = delete;
  ShmSource& operator=(const ShmSource&) = delete;

  // The last word to the program; it may be waiting for it.
  void finish(mprt_phase phase, const std::string& message);

  const mprt_shared& about() const override { return about_; }
  std::span<const std::unique_ptr<StreamRing>> rings() override {
    return rings_;
  }
  bool poll() override;
  bool wait() override;
  void advance(StreamRing& ring, std::size_t words) override;
  void skip_chunk(StreamRing& ring) override;
  void release(StreamRing& ring) override;
  void give_snapshot(std::uint32_t token,
                     std::span<const mprt_live_object> live) override;
  void enough() override;
  void writing() override;
  bool intact() const override { return intact_; }
  std::uint64_t events_lost() const override;

 private:
  struct ShmRing : StreamRing {
    mprt_ring* shared = nullptr;
    std::uint64_t read = 0;       // position of `unread'
    std::uint64_t published = 0;  // when last polled
    std::uint64_t released = 0;   // `consumed', as the program was notified
    // The chunk that is read, up to the position `copied'.
    std::vector<std::uint64_t> copy;
    std::uint64_t copied = 0;
  };

  ShmSource() = default;
  mprt_ring& slot(std::uint32_t number) const;
  char* chunk(std::uint64_t index) const;
  bool find_rings(std::uint32_t limit);
  bool refresh(ShmRing& ring);
  void show_unread(ShmRing& ring);
  void release_chunks(ShmRing& ring);
  void give_up(ShmRing& ring);
  bool extend_tail(ShmRing& ring);
  bool work_comes(std::uint32_t seen);
  bool program_dead();
  bool program_gone();
  bool lock_pool();
  void unlock_pool();

  int pidfd_ = -1;
  int snapshot_ = -1;
  char* base_ = nullptr;
  mprt_shared* shared_ = nullptr;
  mprt_shared about_{};  // as it was when we came
  std::vector<std::unique_ptr<StreamRing>> rings_;
  std::vector<bool> known_;           // by ring number
  std::uint32_t highest_ = 0;         // no ring above was seen
  unsigned polls_ = 0;
  std::uint64_t inode_ = 0;           // of the shared memory
  bool maps_tell_ = false;            // /proc is of our processes
  unsigned idle_ = 0;                 // waits in which nothing came
  bool intact_ = true;
};

}  // namespace memprof::backend
