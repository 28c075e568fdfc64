// stream_options.h - what streams= of MPRT_OPTIONS says to the module whole_stream.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "feedback/streams/recorder.h"

namespace memprof::backend {

struct StreamOptions {
  streams::RecorderOptions recorder;
  bool stack = true;  // accesses to stacks, too
};

// What LIST, "rasg,nostack,limit=512M", says; *WRONG gets the first word that makes no sense.
StreamOptions parse_stream_options(std::string_view list, std::string* wrong);

}  // namespace memprof::backend
