// show_phases.cc - memprof show --phases: which groups ask memory when.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For each slice of the run the groups with most requests to memory and walks of the page tables
// (Chen et al., ISPASS 2012: hot objects by phase):
//
//      from  requests  of slice  walks  memory
//     0.0 %     9,100    97.8 %    255  malloc at bfs.c:66
//    25.0 %     4,000    60.0 %     10  malloc at bfs.c:66
//               2,600    39.0 %    700  calloc at bfs.c:65
#include <algorithm>
#include <vector>

#include "consumers/cli/show_rows.h"
#include "consumers/cli/show_slices.h"
#include "consumers/cli/show_tables.h"
#include "feedback/derive.h"

namespace memprof::cli {
namespace {

using namespace feedback;

constexpr std::size_t k_groups = 3;  // of a slice, in the text

// What a group does in a slice.
struct Use {
  const PagePhases* row;
  std::uint64_t requests, walks;
};

struct Phase {
  std::vector<Use> uses;  // those with most requests, then walks, first
  std::uint64_t requests = 0;
};

std::vector<Phase> phases_of(const Profile& profile, std::size_t top) {
  const JoinedSlices joined(top);
  std::vector<Phase> phases(profile.page_phases.empty() ? 0 : joined.rows());
  for (std::size_t i = 0; i < phases.size(); i++) {
    Phase& phase = phases[i];
    for (const PagePhases& row : profile.page_phases) {
      const Use use{&row, joined.sum(row.requests, i), joined.sum(row.walks, i)};
      if (use.requests + use.walks != 0) phase.uses.push_back(use);
      add_count(phase.requests, use.requests);
    }
    std::stable_sort(phase.uses.begin(), phase.uses.end(), [](const Use& a, const Use& b) {
      return std::pair(a.requests, a.walks) > std::pair(b.requests, b.walks);
    });
  }
  return phases;
}

std::string text_of_phases(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"from", true}, {"requests", true}, {"of slice", true}, {"walks", true}, {"memory", false, k_memory}});
  const std::vector<Phase> phases = phases_of(view.profile(), top);
  for (std::size_t i = 0; i < phases.size(); i++) {
    const Phase& phase = phases[i];
    const std::string from = percent(ratio(i, phases.size()));
    if (phase.uses.empty()) table.add_row({from, "0", "-", "0", "-"});
    for (std::size_t n = 0; n < std::min(phase.uses.size(), k_groups); n++) {
      const Use& use = phase.uses[n];
      table.add_row({n == 0 ? from : "", grouped(use.requests), percent(ratio(use.requests, phase.requests)),
                     grouped(use.walks), memory_text(view, *use.row)});
    }
  }
  return section("Requests to memory and walks of page tables over the run, in " + std::string(clock_of(view.profile().run)),
                 table, style);
}

void json_of_phases(const ProfileView& view, std::size_t top, JsonReport& json) {
  for (const Phase& phase : phases_of(view.profile(), top)) {
    json.open_array();
    for (const Use& use : phase.uses) {
      json.open_object();
      json.member("group", memory_text(view, *use.row));
      json.member("requests", use.requests);
      json.member("walks", use.walks);
      json.close_object();
    }
    json.close_array();
  }
}

}  // namespace

const ShowTable show_phases = {"phases", "page_phases", "pages", text_of_phases, json_of_phases};

}  // namespace memprof::cli
