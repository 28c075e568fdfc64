// layouts.cc - fuzz target: the section .memprof.layouts of an object file, and the file around it.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A line that begins with "object" separates the notes of two objects.  The same bytes are also read as an ELF file.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "consumers/decide/layout_check.h"
#include "consumers/link/object_file.h"
#include "testsuite/fuzz/target.h"

namespace memprof::fuzz {
namespace {

void check(const std::vector<decide::LayoutObject>& objects) {
  for (const bool exports : {false, true})
    for (const std::string& text : decide::check_layouts(objects, exports)) must(!text.empty(), "a message without words");
}

void try_layouts(std::string_view input) {
  const std::string path = put("a.o", input);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  check({link::read_object("a.o", fd, 0, input.size()), link::read_object("a.o(b.o)", fd, 1, std::max<std::size_t>(input.size(), 1) - 1)});
  close(fd);
  std::vector<decide::LayoutObject> objects;
  constexpr std::string_view separator = "object\n";
  for (;;) {
    const std::size_t end = std::min(input.find(separator), input.size());
    decide::LayoutObject& object = objects.emplace_back();
    object.file = "o" + std::to_string(objects.size());
    decide::read_layout_notes(input.substr(0, end), object.units);
    if (end == input.size() || objects.size() > 8) break;
    input.remove_prefix(end + separator.size());
  }
  check(objects);
}

}  // namespace
}  // namespace memprof::fuzz

MEMPROF_FUZZ_TARGET("layouts", memprof::fuzz::try_layouts)
