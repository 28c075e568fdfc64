// transformations.h - the names of what a rebuild does with a profile.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// As -fprofile-mem-use-no= takes them and as remarks call them.
#pragma once

namespace memprof::decide {

inline constexpr const char* k_transformations[] = {"huge-pages", "layout", "prefetch",
                                                   "versioning"};

}  // namespace memprof::decide
