// verify_search.cc - which of many decisions make a program slower.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Example: 12 prefetches in 5 functions lose 8 %.  Without those of functions 1
// to 3 the program is not faster, without those of 4 and 5 it is; without 5 alone,
// too, without 4 it is not.  Function 5 has two places; neither matters by
// itself: the veto is about function 5.
#include "consumers/cli/verify_search.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace memprof::cli {
namespace {

// The text of member KEY of the object in LINE; the plugin writes no escapes but
// \" and \\.
std::string member(std::string_view line, const std::string& key) {
  const std::size_t at = line.find("\"" + key + "\":");
  if (at == line.npos) return {};
  std::string value;
  std::size_t i = at + key.size() + 3;
  if (i < line.size() && line[i] == '"') {
    for (i++; i < line.size() && line[i] != '"'; i++) {
      if (line[i] == '\\') i++;
      if (i < line.size()) value += line[i];
    }
  } else {
    while (i < line.size() && line[i] != ',' && line[i] != '}') value += line[i++];
  }
  return value;
}

// Function names are patterns in a veto file.
std::string literal(const std::string& name) {
  std::string text;
  for (char c : name) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

using Names = std::vector<std::string>;

Names unique(Names names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// The smallest sets that halving finds, as one list; SET is known to matter.
Names halve(const Names& set, const Trial& faster_without, int& budget) {
  if (set.size() < 2 || budget <= 0) return set;
  const auto middle = set.begin() + static_cast<std::ptrdiff_t>(set.size() / 2);
  Names found;
  for (const Names& half : {Names(set.begin(), middle), Names(middle, set.end())}) {
    if (budget-- <= 0) break;
    if (!faster_without(half)) continue;
    const Names smaller = halve(half, faster_without, budget);
    found.insert(found.end(), smaller.begin(), smaller.end());
  }
  // Only together, then.
  return found.empty() ? set : found;
}

}  // namespace

Comparison compare(const std::vector<double>& first, const std::vector<double>& second) {
  Comparison result;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < first.size() && i < second.size(); i++)
    if (second[i] > 0) ratios.push_back(first[i] / second[i]);
  if (ratios.empty()) return result;
  std::sort(ratios.begin(), ratios.end());
  const double n = static_cast<double>(ratios.size()), half = 0.98 * std::sqrt(n);
  const std::size_t middle = ratios.size() / 2;
  result.ratio = ratios.size() % 2 ? ratios[middle] : (ratios[middle - 1] + ratios[middle]) / 2;
  result.low = ratios[static_cast<std::size_t>(std::max(0.0, std::floor(n / 2 - half)))];
  result.high = ratios[static_cast<std::size_t>(std::min(n - 1, std::floor(n / 2 + half)))];
  return result;
}

std::string Decision::function_veto() const { return "@" + kind + " " + literal(function); }

std::string Decision::place_veto() const {
  return "@" + kind + " " + file + ":" + std::to_string(line) +
         (column ? ":" + std::to_string(column) : "");
}

std::vector<Decision> read_decisions(const std::string& text) {
  std::vector<Decision> decisions;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (member(line, "taken") != "true") continue;
    Decision d;
    d.kind = member(line, "kind");
    d.file = member(line, "file");
    d.function = member(line, "function");
    d.expression = member(line, "expression");
    d.line = static_cast<unsigned>(std::strtoul(member(line, "line").c_str(), nullptr, 10));
    d.column = static_cast<unsigned>(std::strtoul(member(line, "column").c_str(), nullptr, 10));
    decisions.push_back(std::move(d));
  }
  std::sort(decisions.begin(), decisions.end());
  decisions.erase(std::unique(decisions.begin(), decisions.end()), decisions.end());
  return decisions;
}

std::vector<std::string> narrow(const std::vector<Decision>& decisions, const Trial& faster_without,
                                int& budget) {
  Names functions;
  for (const Decision& d : decisions) functions.push_back(d.function_veto());
  Names vetoes;
  for (const std::string& function : halve(unique(functions), faster_without, budget)) {
    Names places;
    for (const Decision& d : decisions)
      if (d.function_veto() == function && d.line) places.push_back(d.place_veto());
    places = unique(places);
    if (places.size() < 2 || budget <= 0) {
      vetoes.push_back(function);
      continue;
    }
    // Without any place: the function as a whole says the same more briefly.
    const Names fewer = halve(places, faster_without, budget);
    if (fewer.size() == places.size())
      vetoes.push_back(function);
    else
      vetoes.insert(vetoes.end(), fewer.begin(), fewer.end());
  }
  return vetoes;
}

}  // namespace memprof::cli
