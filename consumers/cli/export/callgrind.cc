// callgrind.cc - a profile for callgrind_annotate and KCachegrind.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Cost lines by function and line; sites on one line add up there. Inlined functions are
// functions, with one call for each place that they are inlined at.
//
//     fl=a.c
//     fn=f
//     13 1000 0 125 60 2 0        line, loads, stores, misses of L1, L2, last level, TLB
//     cfn=g
//     calls=1 0                   g, inlined in line 15
//     15 200 0 5 0 0 0            all that it costs there
//
// Format: the manual of Valgrind, "Callgrind Format Specification".
#include <map>
#include <utility>

#include "consumers/cli/call_path.h"
#include "consumers/cli/export/cost_rows.h"
#include "consumers/cli/export/formats.h"
#include "feedback/model.h"
#include "memprof-config.h"

namespace memprof::cli {
namespace {

using Name = std::pair<std::string, std::string>;  // file and name of a function

void add(Costs& sum, const Costs& costs) {
  for (std::size_t i = 0; i < k_metrics; i++) feedback::add_count(sum[i], costs[i]);
}

// What a function costs by file and line, and the functions inlined there.
struct FunctionCost {
  std::map<std::pair<std::string, std::uint32_t>, Costs> lines;
  std::map<std::pair<std::uint32_t, Name>, Costs> calls;
};

using Functions = std::map<Name, FunctionCost>;

Functions functions_of(const std::vector<CostRow>& rows) {
  Functions functions;
  for (const CostRow& row : rows) {
    const std::vector<PathStep> path = call_path(*row.site);
    // A function is where its last place is: that of the call, or of the access.
    const auto name = [&](std::size_t i) {
      return Name(i == 0 ? row.site->module->file : *path[i].file, *path[i].function);
    };
    for (std::size_t i = 0; i + 1 < path.size(); i++)
      add(functions[name(i)].calls[{path[i].line, name(i + 1)}], row.costs);
    add(functions[name(path.size() - 1)].lines[{*path.back().file, path.back().line}], row.costs);
  }
  return functions;
}

void put(std::string& out, const Costs& costs) {
  for (std::uint64_t n : costs) out += ' ' + std::to_string(n);
  out += '\n';
}

void put_function(std::string& out, const Name& name, const FunctionCost& cost) {
  out += "\nfl=" + one_line(name.first) + "\nfn=" + one_line(name.second) + '\n';
  std::string now = name.first;
  for (const auto& [place, costs] : cost.lines) {
    if (place.first != now) out += "fi=" + one_line(now = place.first) + '\n';
    out += std::to_string(place.second);
    put(out, costs);
  }
  if (now != name.first) out += "fe=" + one_line(name.first) + '\n';
  for (const auto& [call, costs] : cost.calls) {
    out += "cfi=" + one_line(call.second.first) + "\ncfn=" + one_line(call.second.second) +
           "\ncalls=1 0\n" + std::to_string(call.first);
    put(out, costs);
  }
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
  for (const auto& [name, cost] : functions_of(rows)) put_function(out, name, cost);
  return out + "\ntotals:" + [&] { std::string s; put(s, total); return s; }();
}

}  // namespace memprof::cli
