// validate.cc - every fault of a document.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   1. JSON, shape, version: the loader, which skips unknown keys.
//   2. Ids: references.cc.  3. Counts: sense.cc.  Both only when 1 found nothing.
//   4. The index, only in a document that is good so far: when the body is the
//      canonical text, its index must be the canonical one; otherwise (somebody
//      has edited the file) each module is read through the index and compared.
#include "feedback/validate.h"

#include "feedback/file.h"
#include "feedback/loader.h"
#include "feedback/module_reader.h"
#include "feedback/references.h"
#include "feedback/sense.h"
#include "feedback/writer.h"

namespace memprof::feedback {
namespace {

// Reading a module costs as much as the document when that was edited.
constexpr std::size_t k_max_compared = 64;

std::string_view body_of(std::string_view text, std::uint64_t size) {
  return size <= text.size() ? text.substr(text.size() - size) : "";
}

bool same_places(const Index& a, const Index& b) {
  if (a.body != b.body || a.groups != b.groups || a.tables != b.tables ||
      a.modules.size() != b.modules.size())
    return false;
  for (std::size_t m = 0; m < a.modules.size(); m++)
    if (a.modules[m].file != b.modules[m].file ||
        a.modules[m].module != b.modules[m].module ||
        a.modules[m].tables != b.modules[m].tables)
      return false;
  return true;
}

void check_index(const InputFile& file, const std::string& text,
                 const Document& document, Faults& faults) {
  static const char* const k_advice =
      "does not fit the rows (was the file edited?); memprof merge FILE -o FILE "
      "makes it anew";
  const std::string canonical = to_json(document.profile);
  if (canonical == text) return;
  Faults ignored;
  const Document again = load(canonical, {.with_index = true}, ignored);
  const Index& index = *document.index;
  if (body_of(text, again.index->body) == body_of(canonical, again.index->body)) {
    if (!same_places(index, *again.index)) faults.add("/index", k_advice);
    return;
  }
  const std::vector<Module>& modules = document.profile.modules;
  for (std::size_t m = 0; m < modules.size() && m < k_max_compared; m++) {
    const auto fast = read_by_index(file, modules[m].file);
    if (!fast || to_json(*fast) != to_json(cut_down(document.profile, modules[m].file))) {
      faults.add("/index/modules/" + std::to_string(m), k_advice);
      return;
    }
  }
}

}  // namespace

std::vector<Error> validate_file(const std::string& path, unsigned limit) {
  Faults faults;
  faults.file = path;
  faults.limit = limit;
  auto file = InputFile::open(path, Input::descriptor_too);
  if (!file) return {file.error()};
  const Result<std::string> text = (*file)->read_all();
  if (!text) return {text.error()};
  const Document document = load(*text, {.with_index = true}, faults);
  // What was misread would contradict the rest: no use in reporting that.
  if (faults.list.empty()) {
    const IdTable ids(document.profile, faults);
    check_references(document.profile, ids, faults);
    check_sense(document.profile, ids, faults);
    if (faults.list.empty() && document.index)
      check_index(**file, *text, document, faults);
  }
  return std::move(faults.list);
}

}  // namespace memprof::feedback
