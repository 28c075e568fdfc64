// stream_file.cc - blocks into a file and out of it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/stream_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "feedback/file.h"

namespace memprof::streams {
namespace {

using feedback::Error;

constexpr std::string_view k_magic = "memprof streams\n";
constexpr std::size_t k_head = k_magic.size() + 8, k_header = 48;
constexpr std::uint64_t k_fnv_start = 0xcbf29ce484222325, k_fnv_factor = 0x100000001b3;

std::uint64_t fnv(std::uint64_t hash, std::string_view bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * k_fnv_factor;
  return hash;
}

void put(char*& to, std::uint64_t value, unsigned bytes) {
  for (; bytes > 0; bytes--, value >>= 8) *to++ = static_cast<char>(value);
}
std::uint64_t get(const char*& from, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++)
    value |= std::uint64_t{static_cast<unsigned char>(*from++)} << (8 * i);
  return value;
}

std::array<char, k_header> to_bytes(const BlockHeader& h) {
  std::array<char, k_header> out;
  char* to = out.data();
  put(to, static_cast<std::uint32_t>(h.kind), 4);
  put(to, static_cast<std::uint32_t>(h.dimension), 4);
  put(to, h.thread, 4);
  put(to, h.flags, 4);
  for (const std::uint64_t v : {h.segment, h.count, h.bytes, h.checksum}) put(to, v, 8);
  return out;
}

BlockHeader from_bytes(const char* from) {
  BlockHeader h;
  h.kind = BlockKind(get(from, 4));
  h.dimension = Dimension(get(from, 4));
  h.thread = static_cast<std::uint32_t>(get(from, 4));
  h.flags = static_cast<std::uint32_t>(get(from, 4));
  h.segment = get(from, 8);
  h.count = get(from, 8);
  h.bytes = get(from, 8);
  h.checksum = get(from, 8);
  return h;
}

std::uint64_t checksum(BlockHeader header, std::string_view bytes) {
  header.checksum = 0;
  const auto head = to_bytes(header);
  return fnv(fnv(k_fnv_start, {head.data(), head.size()}), bytes);
}

std::uint64_t add_to_hash(std::uint64_t hash, std::uint64_t checksum) {
  char bytes[8];
  char* to = bytes;
  put(to, checksum, 8);
  return fnv(hash, {bytes, 8});
}

}  // namespace

const char* name(Dimension dimension) {
  static constexpr const char* names[k_dimensions] = {"site", "group", "object", "offset",
                                                      "address"};
  return names[static_cast<unsigned>(dimension)];
}

std::string streams_path(const std::string& profile_path) {
  return feedback::path_beside(profile_path, ".streams");
}

StreamWriter::StreamWriter(std::string path) : path_(std::move(path)), hash_(k_fnv_start) {
  if (!path_.empty()) {
    const int fd = feedback::open_temporary(path_, &temporary_);
    if (fd >= 0) file_ = ::fdopen(fd, "w");
    if (file_ == nullptr) fail("cannot create a file in its folder");
  }
  std::array<char, k_head> head;
  std::memcpy(head.data(), k_magic.data(), k_magic.size());
  char* to = head.data() + k_magic.size();
  put(to, k_streams_version, 8);
  write(head.data(), head.size());
}

StreamWriter::~StreamWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  ::unlink(temporary_.c_str());
}

void StreamWriter::block(BlockHeader header, std::string_view bytes) {
  header.bytes = bytes.size();
  header.checksum = checksum(header, bytes);
  hash_ = add_to_hash(hash_, header.checksum);
  const auto head = to_bytes(header);
  write(head.data(), head.size());
  write(bytes.data(), bytes.size());
  blocks_++;
}

void StreamWriter::finish() {
  BlockHeader end;
  end.kind = BlockKind::end;
  end.count = blocks_;
  block(end, {});
  if (file_ == nullptr) return;
  const int flushed = std::fclose(file_);
  file_ = nullptr;
  const std::string_view mark(k_magic.data(), k_magic.size());
  if (flushed != 0)
    fail("cannot write");
  else if (const std::string foreign = feedback::foreign_file(path_, mark); !foreign.empty())
    error_ = path_ + ": cannot write: " + foreign;
  else if (error_.empty() && ::rename(temporary_.c_str(), path_.c_str()) != 0)
    fail("cannot write");
  if (!error_.empty()) ::unlink(temporary_.c_str());
}

void StreamWriter::write(const void* data, std::size_t size) {
  bytes_ += size;
  if (file_ != nullptr && error_.empty() && std::fwrite(data, 1, size, file_) != size)
    fail("cannot write");
}

void StreamWriter::fail(const char* what) {
  if (error_.empty()) error_ = path_ + ": " + what + ": " + std::strerror(errno);
}

feedback::Result<StreamFile> StreamFile::open(const std::string& path) {
  auto input = feedback::InputFile::open(path);
  if (!input) return input.error();
  StreamFile file;
  file.path_ = path;
  if (!(*input)->regular()) return file.corrupt(0, "not a file of streams");
  // By pieces: a text of gigabytes would be there twice.
  constexpr std::size_t k_piece = 1 << 24;
  file.bytes_.resize((*input)->size());
  std::string piece;
  for (std::size_t at = 0; at < file.bytes_.size(); at += piece.size()) {
    piece.clear();
    const std::size_t end = std::min(at + k_piece, file.bytes_.size());
    if (!(*input)->read(at, end, piece))
      return feedback::system_error(Error::Kind::unreadable, path, "cannot read", errno);
    std::memcpy(file.bytes_.data() + at, piece.data(), piece.size());
  }
  if (feedback::Status status = file.parse(); !status) return status.error();
  return file;
}

Error StreamFile::corrupt(std::size_t at, const std::string& what) const {
  return {Error::Kind::corrupt, path_, "byte " + std::to_string(at), what};
}

feedback::Status StreamFile::parse() {
  const std::string_view all(bytes_.data(), bytes_.size());
  if (!all.starts_with(k_magic)) return corrupt(0, "not a file of streams");
  const char* from = bytes_.data() + k_magic.size();
  if (all.size() < k_head) return corrupt(all.size(), "the file is cut off");
  if (const std::uint64_t version = get(from, 8); version != k_streams_version)
    return Error{Error::Kind::version, path_, "",
                 "version " + std::to_string(version) + ", but this memprof reads " +
                     std::to_string(k_streams_version) + "; make the profile anew"};
  hash_ = k_fnv_start;
  for (std::size_t at = k_head; at < all.size();) {
    if (all.size() - at < k_header) return corrupt(at, "the file is cut off");
    Block block;
    static_cast<BlockHeader&>(block) = from_bytes(all.data() + at);
    if (block.bytes > all.size() - at - k_header) return corrupt(at, "the file is cut off");
    block.payload = all.substr(at + k_header, block.bytes);
    if (block.checksum != checksum(block, block.payload))
      return corrupt(at, "the checksum of this block is wrong");
    hash_ = add_to_hash(hash_, block.checksum);
    at += k_header + block.bytes;
    if (block.kind == BlockKind::end) {
      if (block.count != blocks_.size() || at != all.size())
        return corrupt(at, "blocks are missing, or too many");
      return feedback::Nothing{};
    }
    if (block.kind < BlockKind::grammar || block.kind > BlockKind::end ||
        static_cast<unsigned>(block.dimension) >= k_dimensions)
      return corrupt(at, "an unknown kind of block");
    if (block.segment > blocks_.size()) return corrupt(at, "an impossible segment");
    blocks_.push_back(block);
  }
  return corrupt(all.size(), "the file is cut off");
}

}  // namespace memprof::streams
