// writer.h - a Profile to canonical JSON.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "feedback/file.h"
#include "feedback/model.h"
#include "feedback/result.h"

namespace memprof::feedback {

// Canonical order: modules by (file, options), functions by (comdat,
// linkage_name, checksum), sites by ordinal, groups by (kind, file, line,
// function, type, context); ids of sites, loops and groups are renumbered from
// 0, each in that order; then every table by its ids, dependences and mdf by
// the sink first.  Loops keep their order in the function.  Ratios are rounded
// to six digits.  A row that names a site or group which the profile does not
// have is dropped.  Two equal profiles become the same bytes.
void canonicalise(Profile& profile);

// The document, canonicalised; ends with a newline.
DocumentText to_document(Profile profile);
std::string to_json(Profile profile);

// Writes PATH through a temporary in the same folder, fsync and rename: a
// reader sees the old file or the new one.
Status write_profile(Profile profile, const std::string& path);

// How a run goes into its file.
struct Adding {
  bool merge = true;
  // False: the program's file could not be read, so its build id is not that of other runs.
  bool build_known = true;
};

struct Stored {
  std::string path;
  std::string note;  // a sentence when this is not what the user expects; or empty
};

// As write_profile; but under a lock, and added to what PATH already holds when that is
// a profile of the same build (program.build_id). A profile of another build is replaced.
// What cannot be read, or is no profile, stays, and so does what a symbolic link leads to:
// the run then goes beside it, a.2.memprof.json for a.memprof.json. Only what was merged
// is synced.
Result<Stored> merge_into_file(Profile profile, const std::string& path, Adding adding = {});

// The path that merge_into_file will choose for what it cannot add to a profile, so that
// other files of the run can stand beside it.
std::string path_for_run(const std::string& path, Adding adding = {});

}  // namespace memprof::feedback
