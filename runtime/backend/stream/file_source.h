// file_source.h - the rings of a stream file.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <utility>

#include "runtime/backend/stream/stream.h"
#include "runtime/backend/stream/stream_file.h"

namespace memprof::backend {

class FileSource final : public StreamSource {
 public:
  explicit FileSource(StreamFile& file) : file_(file) {}

  const mprt_shared& about() const override { return file_.shared(); }
  std::span<const std::unique_ptr<StreamRing>> rings() override {
    return rings_;
  }
  bool poll() override;
  bool wait() override { return false; }
  void advance(StreamRing& ring, std::size_t words) override;
  void skip_chunk(StreamRing& ring) override;
  void release(StreamRing& ring) override;
  bool intact() const override { return intact_ && !file_.damaged(); }
  std::uint64_t events_lost() const override {
    return file_.shared().events_lost;
  }

 private:
  struct FileRing : StreamRing {
    std::vector<std::span<const std::uint64_t>> frames;  // after `unread'
    std::size_t next = 0;
    std::vector<std::uint64_t> copy;  // of the frame that is read: the file may change
  };
  static void next_frame(FileRing& ring);

  StreamFile& file_;
  bool read_ = false;
  bool intact_ = true;
  std::vector<std::unique_ptr<StreamRing>> rings_;
};

}  // namespace memprof::backend
