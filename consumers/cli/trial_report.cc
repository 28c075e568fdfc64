// trial_report.cc - see trial_report.h.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/trial_report.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>

#include "consumers/decide/decision.h"

namespace memprof::cli {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(", ", at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 2;
  }
  return parts;
}

// "0: 12.70 ns, 1: 8.08 ns" into ROW.
void read_times(std::string_view text, TrialRow& row) {
  for (const std::string& part : split(text)) {
    unsigned level = 0;
    double time = 0;
    if (std::sscanf(part.c_str(), "%u: %lf ns", &level, &time) != 2 || level > 16) continue;
    if (row.nanoseconds.size() <= level) row.nanoseconds.resize(level + 1);
    row.nanoseconds[level] = time;
  }
}

// What comes after the places, which end at the last ": level" or ": N slices".
std::optional<TrialRow> read_row(std::string_view line) {
  constexpr std::string_view k_start = "memprof: ", k_level = ": level ", k_none = " slices, no whole trial";
  if (!line.starts_with(k_start)) return {};
  line.remove_prefix(k_start.size());
  TrialRow row;
  if (const std::size_t at = line.rfind(k_level); at != line.npos) {
    row.places = split(line.substr(0, at));
    const std::string rest(line.substr(at + 2));
    if (std::sscanf(rest.c_str(), "level %u after %u trials, measured %lf, predicted %lf", &row.level, &row.trials,
                    &row.measured, &row.predicted) != 4)
      return {};
    if (const std::size_t times = rest.find("; "); times != rest.npos)
      read_times(std::string_view(rest).substr(times + 2), row);
    return row;
  }
  if (!line.ends_with(k_none)) return {};
  const std::size_t at = line.rfind(": ");
  if (at == line.npos) return {};
  row.places = split(line.substr(0, at));
  return row;
}

}  // namespace

double TrialRow::with() const {
  double fastest = 0;
  for (std::size_t i = 1; i < nanoseconds.size(); i++)
    if (nanoseconds[i] > 0 && (fastest == 0 || nanoseconds[i] < fastest)) fastest = nanoseconds[i];
  return fastest;
}

std::vector<TrialRow> read_trials(std::string_view text) {
  std::vector<TrialRow> rows;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::optional<TrialRow> row = read_row(text.substr(at, end - at));
    at = end + 1;
    if (!row) continue;
    const auto same =
        std::find_if(rows.begin(), rows.end(), [&](const TrialRow& r) { return r.places == row->places; });
    if (same == rows.end())
      rows.push_back(std::move(*row));
    else if (same->trials < row->trials)
      *same = std::move(*row);
  }
  return rows;
}

std::vector<std::string> trial_vetoes(const std::vector<TrialRow>& rows) {
  std::set<std::string> gaining;
  for (const TrialRow& row : rows)
    if (!row.loses()) gaining.insert(row.places.begin(), row.places.end());
  std::vector<std::string> vetoes;
  for (const TrialRow& row : rows)
    for (const std::string& place : row.places) {
      const std::string entry = "@" + std::string(decide::name(decide::Transformation::prefetch)) + " " + place;
      if (row.loses() && !gaining.contains(place) &&
          std::find(vetoes.begin(), vetoes.end(), entry) == vetoes.end())
        vetoes.push_back(entry);
    }
  return vetoes;
}

}  // namespace memprof::cli
