// trace.h - requests to memory of a recorded run, as text, JSON or binary: memprof trace.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "feedback/result.h"
#include "runtime/backend/modules/pages/page_geometry.h"
#include "runtime/backend/profile/trace_writer.h"

namespace memprof::backend {

struct TraceOptions {
  PageGeometry geometry;
  // Accesses whose requests are written; those before them fill the caches.
  std::uint64_t first = 0, count = ~std::uint64_t{0};
  TraceFormat format = TraceFormat::text;
  std::uint64_t phases = 0;  // accesses of an interval whose requests are added up; 0: each is written
};

// PATH is a recorded stream (MPRT_OPTIONS=file=), or a profile with a file of whole streams.
// False: not all of the run is there.
feedback::Result<bool> write_trace(const std::string& path, const TraceOptions& options,
                                   std::FILE* out);

}  // namespace memprof::backend
