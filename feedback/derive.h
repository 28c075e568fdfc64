// derive.h - what follows from other fields of the same row.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One place for it, because the backend's modules, reader, writer and merge must
// compute the same.
#pragma once

#include <cstdint>
#include <vector>

#include "feedback/model.h"

namespace memprof::feedback {

// Thresholds of Youfeng Wu, PLDI 2002: a strong single stride; several strides
// in phases; a weak single stride.
inline constexpr double k_ssst_share = 0.70;
inline constexpr double k_pmst_top4 = 0.60, k_pmst_repeats = 0.40;
inline constexpr double k_wsst_share = 0.25, k_wsst_repeats = 0.10;

// part / whole; 0 when whole is 0.
double ratio(std::uint64_t part, std::uint64_t whole);

// The order of histograms: by count falling, then stride rising.
inline bool stride_before(const StrideCount& a, const StrideCount& b) {
  return a.count != b.count ? a.count > b.count : a.stride < b.stride;
}

// In that order; entries of one stride are added up.
void sort_strides(std::vector<StrideCount>& histogram);

// HISTOGRAM sorted.  REPEATS: executions whose stride equals the one before.
StrideClass stride_class(const std::vector<StrideCount>& histogram,
                         std::uint64_t repeats, std::uint64_t executions);

// From executions, repeats and the two histograms: sorts these and sets
// dominant, share and klass of the row and of within_object (which has no
// repeats, so that it is none, constant or ssst).
void derive(Stride& row);

// Rows are written without what follows from the rest of the row (shortened)
// and get it back when they are read (expand); in memory it is always there.
//
// object_relative: a stream that never closed often has in v3, without the time,
// just the descriptors of v2.  A site that stays in one object K of the group is
// common (each global is a group of one): v1 is then v2 without the object, o1
// is K for each access.
//
// strides: a site that stays in one object has the same strides within it.
//
// dependences: most rows have all executions at distance 0, or all at 1. Without a loop there
// is no distance.
ObjectRelative shortened(ObjectRelative row);
void expand(ObjectRelative& row);
Stride shortened(Stride row);
void expand(Stride& row);
Dependence shortened(Dependence row);
void expand(Dependence& row);
// What files before 1.2 say of a row: one without a loop was all `intra', and an execution
// that met bytes of several iterations was both `intra' and `carried'.
void upgrade(Dependence& row);

}  // namespace memprof::feedback
