// show_timeline.cc - memprof show --timeline: accesses, misses and live memory over the run.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "consumers/cli/show_rows.h"
#include "consumers/cli/show_slices.h"
#include "consumers/cli/show_tables.h"
#include "feedback/derive.h"

namespace memprof::cli {
namespace {

using namespace feedback;

struct Slice {
  std::uint64_t accesses = 0, misses = 0, live = 0;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> threads;  // number, accesses
};

std::vector<Slice> slices_of(const Profile& profile, std::size_t top) {
  if (profile.timeline.empty()) return {};
  const JoinedSlices joined(top);
  std::vector<Slice> slices(joined.rows());
  for (const Timeline& row : profile.timeline)
    for (std::size_t i = 0; i < slices.size(); i++) {
      if (row.thread != 0) {
        slices[i].threads.emplace_back(row.thread, joined.sum(row.accesses, i));
        continue;
      }
      slices[i].accesses = joined.sum(row.accesses, i);
      slices[i].misses = joined.sum(row.misses, i);
      const auto live = joined.part(row.live, i);
      slices[i].live = *std::max_element(live.begin(), live.end());
    }
  return slices;
}

std::string bar(std::uint64_t n, std::uint64_t most) {
  constexpr double k_width = 24;
  return std::string(static_cast<std::size_t>(k_width * ratio(n, most) + 0.5), '#');
}

std::string threads_text(const Slice& slice) {
  std::string text;
  for (const auto& [thread, accesses] : slice.threads)
    if (accesses != 0)
      text += (text.empty() ? "" : ", ") + std::to_string(thread) + ": " + percent(ratio(accesses, slice.accesses));
  return text;
}

std::string text_of_timeline(const ProfileView& view, std::size_t top, const Style& style) {
  const std::vector<Slice> slices = slices_of(view.profile(), top);
  const bool threads = std::any_of(slices.begin(), slices.end(), [](const Slice& s) { return !s.threads.empty(); });
  std::vector<Column> columns = {{"from", true}, {"accesses", true}, {""}, {"last-level misses", true}, {"at most alive", true}};
  if (threads) columns.push_back({"accesses by thread"});
  Table table(columns);
  std::uint64_t most = 1;
  for (const Slice& s : slices) most = std::max(most, s.accesses);
  for (std::size_t i = 0; i < slices.size(); i++) {
    const Slice& s = slices[i];
    std::vector<Cell> cells = {percent(ratio(i, slices.size())), grouped(s.accesses), bar(s.accesses, most),
                               grouped(s.misses), size_text(s.live)};
    if (threads) cells.emplace_back(threads_text(s));
    table.add_row(std::move(cells));
  }
  return section("Timeline: " + counted(slices.size(), "slice") + " of equal length, in " + clock_of(view.profile().run),
                 table, style);
}

void json_of_timeline(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const Slice& s : slices_of(view.profile(), top)) {
    json.open_object();
    json.member("accesses", s.accesses);
    json.member("misses", s.misses);
    json.member("live", s.live);
    json.key("threads");
    json.open_array();
    for (const auto& [thread, accesses] : s.threads) {
      json.open_object();
      json.member("thread", thread);
      json.member("accesses", accesses);
      json.close_object();
    }
    json.close_array();
    json.close_object();
  }
}

}  // namespace

const char* clock_of(const Run& run) {
  if (run.mode == "full") return "accesses";
  if (run.mode == "sample") return "iterations and calls";
  return run.mode == "objects" ? "births of objects" : "parts of each run";
}

const ShowTable show_timeline = {"timeline", "timeline", "timeline", text_of_timeline, json_of_timeline};

}  // namespace memprof::cli
