// stream_counts.h - what a stream file consists of, for making it smaller.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>

#include "runtime/backend/stream/stream_file.h"

namespace memprof::backend {

// Prints a line with the totals, and one for each descriptor that has records,
// those with the most bytes first. False if something was not understood.
bool count_stream(StreamFile& file, std::FILE* out);

}  // namespace memprof::backend
