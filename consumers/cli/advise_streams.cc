// advise_streams.cc - memprof advise: what the streams of each loop call for.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rules are in consumers/decide/stream_advice.h. Here the rows of the modules regularity and
// cache are added up for each loop, without the loops inside it, and the site is found that a
// rule is most about.
#include "consumers/cli/advise_streams.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "consumers/cli/table.h"
#include "feedback/regularity.h"

namespace memprof::cli {
namespace {

using namespace feedback;

constexpr std::uint64_t k_least_share = 100;  // a loop needs one in 100 of the program's references

// Of a loop, without the loops inside it.
struct LoopStreams {
  const ProfileView::LoopRef* ref = nullptr;
  decide::StreamFacts facts;
  std::vector<const Regularity*> sites;
  std::set<Id> arrays;  // groups that these access
};

class StreamIndex {
 public:
  explicit StreamIndex(const ProfileView& view) : view_(view) {
    std::map<Id, LoopStreams> loops;
    for (const Regularity& row : view.profile().regularity) {
      all_ += row.references;
      const ProfileView::SiteRef* site = view.site(row.site);
      if (!site || site->site->loop == k_none) continue;
      LoopStreams& loop = loops[site->site->loop];
      add_row(loop.facts.sum, row);
      loop.sites.push_back(&row);
      if (const PointsTo* points = view.points_to(row.site))
        for (const auto& target : points->groups) loop.arrays.insert(target.group);
    }
    for (auto& [id, loop] : loops) {
      loop.ref = view.loop(id);
      if (loop.ref && loop.facts.sum.references >= all_ / k_least_share)
        loops_.push_back(std::move(loop));
    }
    std::stable_sort(loops_.begin(), loops_.end(), [](const auto& a, const auto& b) {
      return a.facts.sum.references > b.facts.sum.references;
    });
    for (LoopStreams& loop : loops_) add_misses(loop);
  }

  std::vector<StreamAdviceRow> rows(const RebuildDoes& rebuild) const {
    std::vector<StreamAdviceRow> rows;
    for (const LoopStreams& loop : loops_) {
      for (decide::StreamAdvice& advice : decide::advise_streams(loop.facts)) {
        const Regularity* site = site_of(loop, advice);
        rows.push_back({loop.ref, advice, variable(site->site),
                        decision(advice.rule, *site, rebuild)});
      }
      if (const LoopStreams* other = fusible(loop))
        rows.push_back({loop.ref, fusion(*other), variable(loop.sites.front()->site), ""});
    }
    return rows;
  }

 private:
  // Of the sites that the module cache has looked at.
  void add_misses(LoopStreams& loop) const {
    std::uint64_t accesses = 0, l2 = 0, tlb = 0;
    for (const Regularity* row : loop.sites) {
      bool looked_at = false;
      for (const Cache& c : view_.profile().cache) {
        if (c.site != row->site) continue;
        looked_at = true;
        l2 += c.l2;
        tlb += c.tlb;
      }
      if (looked_at) accesses += row->references;
    }
    if (accesses == 0) return;
    loop.facts.cache_misses = static_cast<double>(l2) / static_cast<double>(accesses);
    loop.facts.tlb_misses = static_cast<double>(tlb) / static_cast<double>(accesses);
  }

  // The site with most elements of such streams; of irregular ones, with most others.
  static const Regularity* site_of(const LoopStreams& loop, const decide::StreamAdvice& advice) {
    const auto weight = [&advice](const Regularity* row) {
      return advice.rule == decide::StreamRule::scatter_gather
                 ? row->references - row->regular
                 : decide::elements_of(*row, advice.shape);
    };
    return *std::max_element(
        loop.sites.begin(), loop.sites.end(),
        [&](const Regularity* a, const Regularity* b) { return weight(a) < weight(b); });
  }

  std::string variable(Id id) const {
    const ProfileView::SiteRef* site = view_.site(id);
    const std::string memory = view_.main_group(id);
    std::string text = site->site->expression.empty() ? "?" : shortened(site->site->expression);
    return memory.empty() || memory == "-" ? text : text + ", " + memory;
  }

  std::string decision(decide::StreamRule rule, const Regularity& site,
                       const RebuildDoes& rebuild) const {
    if (rule == decide::StreamRule::prefetching && rebuild.prefetched.contains(site.site))
      return "the rebuild prefetches it";
    if (rule != decide::StreamRule::superpages) return "";
    if (const PointsTo* points = view_.points_to(site.site))
      for (const auto& target : points->groups)
        if (rebuild.huge.contains(target.group)) return "the rebuild gives it huge pages";
    return "";
  }

  // A loop after LOOP with the same parent and as many iterations, over one of its arrays.
  const LoopStreams* fusible(const LoopStreams& loop) const {
    for (const LoopStreams& other : loops_)
      if (other.ref->function == loop.ref->function &&
          other.ref->loop->parent == loop.ref->loop->parent &&
          other.ref->loop->line > loop.ref->loop->line &&
          other.ref->loop->iterations == loop.ref->loop->iterations &&
          decide::worth_fusing(loop.facts.sum, other.facts.sum) &&
          std::any_of(loop.arrays.begin(), loop.arrays.end(),
                      [&other](Id array) { return other.arrays.contains(array); }))
        return &other;
    return nullptr;
  }
  static decide::StreamAdvice fusion(const LoopStreams& other) {
    return {decide::StreamRule::fusion, {},
            "the loop at " + ProfileView::where(*other.ref) +
                " has as many iterations and goes over the same memory in long streams"};
  }

  const ProfileView& view_;
  std::uint64_t all_ = 0;
  std::vector<LoopStreams> loops_;
};

}  // namespace

std::vector<StreamAdviceRow> stream_rows(const ProfileView& view, const RebuildDoes& rebuild) {
  return StreamIndex(view).rows(rebuild);
}

void print_streams(const std::vector<StreamAdviceRow>& rows, std::size_t top) {
  const Style style = Style::of(stdout);
  std::printf("streams: %s\n", counted(rows.size(), "hint").c_str());
  for (std::size_t i = 0; i < rows.size() && (top == 0 || i < top); i++) {
    const StreamAdviceRow& row = rows[i];
    std::printf("%s %s\n    %s\n    most of all: %s\n", style.tinted("?  ", Tint::dim).c_str(),
                style.heading(printable(ProfileView::where(*row.loop) + ": " +
                                        decide::name(row.advice.rule) + " in " +
                                        shortened(row.loop->function->name)))
                    .c_str(),
                printable(row.advice.text).c_str(), printable(row.variable).c_str());
    if (!row.rebuild.empty()) std::printf("    %s\n", row.rebuild.c_str());
  }
}

void streams_json(const std::vector<StreamAdviceRow>& rows, JsonReport& json) {
  for (const StreamAdviceRow& row : rows) {
    json.open_object();
    json.member("rule", decide::name(row.advice.rule));
    json.member("where", ProfileView::where(*row.loop));
    json.member("function", row.loop->function->name);
    json.member("variable", row.variable);
    json.member("text", row.advice.text);
    json.member("rebuild", row.rebuild);
    json.close_object();
  }
}

}  // namespace memprof::cli
