// linker_plugin.cc - memprof_link.so in the linker: refuses objects that do not agree about moved fields.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The interface is that of plugin-api.h, which ld and gold have for link-time optimisation.  The linker offers
// each file that takes part, members of archives and shared libraries among them; none is claimed.  When all
// symbols have been read the check of consumers/decide/layout_check.h runs.  If it finds nothing, a small
// object is added that defines the symbol which units with moved fields refer to: a link without this check,
// with another linker or without the specs file, ends with an undefined symbol.
//
// The linker does not say whether the symbols of a program can be seen by others, so the command line is read.
#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "plugin-api.h"

#include "consumers/link/object_file.h"

namespace memprof::link {
namespace {

struct State {
  std::vector<decide::LayoutObject> objects;
  std::string marker;  // the object with the symbol
  int output = LDPO_EXEC;
  ld_plugin_message message = nullptr;
  ld_plugin_add_input_file add_input_file = nullptr;
} state;

void say(int level, const std::string& text) {
  if (state.message) state.message(level, "memprof: %s", text.c_str());
}

bool exports_word(std::string_view word) {
  for (std::string_view option : {"-export-dynamic", "--export-dynamic", "-E"})
    if (word == option) return true;
  for (std::string_view option : {"--dynamic-list", "-dynamic-list", "--export-dynamic-symbol", "-export-dynamic-symbol"})
    if (word.starts_with(option)) return word.find("__mprt_") == std::string_view::npos;  // our specs' own
  return false;
}

// Whether the words in the file NAME, each ended by one of ENDS, ask for exported symbols; files that
// they name with @ count.
bool exports_in(const std::string& name, std::string_view ends, int depth = 0) {
  std::ifstream in(name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(ends, at), text.size());
    const std::string word = text.substr(at, end - at);
    if (exports_word(word) || (word.starts_with('@') && depth < 4 && exports_in(word.substr(1), {" \n\t\0\"", 5}, depth + 1)))
      return true;
    at = end + 1;
  }
  return false;
}

bool exports() {
  return state.output == LDPO_DYN || exports_in("/proc/self/cmdline", std::string_view("\0", 1));
}

ld_plugin_status see_file(const ld_plugin_input_file* file, int* claimed) {
  *claimed = 0;
  std::string name = file->name;
  if (file->offset != 0) name += "+" + std::to_string(file->offset);
  try {
    state.objects.push_back(read_object(name, file->fd, static_cast<std::uint64_t>(file->offset),
                                        static_cast<std::uint64_t>(file->filesize)));
  } catch (const std::exception& e) {
    say(LDPL_FATAL, name + ": " + e.what());
  }
  return LDPS_OK;
}

ld_plugin_status see_all() {
  try {
    const auto faults = decide::check_layouts(state.objects, exports());
    for (const std::string& fault : faults) say(LDPL_ERROR, fault);
    // What is linked further is checked again.
    if (faults.empty() && state.output != LDPO_REL && state.add_input_file && !state.marker.empty())
      state.add_input_file(state.marker.c_str());
  } catch (const std::exception& e) {
    say(LDPL_FATAL, e.what());
  }
  return LDPS_OK;
}

}  // namespace
}  // namespace memprof::link

extern "C" __attribute__((visibility("default"))) ld_plugin_status onload(ld_plugin_tv* tv) {
  using namespace memprof::link;
  for (; tv->tv_tag != LDPT_NULL; tv++) switch (tv->tv_tag) {
      case LDPT_MESSAGE: state.message = tv->tv_u.tv_message; break;
      case LDPT_LINKER_OUTPUT: state.output = tv->tv_u.tv_val; break;
      case LDPT_ADD_INPUT_FILE: state.add_input_file = tv->tv_u.tv_add_input_file; break;
      case LDPT_OPTION: state.marker = tv->tv_u.tv_string; break;
      case LDPT_REGISTER_CLAIM_FILE_HOOK: tv->tv_u.tv_register_claim_file(see_file); break;
      case LDPT_REGISTER_ALL_SYMBOLS_READ_HOOK: tv->tv_u.tv_register_all_symbols_read(see_all); break;
      default: break;
    }
  return LDPS_OK;
}
