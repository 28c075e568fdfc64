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
Result<Profile> read_profile(const std::string& path, Input input = Input::file);
Result<Profile> parse_profile(const std::string& text, const std::string& name);

// Reads only what a compile of SOURCE needs: every module whose file is SOURCE
// (or, when there is none, whose path has the longest tail of components in
// common with it; several in case of a tie), the COMDAT functions of all other
// modules (which come without their options), the rows of these functions' sites (as `site' or `sink'), and all
// groups.  Ids are those of the document.  A dependence's source or loop that
// lies in a function which was not read is k_none; an mdf row is left out then.
// No module of that name is not an error: the result has none then.
// Costs time in proportion to what is read when the index is intact.
Result<Profile> read_module(const std::string& path, const std::string& source);

}  // namespace memprof::feedback
