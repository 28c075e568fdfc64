// pages.cc - profiling module: what pages cost, by object and thread.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which objects make the processor walk its page tables, and which make it read from memory?
// That decides what is worth huge pages. The original (Chen et al.) watches the bus between the
// last-level cache and memory with a card, and knows pages and objects from the kernel and from
// malloc. Here the accesses go through a model:
//
//     access ─► TLBs of the thread ─ miss ─► walk: 1 to 4 entries of page tables ─┐
//        └──────────────────► last-level cache, of lines and of such entries ◄────┘
//                                   └─ miss: a request to memory; a changed line that
//                                      is replaced: a write-back, for the object that changed it last
//
// For each object of at least 4 KB (others together) and each thread it counts (page_phases.h: when)
//
//     reads, writes     accesses
//     walks             the page was in no TLB
//     walk_refs         entries that these read
//     walk_dram         ... that were not in the cache: what the card sees
//     requests          lines read from memory, write_backs, and changed lines left in the end
//
// Example: 2048 pages, each read once, in order: 2048 walks; 2048 + 4 + 3 entries, because each of
// four tables has 512 and the upper levels are remembered; 256 from memory: a line holds eight.
//
// Sampling. It looks at stretches of 32 KB, whose eight entries are one line of page tables, one
// in eight (sampled_accesses.h). What is seen is scaled in two
// steps: per site to its executions, which gives the sums of each group; these are dealt out to
// objects and threads as what was seen. `variance' is the sum of two: between windows, and of the
// choice of stretches.
//
// Where memory lies differs between runs. Addresses are moved by whole pages, so that the
// first page that is touched of the heap, of mapped memory and of the program has the same
// one in each run, at the beginning of a huge page.
//
// Threads. TLBs belong to a thread. What the cache sees of several threads depends on their
// order, of which the stream knows little. Two orders are modelled: as it was read, long
// stretches of one thread; and dealt, access by access in turns, within a window of 2^18. What
// differs between them is not known.
//
// pages:pagemap is the same model with the sizes of pages that /proc/PID/pagemap shows
// (page_frames.h), and writes their frames beside the profile.
//
// What it does not do: private caches before the last level, prefetching by hardware, accessed and dirty
// bits of page tables, the kernel's accesses, nested page tables of virtual machines, the stack.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "runtime/backend/modules/pages/page_frames.h"
#include "runtime/backend/modules/pages/page_geometry.h"
#include "runtime/backend/modules/pages/page_phases.h"
#include "runtime/backend/modules/pages/page_rows.h"
#include "runtime/backend/modules/pages/page_sizes.h"
#include "runtime/backend/modules/pages/page_walker.h"
#include "runtime/backend/modules/pages/recent_lines.h"
#include "runtime/backend/modules/pages/sampled_pages.h"
#include "runtime/backend/modules/sampled_accesses.h"

namespace memprof::backend {
namespace {

constexpr int k_unit_bits = 15;
// Threads after these count as one.
constexpr std::uint32_t k_most_threads = 256;
// Rows while the program runs; objects that come later count with the others of their group.
constexpr std::size_t k_most_rows = 1 << 18;
// Lines of page tables have numbers from here on.
constexpr std::uint32_t k_first_table_line = 1u << 31;

// The orders of threads.
enum Order : unsigned { as_read, dealt, k_orders };

// What is counted for a site and group, and for a row.
constexpr unsigned reads = 0, writes = 1, walks = 2, walk_refs = 3;
constexpr unsigned requests = 4, walk_dram = requests + k_orders;  // and the order
constexpr unsigned k_figures = walk_dram + k_orders;
using Figures = std::array<std::uint64_t, k_figures>;

struct GroupFigures {
  GroupId group;
  Figures figures{};
};

struct PageSite : SampledSite {
  std::vector<GroupFigures> groups;
  // Of the last access: place, thread, and where it is counted.
  std::uint32_t object = 0, thread = ~0u, row = 0, group_at = 0;
  GroupId group = 0;
};

struct PageRow {
  GroupId group;
  std::uint32_t object, thread;
  Figures figures{};
  std::uint64_t write_backs[k_orders] = {}, left[k_orders] = {};
  // Walks by window: of the last one, sum of the squares of those before.
  std::uint64_t window = 0, in_window = 0;
  double window_squares = 0, unit_squares = 0;

  void end_window() {
    window_squares += static_cast<double>(in_window) * static_cast<double>(in_window);
    in_window = 0;
  }
};

struct Core {
  PageWalker walker;
  std::uint32_t last_line = 0, last_page = 0;
  bool last_changed = false;
  std::uint64_t turn = 0, turns_of = 0;  // executions that were looked at, in which window

  explicit Core(const PageGeometry& geometry) : walker(geometry) {}
};

// A use of the last-level cache.
struct SharedUse {
  std::uint64_t turn;
  PageSite* site;
  std::uint32_t thread, line, row, group_at;
  bool store, walk;
};

PageGeometry geometry_for(const ProgramInfo& program, feedback::PageSource source) {
  PageGeometry g = machine_pages();
  // Bursts are few: all of them is looked at.
  if (program.sampled()) g.sample = g.window = 1;
  // The frame of a page is looked up when the page is seen first.
  if (source == feedback::PageSource::pagemap) g.window = 1;
  const std::string_view parts = program.option("pages");
  if (!parse_geometry(parts, g))
    program.note("pages=" + std::string(parts) + " makes no sense; modelling this machine's TLB");
  return g;
}

CacheLevel lines_of(const PageGeometry& g) { return {g.llc.size / g.line, g.llc.ways}; }

class PagesModule final : public SampledAccesses<PagesModule, PageSite, Core, k_unit_bits> {
 public:
  static constexpr std::uint64_t k_most_lines = k_first_table_line;

  // SOURCE: model, or pagemap if the kernel tells.
  PagesModule(const ProgramInfo& program, feedback::PageSource source)
      : PagesModule(program, geometry_for(program, source), source) {}

  void finish(feedback::Profile& profile) override;
  void derive(feedback::Profile& profile) override {
    if (program_.sampled()) fit_to_reuse(geometry_, profile);
    phases_.add_rows(program_, profile);
  }

  std::unique_ptr<Core> make_core() const { return std::make_unique<Core>(geometry_); }
  void new_unit(std::uint32_t unit) {
    unit_walks_.resize(unit + 1);
    sizes_.touched(unit);
  }
  void looked_at(PageSite& site, std::uint64_t n, bool store, auto place);
  void use(PageSite& site, std::uint32_t unit, std::uint64_t address, bool store, auto place);
  std::uint64_t translated(std::uint64_t address) const {
    return address + (address >= heap_begin_ && address < heap_end_ ? heap_shift_
                                                                    : shifts_[area_of(address)]);
  }
  bool meets(std::uint64_t address, feedback::GroupKind kind);

 private:
  PagesModule(const ProgramInfo& program, const PageGeometry& g, feedback::PageSource source)
      : SampledAccesses(program, g.line, g.sample, g.window),
        geometry_(g),
        asked_(source),
        sizes_(file_of(program, "/smaps")),
        frames_(source == feedback::PageSource::pagemap ? file_of(program, "/pagemap") : "",
                "/proc/kpageflags"),
        shared_{RecentLines(lines_of(g), g.sample), RecentLines(CacheLevel{})},
        phases_(program.sampled() ? 1 : k_window * g.window) {}

  static std::string file_of(const ProgramInfo& program, const char* name) {
    const std::string folder = program.process();
    return folder.empty() ? folder : folder + name;
  }
  static unsigned area_of(std::uint64_t address) { return address >> 44 & 7; }
  // To the middle of its area; the heap of brk has a quarter for itself.
  static std::uint64_t shift_of(std::uint64_t address, unsigned bit) {
    return (std::uint64_t{area_of(address)} << 44 | std::uint64_t{1} << bit) -
           (address & ~(k_model_page - 1));
  }

  void begin_window(std::uint64_t number);
  void find(PageSite& site, const AccessPlace& place);
  std::uint32_t row_of(GroupId group, std::uint32_t object, std::uint32_t thread);
  void count(PageSite& site, unsigned figure, std::uint64_t n);
  void translate(PageSite& site, std::uint32_t unit, std::uint64_t address);
  void count_walk(PageSite& site, std::uint32_t unit, unsigned levels);
  std::uint32_t table_line(unsigned level, std::uint64_t address);
  void share(PageSite& site, std::uint32_t line, bool store, bool walk);
  void use_shared(Order order, const SharedUse& use);
  void begin_dealing();
  void deal();
  void end();
  feedback::PageSource source() const {
    return frames_.readable() ? asked_ : feedback::PageSource::model;
  }
  std::uint32_t huge_page(std::uint64_t address) const {
    return frames_.readable() ? frames_.huge_page(address) : sizes_.huge_page(address);
  }
  void put_frames();
  std::map<GroupId, Figures> group_sums(std::map<GroupId, Figures>& seen);
  feedback::Pages row_of_document(const PageRow& row, const Figures& all, const Figures& seen) const;
  double relative_variance(const PageRow& row) const;

  const PageGeometry geometry_;
  const feedback::PageSource asked_;
  PageSizes sizes_;
  PageFrames frames_;
  // By area of 2^44 bytes: by how much its addresses are moved; of the heap within one.
  std::uint64_t shifts_[8] = {};
  bool met_[8] = {};
  std::uint64_t heap_begin_ = ~std::uint64_t{0}, heap_end_ = 0, heap_shift_ = 0;
  RecentLines shared_[k_orders];
  std::uint32_t one_thread_ = ~0u;  // that all accesses so far are of
  bool dealing_ = false;            // there were several
  std::vector<SharedUse> undealt_;
  // Windows of 2^18 accesses; of few in sample mode, whose bursts are short.
  const unsigned window_bits_ = program_.sampled() ? 12 : 18;
  std::uint64_t window_ = ~std::uint64_t{0}, windows_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> table_lines_;
  std::vector<std::uint32_t> unit_walks_;
  PagePhases phases_;
  std::vector<PageRow> rows_;
  std::map<std::tuple<GroupId, std::uint32_t, std::uint32_t>, std::uint32_t> row_numbers_;
};

// The heap of brk lies after the program, at a distance that differs between runs.
bool PagesModule::meets(std::uint64_t address, feedback::GroupKind kind) {
  constexpr unsigned k_mapped = 7;
  if (address >> k_address_bits == 0) frames_.touched(address);
  const unsigned area = area_of(address);
  if (kind == feedback::GroupKind::heap && area != k_mapped && address < heap_begin_) {
    if (heap_end_ == 0) {
      heap_end_ = static_cast<std::uint64_t>(area + 1) << 44;
      heap_shift_ = shift_of(address, 42);
    } else if (address >> 44 != (heap_end_ - 1) >> 44) {
      return false;
    }
    heap_begin_ = address & ~(k_model_page - 1);
    return true;
  }
  if (met_[area] || (address >= heap_begin_ && address < heap_end_)) return false;
  met_[area] = true;
  shifts_[area] = shift_of(address, 43);
  return true;
}

std::uint32_t PagesModule::row_of(GroupId group, std::uint32_t object, std::uint32_t thread) {
  if (rows_.size() >= k_most_rows && !row_numbers_.contains({group, object, thread})) object = 0;
  const auto [at, fresh] = row_numbers_.try_emplace({group, object, thread},
                                                    static_cast<std::uint32_t>(rows_.size()));
  if (fresh) rows_.push_back({group, object, thread});
  return at->second;
}

// Where SITE's access to PLACE is counted.
void PagesModule::find(PageSite& site, const AccessPlace& place) {
  const std::uint32_t object = object_number(place.object, place.object_bytes);
  const std::uint32_t thread = std::min(this->thread(), k_most_threads - 1);
  if (site.thread == thread && site.group == place.group && site.object == object) return;
  site.thread = thread;
  site.group = place.group;
  site.object = object;
  site.row = row_of(place.group, object, thread);
  site.group_at = 0;
  while (site.group_at < site.groups.size() && site.groups[site.group_at].group != place.group)
    site.group_at++;
  if (site.group_at == site.groups.size()) site.groups.push_back({place.group});
}

void PagesModule::count(PageSite& site, unsigned figure, std::uint64_t n) {
  site.groups[site.group_at].figures[figure] += n;
  rows_[site.row].figures[figure] += n;
}

void PagesModule::begin_window(std::uint64_t number) {
  window_ = number;
  windows_++;
  if (dealing_) deal();
}

void PagesModule::looked_at(PageSite& site, std::uint64_t n, bool store, auto place) {
  phases_.reach(program_.sampled() ? clock() : now());
  const std::uint64_t window = now() >> window_bits_;
  if (window != window_) begin_window(window);
  Core& c = core();
  if (c.turns_of != window) c.turn = 0;
  c.turns_of = window;
  c.turn += n;
  find(site, place());
  count(site, store ? writes : reads, n);
}

void PagesModule::use(PageSite& site, std::uint32_t unit, std::uint64_t address, bool store,
                      auto) {
  Core& c = core();
  const std::uint32_t line = line_of(unit, translated(address));
  if (line == c.last_line && (c.last_changed || !store)) return;
  if (line != c.last_line) translate(site, unit, address);
  c.last_changed = store || (line == c.last_line && c.last_changed);
  c.last_line = line;
  share(site, line, store, false);
}

// The page of ADDRESS is accessed.
void PagesModule::translate(PageSite& site, std::uint32_t unit, std::uint64_t address) {
  constexpr unsigned k_pages_bits = k_unit_bits - 12;
  Core& c = core();
  const std::uint64_t moved = translated(address);
  const std::uint32_t huge = huge_page(address);
  const std::uint32_t small =
      unit << k_pages_bits | static_cast<std::uint32_t>(moved >> 12 & ((1u << k_pages_bits) - 1));
  const std::uint32_t page = huge != 0 ? ~huge : small;
  if (page == c.last_page) return;
  c.last_page = page;
  const unsigned levels = c.walker.access({huge != 0 ? huge : small, moved, huge != 0});
  if (levels == 0) return;
  count_walk(site, unit, levels);
  const unsigned lowest = huge != 0 ? 1 : 0;
  for (unsigned level = lowest + levels; level-- > lowest;)
    share(site, table_line(level, moved), false, true);
}

void PagesModule::count_walk(PageSite& site, std::uint32_t unit, unsigned levels) {
  count(site, walks, 1);
  phases_.count(site.group, PagePhases::walks);
  count(site, walk_refs, levels);
  PageRow& row = rows_[site.row];
  if (row.window != window_) row.end_window();
  row.window = window_;
  row.in_window++;
  row.unit_squares += 2.0 * unit_walks_[unit]++ + 1;
}

// Of the entry of LEVEL for ADDRESS.
std::uint32_t PagesModule::table_line(unsigned level, std::uint64_t address) {
  constexpr std::uint64_t k_entry_bytes = 8;
  const std::uint64_t entry = address >> page_table_shift(level);
  const std::uint64_t key = entry * k_entry_bytes / geometry_.line << 2 | level;
  const auto next = k_first_table_line + static_cast<std::uint32_t>(table_lines_.size());
  return table_lines_.try_emplace(key, next).first->second;
}

void PagesModule::share(PageSite& site, std::uint32_t line, bool store, bool walk) {
  const std::uint32_t thread = this->thread();
  if (one_thread_ == ~0u) one_thread_ = thread;
  if (thread != one_thread_ && !dealing_) begin_dealing();
  const SharedUse use{core().turn, &site, thread, line, site.row, site.group_at, store, walk};
  use_shared(as_read, use);
  if (dealing_) undealt_.push_back(use);
}

void PagesModule::use_shared(Order order, const SharedUse& use) {
  const RecentLines::Use found = shared_[order].use(use.line, use.row, use.store);
  if (found.hit) return;
  const unsigned figure = (use.walk ? walk_dram : requests) + order;
  if (!use.walk && order == as_read) phases_.count(rows_[use.row].group, PagePhases::requests);
  use.site->groups[use.group_at].figures[figure]++;
  rows_[use.row].figures[figure]++;
  if (found.evicted.changed) rows_[found.evicted.owner].write_backs[order]++;
}

// There is a second thread: up to now both orders were the same.
void PagesModule::begin_dealing() {
  dealing_ = true;
  shared_[dealt] = shared_[as_read];
  const auto copy = [](Figures& f) {
    f[requests + dealt] = f[requests + as_read];
    f[walk_dram + dealt] = f[walk_dram + as_read];
  };
  sites_.for_each([&](SiteId, PageSite& site) {
    for (GroupFigures& g : site.groups) copy(g.figures);
  });
  for (PageRow& row : rows_) {
    copy(row.figures);
    row.write_backs[dealt] = row.write_backs[as_read];
  }
}

// Threads take turns at the window that has ended.
void PagesModule::deal() {
  std::stable_sort(undealt_.begin(), undealt_.end(), [](const SharedUse& a, const SharedUse& b) {
    return std::tie(a.turn, a.thread) < std::tie(b.turn, b.thread);
  });
  for (const SharedUse& use : undealt_) use_shared(dealt, use);
  undealt_.clear();
}

// There will be no more.
void PagesModule::end() {
  if (!dealing_) begin_dealing();
  deal();
  for (const Order order : {as_read, dealt})
    shared_[order].for_each([&](const RecentLines::Line& line) {
      if (line.changed) rows_[line.owner].left[order]++;
    });
  for (PageRow& row : rows_) row.end_window();
}

// For each group what all executions of its sites make; SEEN: what was looked at.
std::map<GroupId, Figures> PagesModule::group_sums(std::map<GroupId, Figures>& seen) {
  std::map<GroupId, Figures> sums;
  sites_.for_each([&](SiteId id, const PageSite& site) {
    if (site.looked_at == 0) return;
    const std::uint64_t all = all_uses(site, program_.executions(id)) * program_.times(id);
    for (const GroupFigures& g : site.groups)
      for (unsigned f = 0; f < k_figures; f++) {
        sums[g.group][f] += scaled(g.figures[f], all, site.looked_at);
        seen[g.group][f] += g.figures[f];
      }
  });
  return sums;
}

// How far walks may be off, as the square of a share.
double PagesModule::relative_variance(const PageRow& row) const {
  const double n = static_cast<double>(windows_);
  const double sum = static_cast<double>(row.figures[walks]);
  if (sum == 0) return 0;
  double variance = row.unit_squares * (1 - 1.0 / geometry_.sample);
  if (n > 1 && (geometry_.window > 1 || program_.sampled()))
    variance += n / (n - 1) * std::max(0.0, row.window_squares - sum * sum / n);
  return variance / (sum * sum);
}

feedback::Pages PagesModule::row_of_document(const PageRow& row, const Figures& all,
                                             const Figures& seen) const {
  const auto figure = [&](unsigned f) { return scaled(row.figures[f], all[f], seen[f]); };
  const auto written = [&](std::uint64_t n) {
    return scaled(n, all[reads] + all[writes], seen[reads] + seen[writes]);
  };
  feedback::Pages r;
  r.group = program_.group_id(row.group);
  r.object = row.object;
  r.thread = row.thread;
  r.source = source();
  r.reads = figure(reads);
  r.writes = figure(writes);
  r.walks = figure(walks);
  r.walk_refs = figure(walk_refs);
  r.variance = static_cast<std::uint64_t>(
      std::min(relative_variance(row) * static_cast<double>(r.walks) *
                   static_cast<double>(r.walks) + 0.5, 1e18));
  const auto memory = [&](Order order) {
    return feedback::Pages::Memory{
        figure(requests + order), written(row.write_backs[order]), written(row.left[order]),
        std::min(figure(walk_dram + order), r.walk_refs)};
  };
  r.memory = memory(dealt);
  r.as_read = memory(as_read);
  return r;
}

// What `memprof trace' reads, or why there is nothing.
void PagesModule::put_frames() {
  if (asked_ != feedback::PageSource::pagemap) return;
  if (!frames_.readable()) {
    program_.note("pages:pagemap: the kernel shows no frames of this program (that takes a running "
                  "one, and CAP_SYS_ADMIN); the figures are those of the module pages");
    return;
  }
  const auto status = write_frames(frames_.frames(pid_of(program_.process())),
                                   frames_path(program_.profile_path()));
  if (!status) program_.note(status.error().text());
}

void PagesModule::finish(feedback::Profile& profile) {
  const char* const sizes = source() == feedback::PageSource::pagemap ? "pagemap"
                            : sizes_.known()                          ? "smaps"
                                                                      : "4K";
  profile.run.pages = std::string("sizes=") + sizes + ',' + geometry_text(geometry_);
  put_frames();
  end();
  std::map<GroupId, Figures> seen;
  const auto all = group_sums(seen);
  std::vector<feedback::Pages> rows;
  for (const PageRow& row : rows_)
    if (const auto at = all.find(row.group); at != all.end())
      rows.push_back(row_of_document(row, at->second, seen[row.group]));
  put_rows(std::move(rows), profile);
}

}  // namespace

std::unique_ptr<Module> make_pages(const ProgramInfo& program) {
  return std::make_unique<PagesModule>(program, feedback::PageSource::model);
}
std::unique_ptr<Module> make_pages_pagemap(const ProgramInfo& program) {
  return std::make_unique<PagesModule>(program, feedback::PageSource::pagemap);
}

}  // namespace memprof::backend
