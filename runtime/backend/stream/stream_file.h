// stream_file.h - a stream that the runtime wrote to a file.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "feedback/result.h"
#include "runtime/wire/ring.h"

namespace memprof::backend {

class StreamFile {
 public:
  struct Frame {
    std::uint32_t ring, thread, signal_of;
    std::span<const std::uint64_t> words;
  };

  static feedback::Result<std::unique_ptr<StreamFile>> open(
      const std::string& path);
  ~StreamFile();
  StreamFile(const StreamFile&) = delete;
  StreamFile& operator=(const StreamFile&) = delete;

  const mprt_shared& shared() const { return shared_; }
  // The next frame in the order of the file; nothing at its end. A frame that
  // the file's end cuts off is returned as far as it goes.
  std::optional<Frame> next();
  // Whether the file ended inside a frame, or with something that is no frame.
  bool damaged() const { return damaged_; }
  void rewind() { at_ = first_, damaged_ = false; }

 private:
  StreamFile() = default;

  const char* data_ = nullptr;
  std::size_t size_ = 0, first_ = 0, at_ = 0;
  bool damaged_ = false;
  mprt_shared shared_{};
};

}  // namespace memprof::backend
