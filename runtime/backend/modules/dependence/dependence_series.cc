// dependence_series.cc - blocks of one descriptor, one access after the other.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/dependence/dependence_series.h"

#include <algorithm>
#include <bit>

#include "runtime/backend/modules/dependence/dependence_count.h"
#include "runtime/wire/record.h"

namespace memprof::backend {

// Whether no store shares a byte with another access.
bool SeriesSearch::apart(const BlockSeries& series) {
  const auto entries = series.entries();
  if (std::ranges::none_of(entries,
                           [](const BlockEntry& e) { return e.kind == EventKind::store; }))
    return true;
  Hull hulls[MPRT_MAX_ENTRIES];
  for (std::size_t n = 0; n < entries.size(); n++) {
    Hull& hull = hulls[n] = {~std::uint64_t{0}, 0};
    series.for_each(entries[n], [&](std::uint64_t address) {
      hull.low = std::min(hull.low, address);
      hull.high = std::max(hull.high, address);
    });
    hull.high += entries[n].width;
  }
  for (std::size_t n = 0; n < entries.size(); n++)
    for (std::size_t k = 0; k < entries.size(); k++)
      if (entries[n].kind == EventKind::store && n != k && hulls[n].meets(hulls[k])) return false;
  return true;
}

// What N accesses of WIDTH bytes, which lie STEP apart in PAGE, find, if each has one cell.
// False: it has not.
bool SeriesSearch::copy_cells(PageEntry page, std::uint64_t address, std::uint64_t step,
                                  std::uint64_t width, std::size_t n, Cell* out) {
  if (page.empty()) {
    std::fill_n(out, n, Cell{0});
    return true;
  }
  if (!page.cells_p() || width > std::uint64_t{1} << page.shift() || !std::has_single_bit(width) ||
      ((address | step) & (width - 1)) != 0)
    return false;
  const Cell* const cells = page.cells();
  const unsigned shift = page.shift();
  std::uint64_t offset = address % k_page;
  bool unlike = false;
  for (std::size_t i = 0; i < n; i++, offset += step) {
    out[i] = cells[offset >> shift];
    unlike |= unlike_p(out[i]);
  }
  return !unlike;
}

Cell* SeriesSearch::ask_each(const BlockSeries& series, const BlockEntry& entry, Cell* cell) {
  constexpr std::size_t k_ahead = 10;
  const std::uint64_t* word = series.words + entry.word;
  const std::size_t words = series.desc.words;
  const std::uint64_t width = entry.width;
  if (const auto step = series.step(entry)) {
    std::uint64_t address = *word + entry.offset;
    const std::uint64_t last = address + (series.count - 1) * *step;
    if (address / k_page == (last + width - 1) / k_page &&
        copy_cells(search_.shadow_.page(address), address, *step, width, series.count, cell))
      return cell + series.count;
  }
  std::uint64_t number = ~std::uint64_t{0}, asked_for = 0;
  PageEntry page;
  for (std::size_t i = 0; i < series.count; i++, word += words) {
    if (i + k_ahead < series.count) {
      const std::uint64_t ahead = word[k_ahead * words] + entry.offset;
      if (ahead / 64 != asked_for) search_.shadow_.prefetch(ahead);
      asked_for = ahead / 64;
    }
    const std::uint64_t address = *word + entry.offset;
    if (address / k_page != number) {
      number = address / k_page;
      page = search_.shadow_.page(address);
    }
    *cell = ShadowMemory::writer(page, address, width);
    if (!writer_p(*cell) && *cell != 0) [[unlikely]] {
      *cell = search_.find_slow(entry.site, address, width, 1);
      if (*cell == Answers::k_in_list) return nullptr;
      number = ~std::uint64_t{0};  // the page may have another form
    }
    cell++;
  }
  return cell;
}

void SeriesSearch::put_each(const BlockSeries& series, const BlockEntry& entry) {
  const Stamp before = search_.clock_;
  series.for_each(entry, [&](std::uint64_t address) {
    search_.clock_ += search_.tick_;
    search_.put(entry, address);
  });
  search_.clock_ = before;
}

Cell* SeriesSearch::run(const BlockSeries& series, Cell* cell) {
  if (!apart(series)) return nullptr;
  const std::size_t answers = search_.out_->answers();
  for (const BlockEntry& e : series.entries()) {
    if (e.kind != EventKind::load) continue;
    cell = ask_each(series, e, cell);
    if (!cell) {
      search_.out_->take_back(answers);
      return nullptr;
    }
  }
  for (const BlockEntry& e : series.entries())
    if (e.kind == EventKind::store) put_each(series, e);
  search_.clock_ += series.count * search_.tick_;
  return cell;
}

// COUNT executions of SINK, each in an iteration of its own of one loop. Whether some cells
// are of BEGIN or later; these are left out.
bool DependenceCount::count_before(Stamp begin, SiteId sink, const Cell* cell,
                                   std::uint64_t count, SourcePlace& place) {
  bool later = false;
  for (const Cell* const end = cell + count; cell < end;) {
    if (*cell != 0 && cell_stamp(*cell) < begin) {
      cell += count_cells(Question::last_writer, sink, cell, 0, 1,
                          static_cast<std::uint64_t>(end - cell), place);
      continue;
    }
    later |= *cell != 0;
    cell++;
  }
  return later;
}

const Cell* DependenceCount::series(const BlockSeries& series, const Cell* cells, Answers& in) {
  const LoopId id = series.desc.loop;
  const auto loads = [&](auto&& fn) {
    const Cell* column = cells;
    for (const BlockEntry& e : series.entries())
      if (e.kind == EventKind::load) fn(e.site, std::exchange(column, column + series.count));
    return column;
  };
  const ActiveLoop& loop = thread_->loops.innermost();
  // The writer before the loop began, if it is known.
  const Stamp begin = loop.id == id ? loop.entered + 1 : 0;
  bool inside = false;
  SourcePlace place;
  const Cell* const end = loads([&](SiteId site, const Cell* column) {
    inside |= count_before(begin, site, column, series.count, place);
  });
  if (!inside) {
    thread_->loops.iterate(id, clock_ + 1, series.count);
    clock_ += series.count;
    return end;
  }
  for (std::size_t i = 0; i < series.count; i++) {
    iterate(id);
    loads([&](SiteId site, const Cell* column) {
      if (cell_stamp(column[i]) >= begin) count(Question::last_writer, site, column[i], in);
    });
  }
  return end;
}

}  // namespace memprof::backend
