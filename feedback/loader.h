// loader.h - rows of a document to a Profile.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/: what reading and validating have in common.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "feedback/model.h"
#include "feedback/schema.h"
#include "feedback/tape.h"

namespace memprof::feedback {

struct Document {
  Profile profile;
  std::optional<Index> index;  // only when asked for
};

struct LoadOptions {
  bool with_index = false;
};

// Reads what can be read of TEXT and adds what is wrong to FAULTS: JSON, shape,
// version, missing keys; not whether ids lead anywhere.  With another major
// version, that is the only fault.
Document load(std::string_view text, const LoadOptions& options, Faults& faults);

}  // namespace memprof::feedback
