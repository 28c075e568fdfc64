// dot.cc - the flow of data through memory as a graph, for dot of Graphviz.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Nodes are sites, in a cluster for each function. An edge leads from the store to the load
// that reads what it wrote, thicker the more often; a dashed one is carried by a loop or
// between threads, a dotted one is inferred. The busiest edges only: option top.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "consumers/cli/export/cost_rows.h"
#include "consumers/cli/export/formats.h"
#include "consumers/cli/table.h"
#include "feedback/model.h"

namespace memprof::cli {
namespace {

using namespace feedback;

struct Edge {
  std::uint64_t count = 0, carried = 0, concurrent = 0;
  bool inferred = false;
};
using Edges = std::map<std::pair<Id, Id>, Edge>;  // source, sink

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : one_line(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

Edges edges_of(const Profile& profile) {
  Edges edges;
  for (const Dependence& d : profile.dependences) {
    if (d.kind != DependenceKind::raw) continue;
    Edge& e = edges[{d.source, d.sink}];
    add_count(e.count, d.count);
    add_count(e.carried, d.carried);
    add_count(e.concurrent, d.concurrent);
  }
  for (const InferredDependence& d : profile.inferred_dependences) {
    const auto [at, fresh] = edges.try_emplace({d.source, d.sink});
    if (fresh) at->second.inferred = true;
    add_count(at->second.count, d.count);
  }
  return edges;
}

std::string node(Id id) { return id == k_external ? "external" : "s" + std::to_string(id); }

void put_nodes(std::string& out, const ProfileView& view, const std::set<Id>& used) {
  std::map<const Function*, std::vector<const ProfileView::SiteRef*>> functions;
  for (const auto& ref : view.sites())
    if (used.contains(ref.site->id)) functions[ref.function].push_back(&ref);
  if (used.contains(k_external)) out += "  external [shape=plaintext, label=\"external code\"];\n";
  // In document order, not in that of addresses.
  unsigned cluster = 0;
  for (const Module& module : view.profile().modules)
    for (const Function& f : module.functions) {
      const auto at = functions.find(&f);
      if (at == functions.end()) continue;
      out += "  subgraph cluster_" + std::to_string(cluster++) + " {\n    label=" +
             quoted(shortened(f.name)) + ";\n";
      for (const auto* ref : at->second)
        out += "    " + node(ref->site->id) + " [label=" +
               quoted(shortened(leaf_name(*ref)) + ", " + grouped(ref->site->executions)) +
               (ref->site->kind == Access::store ? ", style=filled" : "") + "];\n";
      out += "  }\n";
    }
}

}  // namespace

std::string to_dot(const ProfileView& view, const ExportOptions& options) {
  const Edges edges = edges_of(view.profile());
  std::vector<Edges::const_iterator> order;
  for (auto at = edges.begin(); at != edges.end(); ++at) order.push_back(at);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a->second.count > b->second.count;
  });
  if (options.top && order.size() > options.top) order.resize(options.top);
  std::set<Id> used;
  for (const auto& at : order) used.insert({at->first.first, at->first.second});
  std::string out = "digraph memprof {\n  label=" + quoted(view.profile().program.name) +
                    ";\n  node [shape=box, fillcolor=\"#e8e8e8\", fontsize=10];\n"
                    "  edge [fontsize=9];\n";
  put_nodes(out, view, used);
  const double most = order.empty() ? 1 : double(order[0]->second.count);
  for (const auto& at : order) {
    const Edge& e = at->second;
    char width[32];
    std::snprintf(width, sizeof width, "%.2f", 0.5 + 4 * std::sqrt(double(e.count) / most));
    out += "  " + node(at->first.first) + " -> " + node(at->first.second) + " [label=\"" +
           grouped(e.count) + "\", penwidth=" + width +
           (e.inferred ? ", style=dotted" : e.carried || e.concurrent ? ", style=dashed" : "") +
           "];\n";
  }
  return out + "}\n";
}

}  // namespace memprof::cli
