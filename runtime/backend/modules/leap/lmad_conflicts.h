// lmad_conflicts.h - which elements of one LMAD read what another one wrote.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "feedback/model.h"

namespace memprof::backend {

// The integers first + i * step, 0 <= i < count.
struct Progression {
  std::uint64_t first, step, count;
  bool operator==(const Progression&) const = default;
};

// Appends which elements y of LOAD some earlier element of STORE touches a byte
// of.  The progressions may overlap.
void append_conflicts(std::vector<Progression>& out, const feedback::Lmad<3>& store,
                      std::uint64_t store_width, const feedback::Lmad<3>& load,
                      std::uint64_t load_width);

// The same by itself.
std::vector<Progression> conflicts(const feedback::Lmad<3>& store,
                                   std::uint64_t store_width,
                                   const feedback::Lmad<3>& load,
                                   std::uint64_t load_width);

// Size of the union of progressions within [0, n).  Exact when all have one
// step or when n <= 2^26; otherwise an upper bound, and *approximate is set.
// Sorts PROGRESSIONS.
std::uint64_t union_size(std::span<Progression> progressions, std::uint64_t n,
                         bool* approximate = nullptr);

}  // namespace memprof::backend
