// reader.cc - whole documents.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/reader.h"

#include "feedback/file.h"
#include "feedback/loader.h"
#include "feedback/references.h"

namespace memprof::feedback {

Result<Profile> parse_profile(const std::string& text, const std::string& name) {
  Faults faults;
  faults.file = name;
  Document document = load(text, {}, faults);
  if (faults.list.empty()) {
    const IdTable ids(document.profile, faults);
    check_references(document.profile, ids, faults);
  }
  if (!faults.list.empty()) return faults.list.front();
  return std::move(document.profile);
}

Result<Profile> read_profile(const std::string& path, Input input) {
  auto file = InputFile::open(path, input);
  if (!file) return file.error();
  const Result<std::string> text = (*file)->read_all();
  if (!text) return text.error();
  return parse_profile(*text, path);
}

}  // namespace memprof::feedback
