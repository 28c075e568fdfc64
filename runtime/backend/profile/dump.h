// dump.h - a stream file as text, for people and for tests.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>

#include "runtime/backend/event/descriptor.h"
#include "runtime/backend/stream/stream_file.h"

namespace memprof::backend {

// One line per record, and one per access that a record represents, indented;
// all in the order of the file. False if something in it was not understood.
bool dump_stream(StreamFile& file, std::FILE* out);

// What a record of such a descriptor is called.
const char* kind_name(CompiledKind kind);

}  // namespace memprof::backend
