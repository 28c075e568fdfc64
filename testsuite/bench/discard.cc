// discard.cc - a backend that reads the stream and forgets it.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Started by the runtime in the place of memprof-backend (MPRT_OPTIONS=
// backend=.../discard), so that the cost of producing the stream can be
// measured alone.  Keeps to the protocol of runtime/wire/ring.h but for the
// order between threads, which does not matter where nothing is kept.  Writes to the
// file output= of MPRT_OPTIONS, as JSON:
//
//   {"records": 1000, "bytes": 24000}
//
// Records are those of sites and of control, bytes include their headers; what
// a chunk has left at its end does not count.
#include <signal.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "runtime/backend/base/bounded_text.h"
#include "runtime/backend/run_options.h"
#include "runtime/backend/stream/records.h"
#include "runtime/backend/stream/shm_source.h"

namespace {

using namespace memprof::backend;

struct Totals {
  std::uint64_t records = 0, words = 0;
};

// Uses what is there. False if there was nothing.
bool discard(ShmSource& source, StreamRing& ring, Totals& totals) {
  if (ring.unread.empty()) return false;
  const std::uint64_t* const begin = ring.unread.data();
  const std::uint64_t* const end = begin + ring.unread.size();
  const std::uint64_t* p = begin;
  while (const std::size_t words = whole_record(p, end)) {
    if (*p == MPRT_CONTROL_HEADER(MPRT_CHUNK_END, 1)) {
      source.advance(ring, static_cast<std::size_t>(p + 1 - begin));
      source.skip_chunk(ring);
      return true;
    }
    if (control_p(*p) && MPRT_CONTROL_KIND(*p) == MPRT_SNAPSHOT)
      source.give_snapshot(static_cast<std::uint32_t>(p[1]), {});
    totals.records++;
    totals.words += words;
    p += words;
  }
  if (p != end) {
    std::fprintf(stderr, "discard: a record without length\n");
    std::abort();
  }
  source.advance(ring, ring.unread.size());
  return true;
}

bool discard_all(ShmSource& source, Totals& totals) {
  bool some = false;
  for (std::size_t i = 0; i < source.rings().size();) {
    StreamRing& ring = *source.rings()[i];
    while (discard(source, ring, totals)) some = true;
    if (!ring.ended) {
      i++;
      continue;
    }
    source.release(ring);  // the next one takes its place
    some = true;
  }
  return some;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::strcmp(argv[1], "--attach") != 0) return 2;
  signal(SIGPIPE, SIG_IGN);
  auto source = ShmSource::attach(std::atoi(argv[2]));
  if (!source) return 2;
  Totals totals;
  for (bool more = true; more;) {
    while (discard_all(**source, totals) || (*source)->poll()) {
    }
    more = (*source)->wait();
  }
  while (discard_all(**source, totals)) {
  }
  const RunOptions options = parse_run_options(bounded_text((*source)->about().options));
  std::string trouble;
  if (std::FILE* out = std::fopen(options.output.c_str(), "w")) {
    std::fprintf(out, "{\"records\": %" PRIu64 ", \"bytes\": %" PRIu64 "}\n",
                 totals.records, totals.words * 8);
    std::fclose(out);
  } else {
    trouble = options.output + ": cannot be written";
  }
  (*source)->finish(trouble.empty() ? MPRT_FINISHED : MPRT_FAILED, trouble);
  return 0;
}
