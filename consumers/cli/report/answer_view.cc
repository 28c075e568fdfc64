// answer_view.cc - the first view: how long the program waits for memory, where, and what to do.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The picture is a tree of the static nest of each site (export/cost_rows.h): functions, inlined
// functions, loops, accesses; a node is [name, share of the time that it waits, children].
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "consumers/cli/answer.h"
#include "consumers/cli/export/cost_rows.h"
#include "consumers/cli/report/report_data.h"

namespace memprof::cli {

using feedback::JsonReport;

namespace {

// Nodes of less than this share of the time cannot be seen.
constexpr double k_least_share = 0.002;
constexpr std::size_t k_causes = 5;

struct Node {
  std::string name;
  double share = 0;
  std::vector<std::unique_ptr<Node>> children;

  Node& child(const std::string& wanted) {
    for (const auto& known : children)
      if (known->name == wanted) return *known;
    children.push_back(std::make_unique<Node>(Node{wanted, 0, {}}));
    return *children.back();
  }
};

void put_node(JsonReport& json, Node& node) {
  json.open_array();
  json.value(brief(node.name));
  json.value(node.share);
  json.open_array();
  std::ranges::stable_sort(node.children, std::greater(), [](const auto& n) { return n->share; });
  for (const auto& child : node.children)
    if (child->share >= k_least_share) put_node(json, *child);
  json.close_array();
  json.close_array();
}

}  // namespace

void answer_view(JsonReport& json, const ReportInput& in) {
  const Answer answer = answer_of(in.view, in.decisions, in.profile, k_causes);
  const decide::Waiting& all = answer.waiting;
  Node root{in.view.profile().program.name, all.share(), {}};
  for (const decide::SiteWaiting& site : all.sites) {
    const double share = all.share(site.cycles);
    if (share < k_least_share) break;
    Node* node = &root;
    const std::vector<std::string> stack = static_stack(in.view, *in.view.site(site.site));
    // Without program and file.
    for (std::size_t i = 2; i < stack.size(); i++) {
      node = &node->child(stack[i]);
      node->share += share;
    }
  }
  json.key("answer");
  json.open_object();
  answer_json(answer, json);
  json.key("tree");
  put_node(json, root);
  json.close_object();
}

}  // namespace memprof::cli
