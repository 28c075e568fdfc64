// stream_file.cc - a stream that the runtime wrote to a file.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/stream/stream_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace memprof::backend {

feedback::Result<std::unique_ptr<StreamFile>> StreamFile::open(
    const std::string& path) {
  using Kind = feedback::Error::Kind;
  const auto fail = [&path](Kind kind, const std::string& what) {
    feedback::Error error;
    error.kind = kind;
    error.file = path;
    error.what = what;
    return error;
  };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return fail(errno == ENOENT ? Kind::missing : Kind::unreadable,
                std::strerror(errno));
  struct stat st;
  void* map = MAP_FAILED;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
    map = mmap(nullptr, static_cast<std::size_t>(st.st_size), PROT_READ,
               MAP_PRIVATE, fd, 0);
  ::close(fd);
  if (map == MAP_FAILED)
    return fail(Kind::unreadable, "not a file that can be mapped, or empty");

  std::unique_ptr<StreamFile> file(new StreamFile);
  file->data_ = static_cast<const char*>(map);
  file->size_ = static_cast<std::size_t>(st.st_size);
  mprt_stream_header header;
  if (file->size_ < sizeof header)
    return fail(Kind::corrupt, "too short for the header of a stream");
  std::memcpy(&header, file->data_, sizeof header);
  if (header.magic != MPRT_STREAM_MAGIC)
    return fail(Kind::corrupt, "not a stream of the memprof runtime");
  if (header.abi != MPRT_ABI || header.shared_bytes != sizeof(mprt_shared))
    return fail(Kind::version, "written by another version of the runtime");
  file->first_ = sizeof header + sizeof(mprt_shared);
  if (file->size_ < file->first_)
    return fail(Kind::corrupt, "too short for the description of a program");
  std::memcpy(&file->shared_, file->data_ + sizeof header, sizeof(mprt_shared));
  file->at_ = file->first_;
  return file;
}

StreamFile::~StreamFile() { munmap(const_cast<char*>(data_), size_); }

std::optional<StreamFile::Frame> StreamFile::next() {
  if (at_ >= size_) return {};
  mprt_frame frame;
  if (size_ - at_ < sizeof frame) {
    damaged_ = true;
    at_ = size_;
    return {};
  }
  std::memcpy(&frame, data_ + at_, sizeof frame);
  at_ += sizeof frame;
  std::size_t bytes = frame.bytes;
  if (bytes % 8 != 0 || bytes > size_ - at_) {
    damaged_ = true;
    bytes = std::min(bytes, size_ - at_) & ~std::size_t{7};
  }
  const auto* words = reinterpret_cast<const std::uint64_t*>(data_ + at_);
  at_ = damaged_ ? size_ : at_ + bytes;
  return Frame{frame.ring, frame.thread, frame.signal_of, {words, bytes / 8}};
}

}  // namespace memprof::backend
