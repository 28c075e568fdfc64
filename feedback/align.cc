// align.cc - which access sites of a function are those of its changed version.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/align.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace memprof::feedback {
namespace {

using Shapes = std::span<const SiteShape>;
using Weight = std::uint32_t;

// The expression says most; the line breaks ties between equal sites.
constexpr Weight k_pair = 1, k_line = 2, k_field = 4, k_expression = 8;

bool agree(std::string_view a, std::string_view b) { return a.empty() || b.empty() || a == b; }
bool same(std::string_view a, std::string_view b) { return !a.empty() && a == b; }

// How much speaks for A and B being one site; 0: they are not.
Weight weight(const SiteShape& a, const SiteShape& b) {
  if (a.kind != b.kind || a.width != b.width) return 0;
  if (a.base && b.base && a.base != b.base) return 0;
  if (!agree(a.type, b.type) || !agree(a.field, b.field)) return 0;
  const bool field = same(a.field, b.field), expression = same(a.expression, b.expression);
  if (!field && !expression && !agree(a.expression, b.expression)) return 0;
  return k_pair + k_expression * expression + k_field * field + k_line * (a.line == b.line);
}

// The weights of the heaviest alignments of all beginnings and of all ends of A and B.
class Weights {
 public:
  Weights(Shapes a, Shapes b)
      : a_(a), b_(b), columns_(b.size() + 1), before_((a.size() + 1) * columns_), after_(before_) {
    for (std::size_t i = 0; i < a.size(); i++)
      for (std::size_t j = 0; j < b.size(); j++)
        at(before_, i + 1, j + 1) = best(at(before_, i, j), weight(a[i], b[j]),
                                         at(before_, i, j + 1), at(before_, i + 1, j));
    for (std::size_t i = a.size(); i-- > 0;)
      for (std::size_t j = b.size(); j-- > 0;)
        at(after_, i, j) = best(at(after_, i + 1, j + 1), weight(a[i], b[j]),
                                at(after_, i + 1, j), at(after_, i, j + 1));
  }

  // One of the heaviest alignments, shifted by FROM_A and FROM_B.
  void put(std::size_t from_a, std::size_t from_b, std::vector<AlignedPair>& out) const {
    for (std::size_t i = 0, j = 0; i < a_.size() && j < b_.size();) {
      if (heaviest(i, j)) {
        out.push_back({from_a + i, from_b + j, certain(i, j)});
        i++, j++;
      } else if (at(after_, i, j) == at(after_, i + 1, j)) {
        i++;
      } else {
        j++;
      }
    }
  }

 private:
  using Table = std::vector<Weight>;

  static Weight best(Weight diagonal, Weight pair, Weight up, Weight left) {
    return std::max({pair ? diagonal + pair : 0, up, left});
  }
  Weight& at(Table& table, std::size_t i, std::size_t j) const { return table[i * columns_ + j]; }
  Weight at(const Table& table, std::size_t i, std::size_t j) const {
    return table[i * columns_ + j];
  }
  Weight total() const { return at(after_, 0, 0); }

  // Whether a heaviest alignment has the pair I, J.
  bool heaviest(std::size_t i, std::size_t j) const {
    const Weight pair = weight(a_[i], b_[j]);
    return pair && at(before_, i, j) + pair + at(after_, i + 1, j + 1) == total();
  }

  // Whether all of them have: none pairs I with another site, and none leaves it out.
  bool certain(std::size_t i, std::size_t j) const {
    for (std::size_t other = 0; other < b_.size(); other++)
      if (other != j && heaviest(i, other)) return false;
    for (std::size_t cut = 0; cut <= b_.size(); cut++)
      if (at(before_, i, cut) + at(after_, i + 1, cut) == total()) return false;
    return true;
  }

  Shapes a_, b_;
  std::size_t columns_;
  Table before_, after_;  // of the first I and J sites; of those from I and J on
};

// All that identifies a site, without the line, which every edit above it changes.
auto key(const SiteShape& s) {
  return std::make_tuple(s.kind, s.width, s.expression, s.type, s.field);
}

// Pairs of sites whose key occurs once on each side, by position in A.
std::vector<AlignedPair> unique_pairs(Shapes a, Shapes b) {
  struct Places {
    std::size_t in_a = 0, in_b = 0, times_a = 0, times_b = 0;
  };
  std::map<decltype(key(a[0])), Places> places;
  for (std::size_t i = 0; i < a.size(); i++) {
    Places& p = places[key(a[i])];
    p.in_a = i, p.times_a++;
  }
  for (std::size_t j = 0; j < b.size(); j++) {
    Places& p = places[key(b[j])];
    p.in_b = j, p.times_b++;
  }
  std::vector<AlignedPair> pairs;
  for (const auto& [k, p] : places)
    if (p.times_a == 1 && p.times_b == 1 && weight(a[p.in_a], b[p.in_b]))
      pairs.push_back({p.in_a, p.in_b});
  std::sort(pairs.begin(), pairs.end(),
            [](const AlignedPair& x, const AlignedPair& y) { return x.a < y.a; });
  return pairs;
}

// The longest of its subsequences that rises in B, too.
std::vector<AlignedPair> longest_rising(const std::vector<AlignedPair>& pairs) {
  constexpr std::size_t k_first = ~std::size_t{0};
  std::vector<std::size_t> tails;  // the pair with the least B that ends a sequence of each length
  std::vector<std::size_t> previous(pairs.size(), k_first);
  for (std::size_t i = 0; i < pairs.size(); i++) {
    const auto place = std::lower_bound(
        tails.begin(), tails.end(), pairs[i].b,
        [&](std::size_t tail, std::size_t b) { return pairs[tail].b < b; });
    if (place != tails.begin()) previous[i] = *(place - 1);
    if (place == tails.end())
      tails.push_back(i);
    else
      *place = i;
  }
  std::vector<AlignedPair> out;
  for (std::size_t i = tails.empty() ? k_first : tails.back(); i != k_first; i = previous[i])
    out.push_back(pairs[i]);
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

std::vector<AlignedPair> align(Shapes a, Shapes b, std::size_t most_cells) {
  std::vector<AlignedPair> out;
  // Whether the table of these sites fits.
  const auto fits = [&](std::size_t m, std::size_t n) { return (n + 1) <= most_cells / (m + 1); };
  if (fits(a.size(), b.size())) {
    Weights(a, b).put(0, 0, out);
    return out;
  }
  std::vector<AlignedPair> anchors = longest_rising(unique_pairs(a, b));
  anchors.push_back({a.size(), b.size()});
  std::size_t from_a = 0, from_b = 0;
  for (const AlignedPair& anchor : anchors) {
    const Shapes gap_a = a.subspan(from_a, anchor.a - from_a);
    const Shapes gap_b = b.subspan(from_b, anchor.b - from_b);
    if (fits(gap_a.size(), gap_b.size())) Weights(gap_a, gap_b).put(from_a, from_b, out);
    if (anchor.a < a.size()) out.push_back(anchor);
    from_a = anchor.a + 1, from_b = anchor.b + 1;
  }
  return out;
}

std::vector<SiteShape> site_shapes(const Function& function) {
  std::vector<SiteShape> shapes;
  for (const Site& s : function.sites) {
    const std::int64_t first = s.file.empty() ? function.line : 0;
    shapes.push_back({s.kind, s.width, 0, s.expression, s.type, s.field, s.line - first});
  }
  return shapes;
}

}  // namespace memprof::feedback
