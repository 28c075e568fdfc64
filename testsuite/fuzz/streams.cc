// streams.cc - fuzz target: PROG.memprof.streams, in the commands that read it.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An input is a profile, NUL, and the file of streams.  Each block has a checksum and the profile has the hash
// of the file, which nothing changes by chance: they are set right, so that what is inside counts.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "consumers/cli/command.h"
#include "feedback/reader.h"
#include "feedback/streams/stream_file.h"
#include "feedback/writer.h"
#include "runtime/backend/modules/pages/page_geometry.h"
#include "runtime/backend/profile/trace.h"
#include "testsuite/fuzz/mutators.h"
#include "testsuite/fuzz/target.h"

namespace memprof::fuzz {
namespace {

// As in stream_file.h.
constexpr std::size_t k_head = 24, k_header = 48, k_count_at = 24, k_bytes_at = 32;
// A grammar of a few bytes may represent more accesses than a test can wait for.
constexpr std::uint64_t k_most_accesses = 200000;

std::uint64_t number_at(std::string_view text, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, text.data() + at, 8);
  return value;
}

// Writes the blocks of TEXT to PATH as StreamWriter does; the hash. Accesses in *ACCESSES.
std::uint64_t write_blocks(std::string_view text, const std::string& path, std::uint64_t* accesses) {
  streams::StreamWriter writer(path);
  for (std::size_t at = k_head; at <= text.size() && text.size() - at >= k_header;) {
    streams::BlockHeader header;
    const auto part = [&](std::size_t offset) { return static_cast<std::uint32_t>(number_at(text, at + offset)); };
    header.kind = streams::BlockKind(part(0));
    header.dimension = streams::Dimension(part(4));
    header.thread = part(8);
    header.flags = part(12);
    header.segment = number_at(text, at + 16);
    header.count = number_at(text, at + k_count_at);
    const std::uint64_t bytes = std::min<std::uint64_t>(number_at(text, at + k_bytes_at), text.size() - at - k_header);
    if (header.kind == streams::BlockKind::end) break;
    if (header.kind == streams::BlockKind::turns) *accesses += std::min(header.count, k_most_accesses + 1);
    writer.block(header, text.substr(at + k_header, bytes));
    at += k_header + bytes;
  }
  writer.finish();
  return writer.hash();
}

void try_commands(const std::string& path) {
  static std::FILE* const nowhere = std::fopen("/dev/null", "w");
  run(cli::k_streams_command, {"--expand", path});
  run(cli::k_streams_command, {path});
  run(cli::k_streams_command, {path, "1"});
  run(cli::k_streams_command, {"--json", "--potential", "--name=object", path});
  run(cli::k_streams_command, {"--sfg", "--name=address", path});
  run(cli::k_streams_command, {"--skew", "--fast", "--name=site-ctx3", path});
  run(cli::k_streams_command, {"--against", path, path});
  run(cli::k_report_command, {"-o", "-", path});
  backend::TraceOptions options;
  options.geometry = backend::machine_pages();
  static_cast<void>(backend::write_trace(path, options, nowhere));
}

void try_streams(std::string_view input) {
  const std::size_t end = std::min(input.find('\0'), input.size());
  auto profile = feedback::parse_profile(std::string(input.substr(0, end)), "input");
  if (!profile || profile->whole_stream.empty() || end == input.size()) return;
  const std::string path = put("w.memprof.json", "");
  std::uint64_t accesses = 0;
  feedback::WholeStream& row = profile->whole_stream.front();
  row.hash = write_blocks(input.substr(end + 1), streams::streams_path(path), &accesses);
  if (accesses > k_most_accesses) return;
  put("w.memprof.json", feedback::to_json(std::move(*profile)));
  try_commands(path);
}

// Mostly what is inside of the file of streams.
void mutate_streams(std::string& input, Random& random) {
  const std::size_t end = std::min(input.find('\0'), input.size());
  std::string profile = input.substr(0, end), file = input.substr(std::min(end + 1, input.size()));
  switch (below(8, random)) {
    case 0: mutate_json(profile, random); break;
    case 1: mutate_words(file, k_head, random); break;
    default:
      for (std::size_t n = 1 + below(3, random); n > 0; n--) mutate_bytes(file, random);
  }
  input = profile + '\0' + file;
}

}  // namespace
}  // namespace memprof::fuzz

MEMPROF_FUZZ_MUTATED_TARGET("streams", memprof::fuzz::try_streams, memprof::fuzz::mutate_streams)
