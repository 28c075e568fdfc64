// cache.cc - misses of each site in a model of the caches and the TLB.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which loads miss decides what is worth a prefetch, and whose pages miss in the
// TLB decides what is worth a huge page. Nothing in the program is measured for
// it: the accesses go through a model (cache_model.h) of a first-level and a
// second-level cache and a TLB per thread, and of a last-level cache for all.
//
// To be cheap it looks at few of them:
//
//   * One page in eight (sample). Of each eight pages that are used for the
//     first time, one is chosen by a hash, and the caches have an eighth of
//     their sets. The rest costs one look at a table by page.
//   * One window of 256 K accesses in eight (window). The caches keep what they
//     hold until the next one.
//
// So counts are estimates: misses per access that was looked at, times the
// executions of the site. A site none of whose pages was looked at has no row.
// With sample=1 and window=1 everything is looked at.
//
// The rules of the model:
//
//   * An access uses the line of its first byte; a wider one than a line (a
//     copy) uses each of its lines once and can miss more than once.
//   * Of an access in a range, executions in a row on one line count as one use, unless the
//     range is so short that its iterations are written out (iteration_blocks.h).
//   * The stack is taken as cached: where it lies in a page differs between
//     runs, and its pages hardly ever miss.
//   * No hardware prefetching, no coherence, least recently used, inclusive of
//     nothing.
#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "runtime/backend/base/page_steps.h"
#include "runtime/backend/base/per_site.h"
#include "runtime/backend/base/sparse_table.h"
#include "runtime/backend/event/iteration_blocks.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/modules/cache_model.h"

namespace memprof::backend {
namespace {

constexpr int k_page_bits = 12;
static_assert(k_model_page == std::uint64_t{1} << k_page_bits && k_model_page <= k_steps_limit);
constexpr std::uint64_t k_window = std::uint64_t{1} << 18;  // accesses

// Of what corrupt streams say; such accesses have no width.
constexpr std::uint64_t k_user_mask = (std::uint64_t{1} << k_address_bits) - 1;

// What the table by page says.
constexpr std::uint32_t k_unseen = 0, k_not_looked_at = 1, k_first_page = 2;

struct Misses {
  GroupId group = 0;
  std::uint64_t l1 = 0, l2 = 0, llc = 0, tlb = 0;
};

struct SiteState {
  std::uint64_t looked_at = 0;  // executions, or lines of wide ones
  // Of wide executions, in all pages: how many lines they have.
  std::uint64_t wide = 0, wide_lines = 0;
  std::vector<Misses> groups;

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

class CacheModule final : public Module {
 public:
  explicit CacheModule(const ProgramInfo& program)
      : program_(program),
        geometry_(geometry(program)),
        llc_(geometry_.llc.size / geometry_.line, geometry_.llc.ways,
             geometry_.sample) {
    while (1u << line_bits_ < geometry_.line) line_bits_++;
  }

  void consume(const Batch& batch) override;
  void finish(feedback::Profile& profile) override;

 private:
  static CacheGeometry geometry(const ProgramInfo& program) {
    CacheGeometry g = machine_geometry();
    parse_geometry(program.cache_sizes(), g);
    return g;
  }
  bool in_window(std::uint64_t time) const {
    return time / k_window % geometry_.window == 0;
  }
  bool outside(const Batch& batch) const;
  void look_at(const Batch& batch);
  void select(const Batch& batch);
  struct Access {
    std::uint64_t address, width;
    std::uint32_t accesses;  // before it, without those of ranges
    std::uint32_t index;     // its site, range or thread
    EventKind kind;
  };
  void access(SiteId site, std::uint64_t address, std::uint64_t width, auto group_of);
  void narrow(SiteId site, std::uint64_t address, auto group_of);
  void wide(SiteId site, std::uint64_t address, std::uint64_t width, auto group_of);
  void range(const Batch& batch, const Range& range, std::uint64_t row);
  bool passed_over(const RangeAccess& a) const;
  void short_row(const Batch& batch, const Range& range, std::uint64_t row, std::uint64_t time);
  void use(SiteState& site, std::uint32_t page, std::uint64_t address, auto group_of);
  std::uint32_t page_of(std::uint64_t address, auto group_of);
  // The sets of a large last level are in nobody's cache, so each use of it is asked for some
  // uses before it is done.
  struct LlcUse {
    std::uint32_t line = 0;  // 0: none
    std::uint32_t group = 0;  // in SiteState::groups
    SiteState* site = nullptr;
  };
  void end_llc_use(const LlcUse& use);
  const Item& item_of(const Batch& batch, SiteId site, std::uint64_t time);
  GroupId group_of(const Batch& batch, SiteId site, std::uint64_t time) {
    return batch.group_of(item_of(batch, site, time));
  }
  Core& core();

  // Of an access of a range in a row.
  struct Turn {
    const RangeAccess* access;
    SiteState* site;
    std::uint64_t start;  // address of the first execution
    std::uint64_t k = 0;  // the next one
    std::uint32_t reciprocal;  // of the step

    Turn(const RangeAccess& a, SiteState& state, std::uint64_t address)
        : access(&a), site(&state), start(address), reciprocal(reciprocal_of(magnitude(a.step))) {}
    // How many there are up to so many bytes behind the next one, in its page.
    std::uint64_t executions(std::uint64_t bytes) const {
      return reciprocal == 0 ? ~std::uint64_t{0} : steps_in(bytes, reciprocal) + std::uint64_t{1};
    }
  };

  const ProgramInfo& program_;
  const CacheGeometry geometry_;
  unsigned line_bits_ = 0;
  LruSets llc_;
  LlcUse llc_uses_[16];  // the last ones, in a ring
  std::size_t next_llc_use_ = 0;
  std::vector<std::unique_ptr<Core>> cores_;  // by thread
  std::uint32_t thread_ = 0;
  bool thread_known_ = true;  // not behind batches that were not read
  SparseTable<std::uint32_t, k_page_bits> pages_;
  std::uint64_t pages_seen_ = 0;
  std::uint32_t next_page_ = k_first_page;
  PerSite<SiteState> sites_;
  std::vector<Access> selected_;
  std::vector<Turn> turns_;
  // Of the batch, by site: where its column goes on.
  struct Cursor {
    const Chunk* chunk;
    std::uint32_t left;
  };
  const Batch* columns_of_ = nullptr;
  PerSite<Cursor> columns_;
};

// Whether no access of the batch is in a window.
bool CacheModule::outside(const Batch& batch) const {
  return !in_window(batch.time) && !in_window(batch.end) &&
         batch.end - batch.time < k_window;
}

// Notes the accesses to pages that are looked at, or were never seen, the wide
// ones, and the ranges and threads.
void CacheModule::select(const Batch& batch) {
  selected_.clear();
  std::uint32_t time = 0;
  const auto event = [&](const Event& e, std::uint64_t width) {
    const bool access = e.kind <= EventKind::store;
    if ((access && (width > geometry_.line ||
                    pages_.get(e.address & k_user_mask) != k_not_looked_at)) ||
        e.kind == EventKind::range || e.kind == EventKind::thread)
      selected_.push_back({e.address, width, time, e.index, e.kind});
    time += access;
  };
  for (const Event& e : batch.events)
    if (e.kind == EventKind::block)
      for_each(batch, e, [&](const Event& x) { event(x, x.short_width); });
    else
      event(e, batch.width(e));
}

void CacheModule::look_at(const Batch& batch) {
  select(batch);
  columns_of_ = nullptr;
  std::uint64_t start = batch.time;  // and the accesses of ranges so far
  for (const Access& a : selected_) {
    const std::uint64_t time = start + a.accesses;
    if (a.kind == EventKind::thread) {
      thread_ = a.index;
      thread_known_ = true;
    } else if (a.kind == EventKind::range) {
      const Range& r = batch.ranges[a.index];
      thread_ = r.thread;
      thread_known_ = true;
      const bool short_rows = r.rows > 1 && r.count <= IterationBlocks::k_max_iterations;
      for (std::uint64_t row = 0; row < r.rows; row++) {
        const std::uint64_t row_time = time + (r.row_time(row) - r.first_time);
        if (short_rows)
          short_row(batch, r, row, row_time);
        else if (in_window(row_time))
          range(batch, r, row);
      }
      for (const RangeAccess& x : batch.accesses_of(r)) start += x.executions();
    } else if (in_window(time) && a.width != 0) {
      if (!thread_known_) {
        thread_ = batch.thread_of(item_of(batch, a.index, time));
        thread_known_ = true;
      }
      access(a.index, a.address, a.width, [&] { return group_of(batch, a.index, time); });
    }
  }
}

void CacheModule::consume(const Batch& batch) {
  if (outside(batch))
    thread_known_ = false;
  else
    look_at(batch);
  for (const std::uint32_t thread : batch.ended_threads)
    if (thread < cores_.size()) cores_[thread].reset();
}

Core& CacheModule::core() {
  if (thread_ >= cores_.size()) cores_.resize(thread_ + 1);
  if (!cores_[thread_]) cores_[thread_] = std::make_unique<Core>(geometry_);
  return *cores_[thread_];
}

// What SITE accessed at TIME, which is not before that of the last question.
const Item& CacheModule::item_of(const Batch& batch, SiteId site, std::uint64_t time) {
  if (columns_of_ != &batch) {
    columns_of_ = &batch;
    for (const Column& c : batch.columns) columns_[c.site] = {c.first, c.size};
  }
  auto& [chunk, left] = columns_[site];
  const auto wanted = static_cast<std::uint32_t>(time - batch.time);
  while (left > Chunk::k_size && chunk->next->items[0].time <= wanted) {
    left -= Chunk::k_size;
    chunk = chunk->next;
  }
  const std::uint32_t n = std::min(left, Chunk::k_size);
  std::uint32_t i = 0;
  while (i + 1 < n && chunk->items[i + 1].time <= wanted) i++;
  return chunk->items[i];
}

// What the table says about the page of ADDRESS; decides about a new one.
std::uint32_t CacheModule::page_of(std::uint64_t address, auto group_of) {
  const std::uint32_t known = pages_.get(address);
  if (known != k_unseen) return known;
  std::uint32_t& page = pages_.at(address);
  page = k_not_looked_at;
  if (program_.group_kind(group_of()) == feedback::GroupKind::stack) return page;
  const std::uint64_t number = pages_seen_++;
  const std::uint64_t hash =
      (number / geometry_.sample * 0x9e3779b97f4a7c15u) >> 40;
  if (number % geometry_.sample == hash % geometry_.sample &&
      next_page_ < 1u << (32 - k_page_bits + line_bits_))
    page = next_page_++;
  return page;
}

void CacheModule::use(SiteState& site, std::uint32_t page, std::uint64_t address,
                      auto group_of) {
  Core& c = core();
  const auto in_page = static_cast<std::uint32_t>(address & (k_model_page - 1));
  const std::uint32_t line = page << (k_page_bits - line_bits_) | in_page >> line_bits_;
  if (line == c.last_line) return;
  c.last_line = line;
  const bool in_tlb = c.tlb.use(page);
  const bool in_l1 = c.l1.use(line);
  if (in_tlb && in_l1) return;
  Misses& misses = site.of(group_of());
  misses.tlb += !in_tlb;
  if (in_l1) return;
  misses.l1++;
  if (c.l2.use(line)) return;
  misses.l2++;
  llc_.prefetch(line);
  LlcUse& oldest = llc_uses_[next_llc_use_++ % std::size(llc_uses_)];
  end_llc_use(oldest);
  oldest = {line, static_cast<std::uint32_t>(&misses - site.groups.data()), &site};
}

void CacheModule::end_llc_use(const LlcUse& use) {
  if (use.line != 0) use.site->groups[use.group].llc += !llc_.use(use.line);
}

// WIDTH > 0.
void CacheModule::access(SiteId site, std::uint64_t address, std::uint64_t width, auto group_of) {
  if (width > geometry_.line)
    wide(site, address, width, group_of);
  else
    narrow(site, address, group_of);
}

void CacheModule::narrow(SiteId site, std::uint64_t address, auto group_of) {
  const std::uint32_t page = page_of(address, group_of);
  if (page < k_first_page) return;
  SiteState& state = sites_[site];
  state.looked_at++;
  use(state, page, address, group_of);
}

void CacheModule::wide(SiteId site, std::uint64_t address, std::uint64_t width, auto group_of) {
  SiteState& state = sites_[site];
  const std::uint64_t line = geometry_.line;
  const std::uint64_t end = address + width;
  const std::uint64_t first = address / line * line;
  state.wide++;
  state.wide_lines += (end - first + line - 1) / line;
  for (std::uint64_t a = first; a < end;) {
    const std::uint64_t next_page = (a / k_model_page + 1) * k_model_page;
    const std::uint32_t page = page_of(a, group_of);
    if (page >= k_first_page)
      for (std::uint64_t b = a; b < std::min(end, next_page); b += line) {
        state.looked_at++;
        use(state, page, b, group_of);
      }
    a = next_page;
  }
}

// Whether an access of a range, of one row, begins in few pages only, none of which is looked at.
bool CacheModule::passed_over(const RangeAccess& a) const {
  constexpr std::uint64_t k_few = 4;
  std::uint64_t first = a.address, last = a.column(a.count - 1).address;
  if (a.step < 0) std::swap(first, last);
  if (last / k_model_page - first / k_model_page >= k_few || last < first || last > k_user_mask)
    return false;
  for (std::uint64_t page = first / k_model_page; page <= last / k_model_page; page++)
    if (pages_.get(page * k_model_page) != k_not_looked_at) return false;
  return true;
}

// The accesses of a range take turns, each by steps of the executions that stay
// on a line, or on a page that is not looked at.
void CacheModule::range(const Batch& batch, const Range& range, std::uint64_t row) {
  turns_.clear();
  for (const RangeAccess& x : batch.accesses_of(range)) {
    const RangeAccess a = x.row(row);
    if (a.count != 0 && a.width != 0 && !passed_over(a))
      turns_.emplace_back(x, sites_[a.site], a.address);
  }
  while (!turns_.empty()) {
    auto turn = std::min_element(turns_.begin(), turns_.end(), [](const Turn& a, const Turn& b) {
      return a.k < b.k;
    });
    const RangeAccess& a = *turn->access;
    const auto group = [&] { return a.group; };
    const std::uint64_t address = turn->start + turn->k * static_cast<std::uint64_t>(a.step);
    const std::uint32_t page = page_of(address, group);
    // Both are powers of two.
    const std::uint64_t unit = page < k_first_page ? k_model_page : geometry_.line;
    const std::uint64_t inside = address & (unit - 1);
    const std::uint64_t n =
        std::min(a.count - turn->k, turn->executions(a.step < 0 ? inside : unit - 1 - inside));
    if (page >= k_first_page) {
      turn->site->looked_at += n;
      use(*turn->site, page, address, group);
    }
    turn->k += n;
    if (turn->k >= a.count) turns_.erase(turn);
  }
}

// What would be blocks, were it not for other rows.
void CacheModule::short_row(const Batch& batch, const Range& range, std::uint64_t row,
                            std::uint64_t time) {
  const std::uint64_t last = time + range.count * range.size - 1;
  const bool begins = in_window(time), all = begins && time / k_window == last / k_window;
  if (!begins && !in_window(last)) return;
  for (std::uint64_t k = 0; k < range.count; k++)
    for (const RangeAccess& a : batch.accesses_of(range))
      if ((all || in_window(time++)) && a.width != 0)
        access(a.site, a.row(row).address + k * static_cast<std::uint64_t>(a.step), a.width,
               [&a] { return a.group; });
}

// MISSES of the executions that were looked at, for all.
std::uint64_t scaled(std::uint64_t misses, std::uint64_t all, std::uint64_t looked_at) {
  if (looked_at == 0) return 0;
  const auto product = static_cast<unsigned __int128>(misses) * all + looked_at / 2;
  return static_cast<std::uint64_t>(product / looked_at);
}

void CacheModule::finish(feedback::Profile& profile) {
  profile.run.caches = geometry_text(geometry_);
  for (std::size_t i = 0; i < std::size(llc_uses_); i++)
    end_llc_use(llc_uses_[next_llc_use_++ % std::size(llc_uses_)]);
  sites_.for_each([&](SiteId site, const SiteState& state) {
    const feedback::Id id = program_.site_id(site);
    if (state.looked_at == 0 || id == feedback::k_none) return;
    std::uint64_t all = program_.executions(site);
    if (state.wide != 0) all = scaled(state.wide_lines, all, state.wide);
    // Several groups of the run may be one group of the document.
    std::map<feedback::Id, feedback::Cache> rows;
    for (const Misses& m : state.groups) {
      const feedback::Id group = program_.group_id(m.group);
      feedback::Cache& row = rows[group];
      row.site = id;
      row.group = group;
      row.l1 += scaled(m.l1, all, state.looked_at);
      row.l2 += scaled(m.l2, all, state.looked_at);
      row.llc += scaled(m.llc, all, state.looked_at);
      row.tlb += scaled(m.tlb, all, state.looked_at);
    }
    // Looked at without a miss: that is worth knowing, too.
    if (rows.empty()) rows[feedback::k_none].site = id;
    for (const auto& [group, row] : rows) profile.cache.push_back(row);
  });
}

}  // namespace

std::unique_ptr<Module> make_cache(const ProgramInfo& program) {
  return std::make_unique<CacheModule>(program);
}

}  // namespace memprof::backend
