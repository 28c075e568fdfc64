// recorded.cc - fuzz target: a recorded stream (MPRT_OPTIONS=file=), in all that reads one.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A stream file begins with the 33 KB of struct mprt_shared, of which hardly a byte is used.  An input is
//
//     options NUL program NUL rank NUL command NUL   what the header says, as texts
//     frames                                         as in the file
//
// and the file is made of it.  record_input.py makes an input of a file.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "runtime/backend/base/bounded_text.h"
#include "runtime/backend/base/fault.h"
#include "runtime/backend/modules/pages/page_geometry.h"
#include "runtime/backend/profile/accesses.h"
#include "runtime/backend/profile/dump.h"
#include "runtime/backend/profile/recorded_batches.h"
#include "runtime/backend/profile/stream_counts.h"
#include "runtime/backend/profile/trace.h"
#include "runtime/backend/session.h"
#include "runtime/backend/stream/file_source.h"
#include "runtime/wire/ring.h"
#include "feedback/reader.h"
#include "testsuite/fuzz/mutators.h"
#include "testsuite/fuzz/target.h"

namespace memprof::fuzz {
namespace {

using namespace memprof::backend;

constexpr unsigned k_texts = 4;
// A record of a few bytes may represent more accesses than a test can wait for.
constexpr std::uint64_t k_most_accesses = 200000, k_most_bytes = 64 << 20;

// Where the frames of INPUT begin.
std::size_t frames_at(std::string_view input) {
  std::size_t at = 0;
  for (unsigned i = 0; i < k_texts; i++) {
    at = input.find('\0', at);
    if (at == input.npos) return input.size();
    at++;
  }
  return at;
}

template <std::size_t N>
void next_text(std::string_view& input, char (&to)[N]) {
  const std::string_view text = input.substr(0, input.find('\0'));
  std::memcpy(to, text.data(), std::min(text.size(), N - 1));
  input.remove_prefix(std::min(text.size() + 1, input.size()));
}

std::string file_of(std::string_view input) {
  const std::string_view frames = input.substr(frames_at(input));
  const auto shared = std::make_unique<mprt_shared>();
  shared->magic = MPRT_SHARED_MAGIC;
  shared->abi = MPRT_ABI;
  shared->bytes = sizeof *shared;
  next_text(input, shared->options);
  next_text(input, shared->program);
  next_text(input, shared->rank);
  next_text(input, shared->command);
  const mprt_stream_header header{MPRT_STREAM_MAGIC, MPRT_ABI, sizeof *shared};
  std::string file(reinterpret_cast<const char*>(&header), sizeof header);
  file.append(reinterpret_cast<const char*>(shared.get()), sizeof *shared);
  return file.append(frames);
}

// What the records of FILE represent; count_stream's first line ends in it.
std::uint64_t accesses_in(StreamFile& file) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const out = open_memstream(&text, &size);
  count_stream(file, out);
  std::fclose(out);
  const std::string line = std::string(text, size).substr(0, std::string(text, size).find(" accesses\n"));
  std::free(text);
  return std::strtoull(line.c_str() + line.rfind(' ') + 1, nullptr, 10);
}

// Whether the accesses of FILE, of which there are few, touch few bytes: a call may represent any number.
bool short_p(StreamFile& file) {
  RecordedBatches batches(file);
  std::uint64_t bytes = 0;
  for (Batch batch; batches.next(batch);)
    for_each(batch, [&](const Event& e, std::uint64_t width) {
      if (e.kind == EventKind::load || e.kind == EventKind::store || e.kind == EventKind::external_store)
        bytes += std::min(width, k_most_bytes);
    });
  return bytes < k_most_bytes;
}

void make_profile(StreamFile& file, const std::string& output) {
  // Deliberate errors are not what is looked for.
  g_fault = Fault::none;
  if (std::strstr(file.shared().options, "fault=")) return;
  std::remove(output.c_str());
  FileSource source(file);
  ProfilePlace place;
  place.output = output;
  place.names_files = false;
  place.executable = bounded_text(file.shared().program);
  if (profile_stream(source, place).result == Outcome::no_profile) return;
  // Counts that contradict each other in the stream may do so in the profile.
  const auto profile = feedback::read_profile(output);
  must(bool(profile), "a profile that cannot be read: " + (profile ? "" : profile.error().text()));
}

void try_recorded(std::string_view input) {
  const std::string path = put("stream", file_of(input));
  static std::FILE* const nowhere = std::fopen("/dev/null", "w");
  auto file = StreamFile::open(path);
  if (!file) return;
  if (accesses_in(**file) > k_most_accesses) return;
  (*file)->rewind();
  if (!short_p(**file)) return;
  for (const auto read : {dump_stream, print_accesses}) {
    (*file)->rewind();
    read(**file, nowhere);
  }
  TraceOptions options;
  options.geometry = machine_pages();
  static_cast<void>(write_trace(path, options, nowhere));
  (*file)->rewind();
  make_profile(**file, put("s.memprof.json", ""));
}

void mutate_recorded(std::string& input, Random& random) {
  for (std::size_t n = 1 + below(3, random); n > 0; n--)
    if (below(8, random) != 0)
      mutate_words(input, frames_at(input), random);
    else
      mutate_bytes(input, random);
}

}  // namespace
}  // namespace memprof::fuzz

MEMPROF_FUZZ_MUTATED_TARGET("recorded", memprof::fuzz::try_recorded, memprof::fuzz::mutate_recorded)
