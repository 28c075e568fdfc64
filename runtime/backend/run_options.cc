// run_options.cc - what MPRT_OPTIONS says to the backend, and where the profile
// goes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/run_options.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/backend/base/bounded_text.h"
#include "runtime/backend/program/code_names.h"

namespace memprof::backend {

namespace {

constexpr char k_suffix[] = ".memprof.json";

bool yes(std::string_view value) {
  return value != "0" && value != "no" && value != "off";
}

std::string expand(const std::string& pattern, const mprt_shared& about) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); i++) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] != '%' || (next != 'p' && next != 'h' && next != 'n' && next != 'r' &&
                              next != '%')) {
      out += pattern[i];
      continue;
    }
    i++;
    if (next == 'p') out += std::to_string(about.program_pid);
    if (next == 'h') out += host_name();
    if (next == 'n') out += program_name(bounded_text(about.program));
    if (next == 'r') {
      const std::string rank = bounded_text(about.rank);
      out += rank.empty() ? "0" : rank;
    }
    if (next == '%') out += '%';
  }
  return out;
}

constexpr std::string_view k_label = "label=";

// Takes the first word off TEXT. A backslash takes the next character as it is; the first colon
// of label=NAME:VALUE does not end it.
std::string take_word(std::string_view* text) {
  constexpr std::string_view separators = ": \t\n";
  std::string word;
  std::size_t i = 0;
  bool label = text->starts_with(k_label);
  for (; i < text->size(); i++) {
    const bool separates = separators.find((*text)[i]) != std::string_view::npos;
    if (separates && !(label && (*text)[i] == ':')) break;
    if (separates) label = false;
    if ((*text)[i] == '\\' && i + 1 < text->size()) i++;
    word += (*text)[i];
  }
  text->remove_prefix(std::min(i + 1, text->size()));
  return word;
}

// NAME:VALUE; of several with one name the last one stays.
void add_label(const std::string& text, std::vector<feedback::Label>& labels) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string name = text.substr(0, colon);
  std::erase_if(labels, [&](const feedback::Label& label) { return label.name == name; });
  labels.push_back({name, text.substr(std::min(colon + 1, text.size()))});
}

bool folder_p(const std::string& path) {
  struct stat st;
  return path.empty() || path.back() == '/' ||
         (stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode));
}

}  // namespace

std::string host_name() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0) return "localhost";
  return name;
}

RunOptions parse_run_options(std::string_view text) {
  RunOptions options;
  while (!text.empty()) {
    const std::string word = take_word(&text);
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    options.all[key] = value;
    if (key == "output") options.output = value;
    if (key == "modules") options.modules = value;
    if (key == "merge") options.merge = yes(value);
    if (key == "verbose") options.verbose = yes(value);
    if (key == "windows") options.windows = value != "0";
    if (key == "report") options.report = value;
    if (key == "fault") options.fault = value;
    if (key == "label") add_label(value, options.labels);
    if (key == "converge") options.converge = std::strtod(value.c_str(), nullptr);
    if (key == "workers")
      options.workers = static_cast<unsigned>(
          std::clamp(std::strtol(value.c_str(), nullptr, 10), 0l, 256l));
  }
  return options;
}

std::vector<const ModuleEntry*> select_modules(
    std::string_view list, mprt_module_flag is_default, std::vector<std::string>* unknown) {
  const std::string all(list);
  std::vector<const ModuleEntry*> selected;
  for (const ModuleEntry& entry : module_registry())
    if (mprt_module_selected(all.c_str(), entry.name, entry.flags, is_default))
      selected.push_back(&entry);
  // NAME:VARIANT replaces NAME; of several variants the last one stays.
  const auto base = [](const ModuleEntry* e) {
    const std::string_view name = e->name;
    return name.substr(0, name.find(':'));
  };
  for (std::size_t i = 0; i < selected.size(); i++)
    if (std::any_of(selected.begin() + static_cast<std::ptrdiff_t>(i) + 1, selected.end(),
                    [&](const ModuleEntry* e) { return base(e) == base(selected[i]); }))
      selected.erase(selected.begin() + static_cast<std::ptrdiff_t>(i--));
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view name = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (!name.empty() && name != "all" && name != "default" && name != "none" &&
        std::none_of(module_registry().begin(), module_registry().end(),
                     [&](const ModuleEntry& e) { return name == e.name; }))
      unknown->emplace_back(name);
  }
  return selected;
}

std::string profile_name(const mprt_shared& about) {
  return program_name(bounded_text(about.program)) + k_suffix;
}

std::string output_path(const mprt_shared& about, const RunOptions& options,
                        const std::string& output_dir) {
  const std::string start = bounded_text(about.directory);
  const std::string file = profile_name(about);
  std::string path = options.output.empty() ? output_dir
                                            : expand(options.output, about);
  if (path.empty() || path.front() != '/') {
    if (start.empty()) return {};
    path = path.empty() || path == "." ? start : start + '/' + path;
  }
  // The folder of -fprofile-mem-generate=DIR is one, even if it does not exist.
  if (options.output.empty() || folder_p(path))
    path.append(path.back() == '/' ? "" : "/").append(file);
  return path;
}

}  // namespace memprof::backend
