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
#include <string_view>
#include <tuple>

namespace memprof::cli {
namespace {

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

std::string function_veto(const Decision& decision) {
  return "@" + std::string(decide::name(decision.transformation)) + " " +
         literal(decision.place.function);
}

std::string place_veto(const Decision& decision) {
  const decide::Place& place = decision.place;
  return "@" + std::string(decide::name(decision.transformation)) + " " + place.file + ":" +
         std::to_string(place.line) + (place.column ? ":" + std::to_string(place.column) : "");
}

std::vector<Decision> taken_decisions(const std::string& remarks) {
  std::vector<Decision> decisions = decide::read_remarks(remarks);
  std::erase_if(decisions, [](const Decision& d) { return !d.take(); });
  const auto key = [](const Decision& d) {
    return std::tie(d.transformation, d.place.file, d.place.function, d.place.expression,
                    d.place.line, d.place.column);
  };
  std::sort(decisions.begin(), decisions.end(),
            [&](const Decision& a, const Decision& b) { return key(a) < key(b); });
  decisions.erase(std::unique(decisions.begin(), decisions.end(),
                              [&](const Decision& a, const Decision& b) {
                                return key(a) == key(b);
                              }),
                  decisions.end());
  return decisions;
}

std::vector<std::string> narrow(const std::vector<Decision>& decisions, const Trial& faster_without,
                                int& budget) {
  Names functions;
  for (const Decision& d : decisions) functions.push_back(function_veto(d));
  Names vetoes;
  for (const std::string& function : halve(unique(functions), faster_without, budget)) {
    Names places;
    for (const Decision& d : decisions)
      if (function_veto(d) == function && d.place.line) places.push_back(place_veto(d));
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
