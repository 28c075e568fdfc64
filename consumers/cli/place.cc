// place.cc - FILE:LINE as a user types it, and the sites that it means.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/place.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "consumers/cli/call_path.h"
#include "consumers/cli/header_callers.h"

namespace memprof::cli {
namespace {

// Takes ":NUMBER" off the end of TEXT.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::size_t colon = text.rfind(':');
  if (colon == text.npos || colon + 1 == text.size()) return std::nullopt;
  std::string_view digits = text.substr(colon + 1);
  std::uint32_t n = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  text = text.substr(0, colon);
  return n;
}

std::vector<std::string> components(const std::string& name) {
  std::vector<std::string> parts;
  for (const auto& part : std::filesystem::path(name).lexically_normal())
    if (part != ".." && part != "." && part != "/" && !part.empty())
      parts.push_back(part.string());
  return parts;
}

}  // namespace

std::optional<Place> parse_place(std::string_view text) {
  auto last = take_number(text);
  if (!last) return std::nullopt;
  Place place;
  std::string_view shorter = text;
  if (auto line = take_number(shorter); line && !shorter.empty()) {
    place.line = *line;
    place.column = *last;
    text = shorter;
  } else {
    place.line = *last;
  }
  if (text.empty() || place.line == 0) return std::nullopt;
  place.file = text;
  return place;
}

unsigned matching_components(const std::string& a, const std::string& b) {
  std::vector<std::string> left = components(a), right = components(b);
  std::size_t shorter = std::min(left.size(), right.size());
  unsigned same = 0;
  while (same < shorter && left[left.size() - 1 - same] == right[right.size() - 1 - same]) ++same;
  return same == shorter ? same : 0;
}

PlaceMatch find_sites(const ProfileView& view, const Place& place) {
  std::map<std::string, unsigned> likeness;  // of a file's name
  unsigned best = 0;
  const auto compare = [&](const std::string& file) {
    const auto [at, fresh] = likeness.try_emplace(file, 0);
    if (fresh) best = std::max(best, at->second = matching_components(file, place.file));
  };
  for (const auto& ref : view.sites())
    for (const PathStep& step : call_path(ref)) compare(*step.file);
  const HeaderCallers callers(view.profile());
  std::map<const feedback::Function*, std::set<CallPlace>> called_at;
  for (const auto& ref : view.sites())
    if (const auto [at, fresh] = called_at.try_emplace(ref.function); fresh)
      for (const CallPlace& call : at->second = callers.of(*ref.function)) compare(call.file);
  PlaceMatch match;
  if (best == 0) return match;
  match.file_known = true;
  std::uint32_t nearest = ~0u;
  for (const auto& ref : view.sites()) {
    const std::vector<PathStep> path = call_path(ref);
    for (auto step = path.rbegin(); step != path.rend(); ++step) {
      if (likeness[*step->file] != best) continue;
      const std::uint32_t away = step->line > place.line ? step->line - place.line : place.line - step->line;
      if (away < nearest) nearest = away, match.nearest_line = step->line;
      if (step->line != place.line || (place.column && place.column != step->column)) continue;
      (step == path.rbegin() ? match.sites : match.inlined).push_back(&ref);
      break;
    }
  }
  for (const auto& ref : view.sites())
    for (const CallPlace& call : called_at[ref.function])
      if (call.line == place.line && likeness[call.file] == best) {
        match.called.push_back(&ref);
        break;
      }
  for (auto* found : {&match.inlined, &match.called})
    std::stable_sort(found->begin(), found->end(), [](const auto* a, const auto* b) {
      return a->site->executions > b->site->executions;
    });
  std::stable_sort(match.sites.begin(), match.sites.end(), [](const auto* a, const auto* b) {
    return a->site->column < b->site->column;
  });
  return match;
}

}  // namespace memprof::cli
