// dependence_loads.cc - loads of a range that read what was there before it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/dependence/dependence_loads.h"

#include <algorithm>

#include "runtime/backend/modules/dependence/dependence_count.h"

namespace memprof::backend {

void RangeLoads::load(SiteId site, std::uint64_t address, std::uint64_t width,
                            std::uint64_t count) {
  const Cell cell = search_.find(site, address, width, count);
  if (search_.gathers_ && writer_p(cell))
    search_.counting_->gather(search_.question_, site, cell, cell, count);
  else if (writer_p(cell))
    search_.answer({.kind = Answer::Kind::read, .sink = site, .cell = cell, .count = count});
}

void RangeLoads::load_each(const Loads& loads, std::uint64_t address,
                                 std::uint64_t m) {
  for (; m != 0; m--, address += loads.step) load(loads.site, address, loads.width);
}

// Loads in a page each: of those that read what one store wrote, one answer tells.
void RangeLoads::load_scattered(const Loads& loads) {
  std::uint64_t address = loads.address;
  for (std::uint64_t i = 0; i < loads.count;) {
    std::uint64_t n = 0;
    for (; i < loads.count && n < k_scattered; i++, address += loads.step)
      if (const Cell cell = search_.find(loads.site, address, loads.width); writer_p(cell)) {
        search_.out_->add_cell(cell);
        n++;
      }
    if (n != 0) search_.answer({.kind = Answer::Kind::cells, .sink = loads.site, .count = n});
  }
}

void RangeLoads::load_progression(const Loads& loads) {
  if (loads.width == 0 || loads.count == 0) return;
  if (loads.step == 0 || loads.count == 1) {
    load(loads.site, loads.address, loads.width, loads.count);
    return;
  }
  if (loads.step >= k_page && !search_.gathers_) {
    load_scattered(loads);
    return;
  }
  std::uint64_t address = loads.address;
  for (std::uint64_t left = loads.count; left != 0;) {
    const std::uint64_t offset = address % k_page;
    const std::uint64_t m =
        offset + loads.width > k_page
            ? 0
            : std::min(left, loads.more_in(k_page - loads.width - offset) + 1);
    if (m == 0) {  // bytes of two pages
      load(loads.site, address, loads.width);
      address += loads.step;
      left--;
      continue;
    }
    load_page(loads, address, m);
    address += m * loads.step;
    left -= m;
  }
}

// M loads that lie in one page.
void RangeLoads::load_page(const Loads& loads, std::uint64_t address,
                                 std::uint64_t m) {
  PageEntry& page = search_.shadow_.entry(address);
  if (page.empty()) return;
  if (const DensePage* dense = page.dense();
      page.compact() || (dense && dense->unlike != 0 &&
                         !aligned(address | loads.step, loads.width, k_granule_shift)))
    search_.shadow_.note_visits(page, m);
  if (m == 1)
    load(loads.site, address, loads.width);
  else if (page.list_p())
    load_list(loads, *page.list(), page.list()->size, address, m);
  else if (page.cells_p())
    load_cells(loads, page, address, m);
  else
    load_each(loads, address, m);
}

// As many of COUNT loads, from the one of CELL on, as read what one store wrote each: how
// many.
std::uint64_t RangeLoads::tell_cells(const Loads& loads, const Cell* cell,
                                           std::size_t second, std::size_t step,
                                           std::uint64_t count) {
  std::uint64_t n = 0;
  const auto one_writer = [&] { return *cell == cell[second] && writer_p(*cell); };
  if (search_.counting_) {
    search_.settle();
    SourcePlace place;
    while (n < count && one_writer()) {
      const std::uint64_t alike =
          search_.counting_->count_cells(search_.question_, loads.site, cell, second, step, count - n, place);
      n += alike;
      cell += alike * step;
    }
    return n;
  }
  Cell* const found = search_.out_->room(count);
  for (; n < count && one_writer(); n++, cell += step) found[n] = *cell;
  if (n == 0) return 0;
  search_.out_->end_cells(found + n);
  search_.out_->add({.kind = Answer::Kind::cells, .question = search_.question_, .sink = loads.site, .count = n});
  return n;
}

void RangeLoads::load_cells(const Loads& loads, PageEntry& page, std::uint64_t address,
                                  std::uint64_t m) {
  const unsigned shift = page.shift();
  if (!aligned(address | loads.step, loads.width, shift) || loads.width > 2u << shift) {
    load_each(loads, address, m);
    return;
  }
  const std::size_t first = address % k_page >> shift;
  const Cell* cell = page.cells() + first;
  const std::size_t second = (loads.width >> shift) - 1;
  const std::size_t step = loads.step >> shift;
  std::uint64_t i = 0;
  if (m >= SortedRuns::k_shortest && page.sortable_p()) {
    const auto small = [](std::size_t n) { return static_cast<std::uint16_t>(n); };
    const std::uint32_t n =
        page.sorted({small(first), small(step), small(second), small(m)});
    if (search_.counting_ && n != 0) {
      search_.settle();
      search_.counting_->count_sorted(search_.question_, loads.site, cell, step, n);
      i = n;
      cell += n * step;
    }
  }
  while (i < m) {
    if (const std::uint64_t n = tell_cells(loads, cell, second, step, m - i)) {
      i += n;
      cell += n * step;
    }
    for (; i < m && (*cell | cell[second]) == 0; i++) cell += step;
    for (; i < m && (*cell != cell[second] || unlike_p(*cell)); i++, cell += step)
      load(loads.site, address + i * loads.step, loads.width);
  }
}

// COUNT loads read what a site wrote at the time of CELL and every PACE ticks from then.
void RangeLoads::progression(SiteId sink, Cell cell, std::int64_t pace,
                                   std::uint64_t count) {
  if (!writer_p(cell)) return;
  const Cell last = later(cell, pace * static_cast<std::int64_t>(count - 1));
  const auto [least, most] = std::minmax(cell, last);
  if (!search_.gathers_ || !search_.counting_->gather(search_.question_, sink, least, most, count))
    search_.answer({.kind = Answer::Kind::progression, .sink = sink, .cell = cell, .step = pace,
            .count = count});
}

// M loads in a page with a list, of which the segments [0, older) matter; their step is less than
// a page.
void RangeLoads::load_list(const Loads& loads, const SegmentList& list,
                                 std::uint32_t older, std::uint64_t address,
                                 std::uint64_t m) {
  const std::uint64_t step = loads.step, width = loads.width;
  const std::uint64_t begin = address % k_page;
  const std::uint64_t end = begin + (m - 1) * step + width;
  while (older != 0) {
    const Segment& s = list.items[--older];
    if (end <= s.first || begin >= s.end) continue;
    // The loads [i, j) meet the segment's interval.
    const std::uint64_t i =
        begin + width > s.first ? 0 : loads.more_in(s.first - width - begin) + 1;
    const std::uint64_t j = std::min(m, loads.more_in(s.end - 1 - begin) + 1);
    if (i >= j) continue;
    if (i != 0) load_list(loads, list, older, address, i);
    if (j != m) load_list(loads, list, older, address + j * step, m - j);
    address += i * step;
    const std::uint64_t first = begin + i * step, n = j - i;
    const std::uint64_t last_end = first + (n - 1) * step + width;
    const bool inside = first >= s.first && last_end <= s.end;
    const auto offset = static_cast<std::uint32_t>(first);
    const std::uint32_t store = inside ? s.index(offset) : 0;
    const std::uint32_t place = inside ? offset - s.first - store * s.step : 0;
    const std::uint32_t stores = steps_in(step, s.reciprocal);  // from a load to the next
    const bool in_step = std::uint64_t{stores} * s.step == step;
    if (n > 1 && !inside) {
      // The first and last ones may stick out.
      const std::uint64_t head = first < s.first ? 1 : 0;
      if (head) load(loads.site, address, width);
      const std::uint64_t tail = last_end > s.end && n > head ? 1 : 0;
      if (tail) load(loads.site, address + (n - 1) * step, width);
      if (n > head + tail)
        load_list(loads, list, older + 1, address + head * step, n - head - tail);
    } else if (inside && s.reciprocal == 0) {
      progression(loads.site, s.cell(0), 0, n);
    } else if (inside && in_step && place + width <= s.width) {
      progression(loads.site, s.cell(store), std::int64_t{stores} * s.pace, n);
    } else if (inside && in_step && place >= s.width &&
               place + width <= s.step) {
      load_list(loads, list, older, address, n);  // between the stores
    } else {
      load_each(loads, address, n);
    }
    return;
  }
}

void RangeLoads::load_row(const RangeAccess& a, std::uint64_t count) {
  if (count == 0) return;
  Loads loads{a.site, a.address, magnitude(a.step), count, a.width};
  if (a.step < 0) loads.address -= (count - 1) * loads.step;
  load_progression(loads);
}

}  // namespace memprof::backend
