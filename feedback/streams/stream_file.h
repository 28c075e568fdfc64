// stream_file.h - PROG.memprof.streams: the grammars of a run, in blocks.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//     "memprof streams\n"  version: 8 bytes
//     block                a segment's turns
//     block                thread 0, sites
//     block                thread 0, groups ...
//     ...
//     block                end: how many blocks there are
//
// Numbers of fixed length are little-endian. A block is its header (BlockHeader) and that many
// bytes; its checksum is FNV-1a over the header, with 0 for the checksum, and the bytes. The hash of
// the file is FNV-1a over the checksums of all blocks, as they stand; the profile has it, so a file
// of another run is noticed. doc/streams.md says what is in which block.
//
// It is written while the program runs, under another name, and renamed when it is whole: a
// program that needs more memory than it may writes segments (recorder.h). What cannot be written
// is an error that stays; the run goes on.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "feedback/result.h"

namespace memprof::streams {

inline constexpr std::uint64_t k_streams_version = 1;

enum class BlockKind : std::uint32_t { grammar = 1, turns = 2, objects = 3, end = 4 };

// Of a grammar: what its sequence consists of.
enum class Dimension : std::uint32_t { site, group, object, offset, address };
inline constexpr unsigned k_dimensions = 5, k_omsg_dimensions = 4;
const char* name(Dimension dimension);

struct BlockHeader {
  BlockKind kind{};
  Dimension dimension{};
  std::uint32_t thread = 0, flags = 0;
  std::uint64_t segment = 0;
  std::uint64_t count = 0;  // grammar, turns: accesses; objects: births and deaths; end: blocks
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};
inline constexpr std::uint32_t k_object_differences = 1;  // flag of a grammar of objects

// prog.memprof.json -> prog.memprof.streams
std::string streams_path(const std::string& profile_path);

class StreamWriter {
 public:
  // An empty PATH: nothing is written, but hash() is as if.
  explicit StreamWriter(std::string path);
  ~StreamWriter();
  StreamWriter(const StreamWriter&) = delete;
  StreamWriter& operator=(const StreamWriter&) = delete;

  void block(BlockHeader header, std::string_view bytes);
  // Writes the end and renames the file.
  void finish();
  // What went wrong first; empty: nothing.
  const std::string& error() const { return error_; }
  std::uint64_t hash() const { return hash_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  void write(const void* data, std::size_t size);
  void fail(const char* what);

  std::string path_, temporary_, error_;
  std::FILE* file_ = nullptr;
  std::uint64_t blocks_ = 0, bytes_ = 0, hash_;
};

struct Block : BlockHeader {
  std::string_view payload;
};

// A whole file in memory.
class StreamFile {
 public:
  // Checks all but what is inside of blocks.
  static feedback::Result<StreamFile> open(const std::string& path);

  const std::string& path() const { return path_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  std::uint64_t hash() const { return hash_; }
  // Sites and groups are numbered as they come, each takes a byte: larger numbers are none.
  std::uint64_t most_names() const { return bytes_.size(); }

 private:
  feedback::Status parse();
  feedback::Error corrupt(std::size_t at, const std::string& what) const;

  std::string path_;
  std::vector<char> bytes_;
  std::vector<Block> blocks_;
  std::uint64_t hash_ = 0;
};

}  // namespace memprof::streams
