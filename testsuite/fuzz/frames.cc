// frames.cc - fuzz target: PROG.memprof.frames, which `memprof trace' reads.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "runtime/backend/modules/pages/frames.h"
#include "runtime/backend/profile/memory_trace.h"
#include "testsuite/fuzz/target.h"

namespace memprof::fuzz {
namespace {

using namespace memprof::backend;

void try_frames(std::string_view input) {
  const auto frames = read_frames(put("f.memprof.frames", input));
  if (!frames) return;
  must(write_frames(*frames, put("g.memprof.frames", "# memprof frames 1")) ? true : false, "what was read cannot be written");
  MemoryTrace memory(machine_pages(), [](const MemoryRequest&) {}, &*frames);
  for (const FrameRun& run : frames->runs) {
    must(frames->find(run.page) != nullptr, "a run is not found");
    for (const std::uint64_t page : {run.page, run.page + run.pages - 1, run.page + run.pages})
      memory.access(0, page << 12, 8, false, 0);
  }
}

}  // namespace
}  // namespace memprof::fuzz

MEMPROF_FUZZ_TARGET("frames", memprof::fuzz::try_frames)
