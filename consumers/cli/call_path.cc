// call_path.cc - the functions that an access is in: the compiled one, and those inlined into it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/call_path.h"

#include <algorithm>
#include <tuple>

#include "consumers/cli/place.h"
#include "consumers/cli/table.h"
#include "feedback/frames.h"

namespace memprof::cli {

using namespace feedback;
using SiteRef = ProfileView::SiteRef;

namespace {

const std::string& file_of(const Frame& frame, const SiteRef& ref) {
  return frame.file.empty() ? ref.module->file : frame.file;
}

// Whether SITE is shown at CALL, as its code is from a system header.
bool shown_at(const Frame& call, const SiteRef& ref) {
  return std::tie(file_of(call, ref), call.line, call.column) ==
         std::tie(ref.file(), ref.site->line, ref.site->column);
}

// The calls of REF from the innermost on; HIDDEN: how many are below the place where it is shown.
std::vector<const Frame*> calls_of(const SiteRef& ref, std::size_t* hidden) {
  std::vector<const Frame*> calls = chain(*ref.function, ref.site->frame);
  *hidden = 0;
  if (ref.site->header.empty()) return calls;
  const auto at = std::find_if(calls.begin(), calls.end(), [&](const Frame* f) { return shown_at(*f, ref); });
  if (at != calls.end()) *hidden = static_cast<std::size_t>(at - calls.begin()) + 1;
  return calls;
}

}  // namespace

std::vector<PathStep> call_path(const SiteRef& ref) {
  std::size_t hidden;
  const std::vector<const Frame*> calls = calls_of(ref, &hidden);
  std::vector<PathStep> path{{&ref.function->name, nullptr}};
  for (std::size_t i = calls.size(); i-- > hidden;) {
    PathStep& around = path.back();
    around.file = &file_of(*calls[i], ref);
    around.line = calls[i]->line;
    around.column = calls[i]->column;
    const std::uint32_t frame = static_cast<std::uint32_t>(calls[i] - ref.function->frames.data()) + 1;
    path.push_back({&calls[i]->name, nullptr, 0, 0, frame});
  }
  path.back().file = &ref.file();
  path.back().line = ref.site->line;
  path.back().column = ref.site->column;
  return path;
}

std::vector<const Frame*> header_path(const SiteRef& ref) {
  std::size_t hidden;
  std::vector<const Frame*> calls = calls_of(ref, &hidden);
  calls.resize(hidden);
  std::reverse(calls.begin(), calls.end());
  return calls;
}

std::string function_text(const SiteRef& ref) {
  const std::vector<PathStep> path = call_path(ref);
  if (path.size() == 1) return ref.function->name;
  return shortened(*path.back().function) + " in " + shortened(ref.function->name);
}

void use_header_places(Profile& profile) {
  for (Module& module : profile.modules)
    for (Function& function : module.functions)
      for (Site& site : function.sites)
        if (const auto place = parse_place(site.header)) {
          site.file = place->file;
          site.line = place->line;
          site.column = place->column;
          site.header.clear();
        }
}

}  // namespace memprof::cli
