// regularity_options.h - what regularity= of MPRT_OPTIONS says: how streams are found.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The paper leaves three choices to its user, and each changes what is found:
//
//   window    w: a stream begins with three references of which each lies less than w before the
//             next. The paper takes 100, and 32 where that has to be cheaper.
//   expire    a stream is over when this number of references has passed without its next address. The
//             paper drops no stream: that is 0, and memory then grows with the streams.
//   samples   windows (windows.h) that begin for a function: the paper's mode "max samples", which is
//             one of functions. `bursts=N' is the same for the program as a whole.
//
// Example: 8 16 24, then 5000 other references, then 32. With expire=0 the last one continues the
// stream, which has four elements; as usual (1000) it waits for two more.
//
// Paper: Mohan, de Supinski, McKee, Mueller, Yoo, Schulz, SC 2003, sections 3.2 to 3.4.
#pragma once

#include <cstdint>
#include <string_view>

namespace memprof::backend {

struct RegularityOptions {
  static constexpr std::uint32_t k_most_window = 4096;

  std::uint32_t window = 100;   // references, 2 to k_most_window
  std::uint64_t expire = 1000;  // references; 0: never
  std::uint64_t samples = 0;    // windows of a function; 0: any number

  bool operator==(const RegularityOptions&) const = default;
};

// "window=32,expire=0,samples=20": what TEXT names is changed in OPTIONS. False, and nothing is
// changed, if something makes no sense.
bool parse_regularity_options(std::string_view text, RegularityOptions& options);

}  // namespace memprof::backend
