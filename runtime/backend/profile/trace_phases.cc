// trace_phases.cc - memprof trace --phases=N: requests to memory by object and interval of time.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/profile/trace_phases.h"

#include <algorithm>
#include <cinttypes>

#include "feedback/json_text.h"

namespace memprof::backend {

void TracePhases::begin() const {
  if (!json_) std::fputs("# first reads writes walks object\n", out_);
}

void TracePhases::add(const MemoryRequest& request) {
  const std::uint64_t interval = (request.time - first_) / accesses_;
  if (interval != interval_) write();
  interval_ = interval;
  Sums& sums = rows_[request.object].sums;
  if (sums.all() == 0) used_.push_back(request.object);
  ++(request.walk != 0 ? sums.walks : request.write ? sums.writes : sums.reads);
}

// Most requests first; those with as many in the order in which they were met.
std::vector<TracePhases::Line> TracePhases::lines(const Sums& all) const {
  std::vector<std::uint32_t> order = used_;
  std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t x = rows_[a].sums.all(), y = rows_[b].sums.all();
    return x != y ? x > y : a < b;
  });
  std::vector<Line> lines;
  Line others{"others", {}};
  for (const std::uint32_t object : order) {
    const Row& row = rows_[object];
    if (lines.size() < k_most_objects && row.sums.all() * k_least_share >= all.all())
      lines.push_back({row.name.c_str(), row.sums});
    else
      others.sums.add(row.sums);
  }
  if (others.sums.all() != 0) lines.push_back(others);
  return lines;
}

// The interval is over.
void TracePhases::write() {
  if (used_.empty()) return;
  Sums all;
  for (const std::uint32_t object : used_) all.add(rows_[object].sums);
  const std::vector<Line> objects = lines(all);
  if (json_) {
    write_json(all, objects);
  } else {
    write_text({"all", all});
    for (const Line& line : objects) write_text(line);
  }
  for (const std::uint32_t object : used_) rows_[object].sums = {};
  used_.clear();
}

void TracePhases::write_text(const Line& line) const {
  std::fprintf(out_, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n",
               first_ + interval_ * accesses_, line.sums.reads, line.sums.writes, line.sums.walks,
               line.name);
}

void TracePhases::write_json(const Sums& all, const std::vector<Line>& lines) const {
  const auto put = [this](const Sums& s) {
    std::fprintf(out_, "\"reads\":%" PRIu64 ",\"writes\":%" PRIu64 ",\"walks\":%" PRIu64, s.reads,
                 s.writes, s.walks);
  };
  std::fprintf(out_, "{\"first\":%" PRIu64 ",", first_ + interval_ * accesses_);
  put(all);
  std::fputs(",\"objects\":[", out_);
  for (const Line& line : lines) {
    std::string name;
    feedback::append_string(name, line.name);
    std::fprintf(out_, "%s{\"object\":%s,", &line == lines.data() ? "" : ",", name.c_str());
    put(line.sums);
    std::fputs("}", out_);
  }
  std::fputs("]}\n", out_);
}

}  // namespace memprof::backend
