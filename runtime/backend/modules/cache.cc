// cache.cc - misses of each site in a model of the caches and the TLB.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which loads miss decides what is worth a prefetch, and whose pages miss in the
// TLB decides what is worth a huge page. Nothing in the program is measured for
// it: the accesses go through a model (cache_model.h) of a first-level and a
// second-level cache and a TLB per thread, and of a last-level cache for all.
//
// It looks at one page in 16, chosen by a hash of its address, at all times (sampled_accesses.h), and its caches
// have one set in 16, as in SHARDS (Waldspurger et al., FAST 2015). So counts are estimates: 16 times the
// misses, or of a site that misses in few pages its misses per access that was looked at, times its executions.
// (Where a few pages have most accesses, as the middle of an array that is searched, it matters whether these
// are looked at, but not for the misses, which are in all others.) A site none of whose pages was looked at has no
// row. With sample=1 everything is looked at. With window=8 it is during one window in eight only: faster, but what
// is touched first in a window seems to miss.
//
// No hardware prefetching, no coherence, least recently used, inclusive of nothing. A wide
// access (a copy) can miss more than once.
#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

#include "runtime/backend/modules/cache_model.h"
#include "runtime/backend/modules/reuse/reuse.h"
#include "runtime/backend/modules/sampled_accesses.h"

namespace memprof::backend {
namespace {

constexpr int k_page_bits = 12;
static_assert(k_model_page == std::uint64_t{1} << k_page_bits);

struct Misses {
  GroupId group = 0;
  std::uint64_t l1 = 0, l2 = 0, llc = 0, tlb = 0;
};

// So many pages that the share of them which is looked at is near the share that should be.
constexpr int k_many_pages = 8;

struct SiteState : SampledSite {
  std::vector<Misses> groups;
  std::uint64_t pages = 0;  // a bit for each page in which it missed, by a hash

  void missed_in(std::uint32_t page) { pages |= std::uint64_t{1} << (page * 0x9e3779b1u >> 26); }
  bool many_pages() const { return std::popcount(pages) >= k_many_pages; }

  Misses& of(GroupId group) {
    for (Misses& m : groups)
      if (m.group == group) return m;
    return groups.emplace_back(Misses{group});
  }
};

// The private caches of a thread.
struct Core {
  LruSets l1, l2, tlb;
  std::uint32_t last_line = 0;

  explicit Core(const CacheGeometry& g)
      : l1(g.l1.size / g.line, g.l1.ways, g.sample),
        l2(g.l2.size / g.line, g.l2.ways, g.sample),
        tlb(g.tlb.size, g.tlb.ways, g.sample) {}
};

class CacheModule final : public SampledAccesses<CacheModule, SiteState, Core, k_page_bits> {
 public:
  static constexpr std::uint64_t k_most_lines = std::uint64_t{1} << 32;

  explicit CacheModule(const ProgramInfo& program)
      : CacheModule(program, geometry_for(program)) {}

  void finish(feedback::Profile& profile) override;

  std::unique_ptr<Core> make_core() const { return std::make_unique<Core>(geometry_); }
  void new_unit(std::uint32_t) {}
  static std::uint64_t translated(std::uint64_t address) { return address; }
  bool meets(std::uint64_t, feedback::GroupKind) { return false; }
  void looked_at(SiteState&, std::uint64_t, bool, auto) {}
  void use(SiteState& site, std::uint32_t page, std::uint64_t address, bool store, auto place);

 private:
  CacheModule(const ProgramInfo& program, const CacheGeometry& g)
      : SampledAccesses(program, g.line, g.sample, g.window),
        geometry_(g),
        llc_(g.llc.size / g.line, g.llc.ways, g.sample) {}

  // The sets of a large last level are in no cache of the host, so each use of it is prefetched some
  // uses before it is done.
  struct LlcUse {
    std::uint32_t line = 0;  // 0: none
    std::uint32_t group = 0;  // in SiteState::groups
    SiteState* site = nullptr;
  };
  void end_llc_use(const LlcUse& use) {
    if (use.line != 0) use.site->groups[use.group].llc += !llc_.use(use.line);
  }

  const CacheGeometry geometry_;
  // A share of the pages is looked at, at all times.
  const bool count_all_ = geometry_.window == 1 && geometry_.sample > 1;
  LruSets llc_;
  LlcUse llc_uses_[16];  // the last ones, in a ring
  std::size_t next_llc_use_ = 0;
};

void CacheModule::use(SiteState& site, std::uint32_t page, std::uint64_t address, bool,
                      auto place) {
  Core& c = core();
  const std::uint32_t line = line_of(page, address);
  if (line == c.last_line) return;
  c.last_line = line;
  const bool in_tlb = c.tlb.use(page);
  const bool in_l1 = c.l1.use(line);
  if (in_tlb && in_l1) return;
  Misses& misses = site.of(place().group);
  misses.tlb += !in_tlb;
  if (in_l1) return;
  site.missed_in(page);
  misses.l1++;
  if (c.l2.use(line)) return;
  misses.l2++;
  llc_.prefetch(line);
  LlcUse& oldest = llc_uses_[next_llc_use_++ % std::size(llc_uses_)];
  end_llc_use(oldest);
  oldest = {line, static_cast<std::uint32_t>(&misses - site.groups.data()), &site};
}

void CacheModule::finish(feedback::Profile& profile) {
  profile.run.caches = geometry_text(geometry_);
  for (std::size_t i = 0; i < std::size(llc_uses_); i++)
    end_llc_use(llc_uses_[next_llc_use_++ % std::size(llc_uses_)]);
  sites_.for_each([&](SiteId site, const SiteState& state) {
    const feedback::Id id = program_.site_id(site);
    if (state.looked_at == 0 || id == feedback::k_none) return;
    const std::uint64_t all = all_uses(state, program_.executions(site));
    const auto total = [&](std::uint64_t misses) {
      return count_all_ && state.wide == 0 && state.many_pages()
                 ? std::min(misses * geometry_.sample, all)
                 : scaled(misses, all, state.looked_at);
    };
    // Several groups of the run may be one group of the document.
    std::map<feedback::Id, feedback::Cache> rows;
    for (const Misses& m : state.groups) {
      const feedback::Id group = program_.group_id(m.group);
      feedback::Cache& row = rows[group];
      row.site = id;
      row.group = group;
      row.l1 += total(m.l1);
      row.l2 += total(m.l2);
      row.llc += total(m.llc);
      row.tlb += total(m.tlb);
    }
    // Looked at without a miss: that is worth knowing, too.
    if (rows.empty()) rows[feedback::k_none].site = id;
    for (const auto& [group, row] : rows) profile.cache.push_back(row);
  });
}

}  // namespace

std::unique_ptr<Module> make_cache(const ProgramInfo& program) {
  if (program.sampled()) return make_sampled_cache(program);
  return std::make_unique<CacheModule>(program);
}

}  // namespace memprof::backend
