// show_curves.cc - memprof show --curves: misses by the size of the cache.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//     fits in   1K  32K   1M   32M   1G   where
//     16 MB     █████████▇▇▇▇▆▁▁▁▁▁▁      bfs.c:40:9
//
// Each bar is one more power of two: how many of the executions miss in a cache of that size that
// replaces the least recently used of its lines.
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "consumers/cli/show_rows.h"
#include "feedback/reuse_curve.h"

namespace memprof::cli {
namespace {

using namespace feedback;

constexpr double k_line = 64;
constexpr unsigned k_least_bits = 10, k_most_bits = 30;  // of a cache, in bytes
// What misses so seldom, compared with the smallest cache, fits.
constexpr double k_fits = 0.05;

double misses_in(const Reuse& row, double bytes) { return misses_at(row.lines, bytes / k_line); }

// What a small first-level cache would miss.
double cost(const Reuse& r) { return misses_in(r, 32 << 10); }

std::string bars(const Reuse& row, double executions) {
  static constexpr const char* k_bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  for (unsigned bits = k_least_bits; bits <= k_most_bits; bits++) {
    const double share = executions > 0 ? misses_in(row, std::ldexp(1, static_cast<int>(bits))) / executions : 0;
    // What misses at all can be seen.
    const double height = std::ceil(std::min(share, 1.0) * 8 - 0.01);
    text += k_bars[static_cast<int>(height)];
  }
  return text;
}

// The least size in which ROW fits; 0: in none.
std::uint64_t fits_in(const Reuse& row) {
  if (row.lines.empty()) return 0;
  const auto all = static_cast<double>(row.lines.front().misses);
  for (const Reuse::Point& p : row.lines)
    if (static_cast<double>(p.misses) <= k_fits * all) return p.size * static_cast<std::uint64_t>(k_line);
  return 0;
}

std::string fitting_text(std::uint64_t bytes) {
  if (bytes == 0) return "never";
  for (const auto& [unit, name] : {std::pair(1u << 30, " GB"), std::pair(1u << 20, " MB")})
    if (bytes >= unit) return grouped(bytes / unit) + name;
  return grouped(bytes >> 10) + " KB";
}

std::vector<const Reuse*> top_curves(const ProfileView& view, std::size_t top) {
  return ranked(view.profile().reuse, top, cost);
}

std::string curves_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"executions", true}, {"fits in", true}, {"1K  32K   1M  32M    1G"}, {"where"},
               {"expression", false, k_expression}, {"memory", false, k_memory}});
  const auto rows = top_curves(view, top);
  for (const Reuse* r : rows) {
    const ProfileView::SiteRef* const site = view.site(r->site);
    const std::uint64_t executions = site ? site->site->executions : 0;
    table.add_row({grouped(executions), fitting_text(fits_in(*r)),
                   bars(*r, static_cast<double>(executions)), view.site_name(r->site),
                   site ? site->site->expression : "", memory_text(view, *r)});
  }
  return section(title("Misses by the size of the cache", rows.size(), view.profile().reuse.size()),
                 table, style);
}

void curves_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const Reuse* r : top_curves(view, top)) {
    json.open_object();
    json.member("site", r->site);
    json.member("where", view.site_name(r->site));
    json.member("group", memory_text(view, *r));
    json.member("fits_in", fits_in(*r));
    for (const auto& [name, points] : {std::pair("lines", &r->lines), std::pair("pages", &r->pages)}) {
      json.key(name);
      json.open_array();
      for (const Reuse::Point& p : *points) {
        json.open_array();
        json.value(p.size);
        json.value(p.misses);
        json.close_array();
      }
      json.close_array();
    }
    json.close_object();
  }
}

}  // namespace

constinit const ShowTable show_curves = {"curves", "reuse", "cache", curves_text, curves_json};

}  // namespace memprof::cli
