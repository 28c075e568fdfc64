// regularity.h - streams of addresses, added up: of a site, a loop, a function, a program.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The module `regularity' has a row for each site, of sums alone, so that rows of several
// sites and of several runs add up to what a loop, a function or the program does. What
// people read (a mean, a deviation, a class) is worked out here from such a sum.
//
//     regularity   references that belong to a stream / all references
//     class        regular above 0.80, irregular below 0.65, mixed in between
//
// Paper: Mohan, de Supinski, McKee, Mueller, Yoo, Schulz, SC 2003: the metric in section
// 2, the classes and the figures of tables 2 and 3 in section 4.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "feedback/model.h"

namespace memprof::feedback {

// Least lengths of the classes of streams, in elements: the paper's, with a border at 100,
// from which on its rules call a stream long.
inline constexpr std::array<std::uint64_t, 6> k_stream_lengths{3, 5, 33, 100, 129, 16385};
// Least steps of the classes, in bytes, up or down: the borders of the paper's rules.
inline constexpr std::array<std::uint64_t, 5> k_stream_steps{0, 1, 8, 10, 32};
inline constexpr std::uint64_t k_long_stream = 100;  // elements
inline constexpr std::uint64_t k_wide_stream = 10;   // pages
inline constexpr std::uint64_t k_stream_page = 4096;

// Adds a stream of LENGTH elements that lie STEP bytes apart.
void add_stream(Regularity& row, std::uint64_t length, std::int64_t step);
// Says of such a stream that its elements are PERIOD references apart.
void add_period(Regularity& row, std::uint64_t period, std::uint64_t length);
// What was counted for row.references references, all of which were looked at, scaled to
// REFERENCES.
void scale_row(Regularity& row, std::uint64_t references);
// Adds all but the site.
void add_row(Regularity& sum, const Regularity& row);

enum class RegularityClass : std::uint8_t { irregular, mixed, regular };
const char* name(RegularityClass c);

struct RegularitySummary {
  std::uint64_t references = 0;
  double regularity = 0;          // share of the references in streams
  RegularityClass klass = RegularityClass::irregular;
  std::uint64_t streams = 0, scalar = 0;  // scalar: of step 0
  double length = 0, deviation = 0;       // mean of the elements of a stream
  double step = 0;                        // mean of the bytes, scalar streams included
  double pages = 0;                       // mean
  std::uint64_t period = 0;      // most frequent one, by elements; 0: none
  double period_share = 0;       // its share of the elements of all streams
  double looked = 1;             // share of the references that were looked at
  double change = 0;             // of the regularity since half as many windows
};
RegularitySummary summary(const Regularity& sum);

// Streams of a sum with at least LENGTH elements whose step is in [STEP, BELOW) bytes; all
// three must be borders of classes, or BELOW the greatest number.
std::uint64_t count_streams(const Regularity& sum, std::uint64_t length, std::uint64_t step,
                            std::uint64_t below = ~std::uint64_t{0});

}  // namespace memprof::feedback
