// module_reader.h - two readers of one module's rows.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/: the validator compares them.
#pragma once

#include <optional>
#include <string>

#include "feedback/file.h"
#include "feedback/model.h"

namespace memprof::feedback {

// What read_module (path, source) returns, out of the whole document.
Profile cut_down(Profile whole, const std::string& source);

// The same through the index; nothing when that cannot be right.
std::optional<Profile> read_by_index(const InputFile& file,
                                     const std::string& source);

}  // namespace memprof::feedback
