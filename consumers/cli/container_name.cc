// container_name.cc - containers of the C++ library by the names that people know.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/container_name.h"

#include <string_view>

namespace memprof::cli {
namespace {

struct Node {
  const char* prefix;  // of the type, with the "<" of its arguments
  const char* set;     // container of single values
  const char* map;     // of pairs with a constant first member
};
constexpr Node k_nodes[] = {
    {"std::_Rb_tree_node<", "std::set", "std::map"},
    {"std::__detail::_Hash_node<", "std::unordered_set", "std::unordered_map"},
    {"std::_List_node<", "std::list", nullptr},
    {"std::__cxx11::_List_node<", "std::list", nullptr},
    {"std::_Fwd_list_node<", "std::forward_list", nullptr},
};

// The first argument of a template: TEXT up to its comma or closing bracket.
std::string_view first_argument(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    depth += c == '<' || c == '(';
    if (depth == 0 && (c == ',' || c == '>')) return text.substr(0, i);
    depth -= c == '>' || c == ')';
  }
  return text;
}

std::string_view trimmed(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

}  // namespace

std::string container_name(const std::string& type) {
  constexpr std::string_view k_buckets = "std::__detail::_Hash_node_base*", k_pair = "std::pair<const ";
  if (type == k_buckets) return "buckets of an unordered container";
  for (const Node& node : k_nodes) {
    if (!type.starts_with(node.prefix)) continue;
    const std::string_view value = trimmed(first_argument(std::string_view(type).substr(std::string_view(node.prefix).size())));
    if (!node.map || !value.starts_with(k_pair)) return std::string("node of ") + node.set + "<" + std::string(value) + ">";
    const std::string_view pair = value.substr(k_pair.size());
    const std::string_view key = first_argument(pair);
    const std::string_view rest = key.size() < pair.size() ? pair.substr(key.size() + 1) : "";
    return std::string("node of ") + node.map + "<" + std::string(trimmed(key)) + ", " +
           std::string(trimmed(first_argument(trimmed(rest)))) + ">";
  }
  return type;
}

}  // namespace memprof::cli
