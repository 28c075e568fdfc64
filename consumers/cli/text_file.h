// text_file.h - reads a file that is no profile.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "feedback/result.h"

namespace memprof::cli {

feedback::Result<std::string> read_text(const std::string& file);

}  // namespace memprof::cli
