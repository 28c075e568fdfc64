// layout_fix.h - better orders of records as edits of their declarations, for editors and code scanners.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "consumers/cli/source_files.h"
#include "feedback/model.h"

namespace memprof::cli {

struct LayoutFix {
  const feedback::RecordType* type;
  std::string path;                // of the source
  std::size_t first = 0, last = 0; // lines, from 1, that TEXT replaces; with its newlines
  std::string text;
  std::string why;  // "struct order: a visit touches 1.8 lines before, 1.0 after"
};

// The source that defines TYPE, or null: the profile has the name of its file without the folder.
const SourceText* source_of(const feedback::RecordType& type, const feedback::Profile& profile, SourceFiles& files);

// Of the types whose declaration is found and can be changed by a program.
std::vector<LayoutFix> layout_fixes(const feedback::Profile& profile, SourceFiles& files);

}  // namespace memprof::cli
