// frames.cc - where the pages of a program lay in physical memory: PROG.memprof.frames.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/frames.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <utility>

#include "feedback/file.h"

namespace memprof::backend {

namespace {

constexpr char k_mark[] = "# memprof frames";
constexpr char k_title[] = "# memprof frames 1, process %" PRIu32;
// What an address of a program can be, and no more frames than 52 bits of address have.
constexpr std::uint64_t k_most_pages = std::uint64_t{1} << 35;
constexpr std::uint64_t k_most_frames = std::uint64_t{1} << 40;

feedback::Error error(feedback::Error::Kind kind, const std::string& path, std::string where,
                      std::string what) {
  return {kind, path, std::move(where), std::move(what)};
}

// The run that LINE says, which is to come after the page LEAST.
bool parse_run(const char* line, std::uint64_t least, FrameRun& run) {
  char size[3];
  int read = 0;
  if (std::sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNu64 " %2s%n", &run.page, &run.frame,
                  &run.pages, size, &read) != 4 ||
      line[read] != 0)
    return false;
  run.huge = std::strcmp(size, "2M") == 0;
  return (run.huge || std::strcmp(size, "4K") == 0) && run.page >= least &&
         run.page < k_most_pages && run.pages != 0 && run.pages <= k_most_pages - run.page &&
         run.frame < k_most_frames && run.pages <= k_most_frames - run.frame;
}

}  // namespace

void Frames::add(std::uint64_t page, std::uint64_t frame, bool huge) {
  if (!runs.empty()) {
    FrameRun& last = runs.back();
    if (last.page + last.pages == page && last.frame + last.pages == frame && last.huge == huge) {
      last.pages++;
      return;
    }
  }
  runs.push_back({page, frame, 1, huge});
}

const FrameRun* Frames::find(std::uint64_t page) const {
  const auto after = std::upper_bound(
      runs.begin(), runs.end(), page,
      [](std::uint64_t p, const FrameRun& run) { return p < run.page; });
  if (after == runs.begin()) return nullptr;
  const FrameRun& run = *(after - 1);
  return page - run.page < run.pages ? &run : nullptr;
}

std::uint64_t Frames::after_last() const {
  std::uint64_t after = 0;
  for (const FrameRun& run : runs) after = std::max(after, run.frame + run.pages);
  return after;
}

std::string frames_path(const std::string& profile_path) {
  return feedback::path_beside(profile_path, ".frames");
}

feedback::Status write_frames(const Frames& frames, const std::string& path) {
  if (const std::string foreign = feedback::foreign_file(path, k_mark); !foreign.empty())
    return error(feedback::Error::Kind::unwritable, path, "", "cannot write: " + foreign);
  std::string text;
  char line[96];
  const auto add = [&](const char* format, auto... values) {
    text.append(line, std::size_t(std::snprintf(line, sizeof line, format, values...)));
  };
  add(k_title, frames.pid);
  text += "\n# page frame pages size\n";
  for (const FrameRun& run : frames.runs)
    add("%" PRIx64 " %" PRIx64 " %" PRIu64 " %s\n", run.page, run.frame, run.pages,
        run.huge ? "2M" : "4K");
  return feedback::replace_file(path, {"", std::move(text)}, false, feedback::Links::refuse);
}

feedback::Result<Frames> read_frames(const std::string& path) {
  // No user typed this name: what lies there may be a pipe.
  auto input = feedback::InputFile::open(path);
  if (!input) return input.error();
  std::string text;
  if (!(*input)->regular() || !(*input)->read(0, (*input)->size(), text))
    return error(feedback::Error::Kind::unreadable, path, "", "cannot be read");
  std::istringstream file(std::move(text));
  Frames frames;
  std::string line;
  if (!std::getline(file, line) || std::sscanf(line.c_str(), k_title, &frames.pid) != 1)
    return error(feedback::Error::Kind::corrupt, path, "line 1",
                 "expected '# memprof frames 1, process N'");
  std::uint64_t least = 0;
  for (std::size_t number = 2; std::getline(file, line); number++) {
    if (line.starts_with('#')) continue;
    FrameRun run;
    if (!parse_run(line.c_str(), least, run))
      return error(feedback::Error::Kind::corrupt, path, "line " + std::to_string(number),
                   "expected 'PAGE FRAME PAGES 4K' or '... 2M', pages in order");
    least = run.page + run.pages;
    frames.runs.push_back(run);
  }
  return frames;
}

}  // namespace memprof::backend
