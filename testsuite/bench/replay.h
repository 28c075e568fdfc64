// replay.h - an event stream from a file through profiling modules.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "runtime/backend/base/bounded_text.h"
#include "runtime/backend/decode/decoder.h"
#include "runtime/backend/decode/sequencer.h"
#include "runtime/backend/driver.h"
#include "runtime/backend/profile/profile_builder.h"
#include "runtime/backend/run_options.h"
#include "runtime/backend/stream/file_source.h"

namespace memprof::bench {

inline double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// Replays the file with these modules, one after the other; processor time ->
// *SECONDS.  Ends the program if the file cannot be read.
inline feedback::Profile replay(const std::string& path,
                                std::vector<const backend::ModuleEntry*> modules,
                                double* seconds) {
  auto file = backend::StreamFile::open(path);
  if (!file) {
    std::fprintf(stderr, "%s\n", file.error().text().c_str());
    std::exit(2);
  }
  backend::FileSource source(**file);
  backend::Decoder decoder;
  decoder.executable = backend::bounded_text((*file)->shared().program);
  decoder.name_code = [](std::uint64_t) { return std::string(); };
  backend::ProfileBuilder builder(decoder.units(), decoder.groups());
  backend::Sequencer sequencer(source, decoder);
  backend::Driver driver(sequencer, builder, 1, [&] { return modules; });
  const double start = cpu_seconds();
  driver.run();
  *seconds = cpu_seconds() - start;
  feedback::Profile profile;
  builder.count(decoder.counts());
  driver.settle([&] { builder.build(profile); });
  driver.finish(profile);
  return profile;
}

}  // namespace memprof::bench
