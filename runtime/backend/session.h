// session.h - one program's stream, from the first record to the profile.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/backend/stream/stream.h"

namespace memprof::backend {

struct ProfilePlace {
  std::string output;         // path; empty: what the program's options say
  std::string options;        // KEY=VALUE as in MPRT_OPTIONS, after those of the stream
  std::string executable;     // path to read the build id from
  std::uint32_t pid = 0;      // of the running program, or 0
  // Whether the stream says where files go. Not one in a file, which may come from
  // somebody else: without `output' its profile goes into the working directory.
  bool names_files = true;
};

struct Outcome {
  enum Result { complete, partial, no_profile } result = no_profile;
  std::string path;     // of the profile
  std::string message;  // what is wrong, or worth a note; may be empty
};

// Reads SOURCE to its end, runs the modules and writes the profile.  TELL learns of it
// before what the modules hold is given back, since the program waits for that.
Outcome profile_stream(StreamSource& source, const ProfilePlace& place,
                       const std::function<void(const Outcome&)>& tell = {});

}  // namespace memprof::backend
