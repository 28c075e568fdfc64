// cost_rows.h - what each access site costs, and where it stands: the rows of an export.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Profilers of time know call stacks; a memory profile has the static nest of each site
// instead. Formats that want a stack get that one, outermost first:
//
//     prog;a.c;f;loop a.c:10;g;loop a.c:3;load x[i] a.c:4:9          g is inlined into f
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumers/cli/profile_view.h"

namespace memprof::cli {

struct CostMetric {
  const char* name;  // as typed and written
  const char* help;
};
inline constexpr CostMetric k_cost_metrics[] = {
    {"loads", "executions of loads"},
    {"stores", "executions of stores"},
    {"l1", "misses of the first cache level, modelled"},
    {"l2", "misses of the second"},
    {"llc", "misses of the last"},
    {"tlb", "misses of the last data TLB"},
};
inline constexpr std::size_t k_loads = 0, k_stores = 1, k_l1 = 2, k_metrics = 6;

using Costs = std::array<std::uint64_t, k_metrics>;

// All accesses, or the metric NAME; nothing: there is none.
std::optional<std::uint64_t> metric_of(const Costs& costs, std::string_view name);

struct CostRow {
  const ProfileView::SiteRef* site;
  Costs costs{};
};

// One row for each site, in document order.
std::vector<CostRow> cost_rows(const ProfileView& view);

// "load x[i] a.c:13:9".
std::string leaf_name(const ProfileView::SiteRef& site);

// The names of the stack above.
std::vector<std::string> static_stack(const ProfileView& view, const ProfileView::SiteRef& site);

}  // namespace memprof::cli
