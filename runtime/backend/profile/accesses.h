// accesses.h - the accesses of a stream file as text, one a line.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>

#include "runtime/backend/stream/stream_file.h"

namespace memprof::backend {

// Thread, load or store, place in the source, and address of each access, in the order in which
// modules see them: as `memprof streams --expand' prints them. False if the stream is not whole.
bool print_accesses(StreamFile& file, std::FILE* out);

}  // namespace memprof::backend
