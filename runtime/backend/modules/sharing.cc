// sharing.cc - cache lines that threads take from each other.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each thread has a copy of a line from its first access on, as in a private cache
// without an end. What another thread writes makes the copy stale, byte by byte; the
// next access with a stale copy fetches the line again. If it touches a byte that
// was written meanwhile, threads communicate: *true* sharing. If not, they only
// happen to use neighbours, and would not meet if these lay apart: *false* sharing.
//
//     struct { long hits, misses; } c;     thread 1: c.hits++, thread 2: c.misses++
//     writes 0..7   stale[2] = 0..7
//                                          reads 8..15: not stale, but the line is:
//                                          false, by what thread 1 stored
//
// Counted per site and the store of another thread that wrote the line last, in the
// order in which the backend sees them: that of the tickets, and between two
// tickets one thread after the other. So rows are real, but counts are the fewest
// for threads that run side by side without locks. What a thread wrote that has ended counts as well:
// the order of the tickets does not say whether it was waited for. Nothing is kept before a second thread accesses memory:
// when it starts cannot be foreseen.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "runtime/backend/base/sparse_table.h"
#include "runtime/backend/event/module.h"

namespace memprof::backend {
namespace {

constexpr std::uint64_t k_line = 64;
constexpr int k_page_bits = 12;

struct Copy {
  std::uint32_t thread;
  std::uint64_t stale = 0;    // bytes that others have written since its last access
  std::uint64_t written = 0;  // bytes that it has written
};

struct Line {
  std::vector<Copy> copies;
  std::uint64_t written = 0;  // by threads that have ended
  SiteId writer = 0;  // last store
};

class SharingModule final : public Module {
 public:
  explicit SharingModule(const ProgramInfo& program) : program_(program) {
    lines_.emplace_back();  // number 0: none
  }

  bool reads_columns() const override { return false; }
  void consume(const Batch& batch) override {
    for (const Event& e : batch.events)
      if (e.kind == EventKind::thread) {
        thread_ = e.index;
      } else if (!several_ && thread_ == 0) {
        continue;
      } else if (e.kind == EventKind::range || e.kind == EventKind::block) {
        for_each(batch, e, [&](const Event& x) { event(x, x.short_width); });
      } else {
        event(e, batch.width(e));
      }
  }

  void finish(feedback::Profile& profile) override {
    std::map<std::pair<feedback::Id, feedback::Id>, feedback::Sharing> sums;
    for (const auto& [key, row] : rows_) {
      const feedback::Id site = program_.site_id(key.first);
      const feedback::Id source = program_.site_id(key.second);
      if (site == feedback::k_none || source == feedback::k_none) continue;
      feedback::Sharing& sum = sums[{site, source}];
      sum.site = site;
      sum.source = source;
      sum.same_bytes += row.same_bytes;
      sum.other_bytes += row.other_bytes;
    }
    for (const auto& [key, sum] : sums) profile.sharing.push_back(sum);
  }

 private:
  void event(const Event& e, std::uint64_t width);
  void forget(std::uint64_t address, std::uint64_t width);
  void access(Line& line, const Event& e, std::uint64_t bytes);
  Copy& copy_of(Line& line);

  // Calls fn(number of the line, mask of its bytes) for [address, address + width).
  template <typename Fn>
  static void for_lines(std::uint64_t address, std::uint64_t width, Fn&& fn) {
    for (std::uint64_t end = address + width; address < end;) {
      const std::uint64_t first = address % k_line;
      const std::uint64_t n = std::min(end - address, k_line - first);
      fn(address, (n == k_line ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << first);
      address += n;
    }
  }

  const ProgramInfo& program_;
  std::uint32_t thread_ = 0;
  bool several_ = false;  // threads have accessed memory
  std::vector<bool> ended_;
  SparseTable<std::uint32_t, 6> numbers_;  // of lines
  SparseTable<bool, k_page_bits> pages_;  // that have lines
  std::vector<Line> lines_;
  std::map<std::pair<SiteId, SiteId>, feedback::Sharing> rows_;
};

void SharingModule::event(const Event& e, std::uint64_t width) {
  switch (e.kind) {
    case EventKind::load:
    case EventKind::store:
      several_ |= thread_ != 0;
      for_lines(e.address, width, [&](std::uint64_t address, std::uint64_t bytes) {
        std::uint32_t& number = numbers_.at(address);
        if (number == 0) {
          number = static_cast<std::uint32_t>(lines_.size());
          lines_.emplace_back();
          pages_.at(address) = true;
        }
        access(lines_[number], e, bytes);
      });
      break;
    case EventKind::birth:
    case EventKind::death:
    case EventKind::local_birth: forget(e.address, width); break;
    case EventKind::thread_end:
      if (thread_ >= ended_.size()) ended_.resize(thread_ + 1);
      ended_[thread_] = true;
      break;
    default: break;
  }
}

// The bytes [address, address + width) are of another object, or of none. There may be many, and few of them
// may have been accessed.
void SharingModule::forget(std::uint64_t address, std::uint64_t width) {
  pages_.for_set(address, address + width, [this](std::uint64_t first, std::uint64_t end) {
    for_lines(first, end - first, [this](std::uint64_t place, std::uint64_t bytes) {
      Line& line = lines_[numbers_.get(place)];
      line.written &= ~bytes;
      for (Copy& copy : line.copies) copy.stale &= ~bytes, copy.written &= ~bytes;
    });
  });
}

// The copy of this thread; if it is new, all that others have written is stale.
Copy& SharingModule::copy_of(Line& line) {
  std::uint64_t written = line.written;
  for (Copy& copy : line.copies) {
    if (copy.thread == thread_) return copy;
    written |= copy.written;
  }
  std::erase_if(line.copies, [&](const Copy& copy) {
    const bool over = copy.thread < ended_.size() && ended_[copy.thread];
    if (over) line.written |= copy.written;
    return over;
  });
  line.copies.push_back({thread_, written});
  return line.copies.back();
}

void SharingModule::access(Line& line, const Event& e, std::uint64_t bytes) {
  Copy& own = copy_of(line);
  if (own.stale != 0) {
    feedback::Sharing& row = rows_[{e.site, line.writer}];
    ++(own.stale & bytes ? row.same_bytes : row.other_bytes);
  }
  own.stale = 0;
  if (e.kind != EventKind::store) return;
  own.written |= bytes;
  for (Copy& copy : line.copies)
    if (copy.thread != thread_) copy.stale |= bytes, copy.written &= ~bytes;
  line.writer = e.site;
}

}  // namespace

std::unique_ptr<Module> make_sharing(const ProgramInfo& program) {
  return std::make_unique<SharingModule>(program);
}

}  // namespace memprof::backend
