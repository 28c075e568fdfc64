// reader.h - prog.memprof.json to a Profile.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "feedback/model.h"
#include "feedback/result.h"

namespace memprof::feedback {

// Reads a whole document.  Never throws, never trusts: any input gives a
// profile whose ids all resolve, or an Error with file and JSON pointer.
// A newer minor version is read, its unknown keys are skipped; another major
// version is Error::Kind::version.
Result<Profile> read_profile(const std::string& path);
Result<Profile> parse_profile(const std::string& text, const std::string& name);

// Reads only what a compile of SOURCE needs: the module's functions and sites,
// the rows that name them, and the groups.  Costs time in proportion to the
// module's share of the document when the index is intact.
Result<Profile> read_module(const std::string& path, const std::string& source);

}  // namespace memprof::feedback
