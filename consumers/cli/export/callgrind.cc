// callgrind.cc - a profile for callgrind_annotate and KCachegrind.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Cost lines by function and line; sites on one line add up there. Code inlined from
// another file changes the file with "fi=", as the format says. There are no calls.
//
//     fl=a.c
//     fn=f
//     13 1000 0 125 60 2 0        line, loads, stores, misses of L1, L2, last level, TLB
//
// Format: the manual of Valgrind, "Callgrind Format Specification".
#include <map>
#include <utility>

#include "consumers/cli/export/cost_rows.h"
#include "consumers/cli/export/formats.h"
#include "feedback/model.h"
#include "memprof-config.h"

namespace memprof::cli {
namespace {

using Lines = std::map<std::pair<std::string, std::uint32_t>, Costs>;

void put(std::string& out, const Costs& costs) {
  for (std::uint64_t n : costs) out += ' ' + std::to_string(n);
  out += '\n';
}

void put_function(std::string& out, const std::string& file, const std::string& name,
                  const Lines& lines) {
  out += "\nfl=" + one_line(file) + "\nfn=" + one_line(name) + '\n';
  std::string now = file;
  for (const auto& [place, costs] : lines) {
    if (place.first != now) out += "fi=" + one_line(now = place.first) + '\n';
    out += std::to_string(place.second);
    put(out, costs);
  }
}

void add(Costs& sum, const Costs& costs) {
  for (std::size_t i = 0; i < k_metrics; i++) feedback::add_count(sum[i], costs[i]);
}

}  // namespace

std::string to_callgrind(const ProfileView& view, const ExportOptions&) {
  const feedback::Program& program = view.profile().program;
  std::string out = "# callgrind format\nversion: 1\ncreator: memprof " PACKAGE_VERSION "\ncmd: " +
                    one_line(program.command.empty() ? program.name : program.command) +
                    "\npart: 1\npositions: line\n";
  for (const CostMetric& m : k_cost_metrics)
    out += std::string("event: ") + m.name + " : " + m.help + '\n';
  out += "events:";
  for (const CostMetric& m : k_cost_metrics) out += std::string(" ") + m.name;
  out += '\n';
  const auto rows = cost_rows(view);
  Costs total{};
  for (const CostRow& row : rows) add(total, row.costs);
  out += "summary:";
  put(out, total);
  // The rows of a function follow each other.
  Lines lines;
  for (std::size_t i = 0; i < rows.size(); i++) {
    const auto& ref = *rows[i].site;
    add(lines[{ref.file(), ref.site->line}], rows[i].costs);
    if (i + 1 < rows.size() && rows[i + 1].site->function == ref.function) continue;
    put_function(out, ref.module->file, ref.function->name, lines);
    lines.clear();
  }
  return out + "\ntotals:" + [&] { std::string s; put(s, total); return s; }();
}

}  // namespace memprof::cli
