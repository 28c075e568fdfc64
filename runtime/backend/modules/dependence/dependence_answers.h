// dependence_answers.h - what the first step of a dependence module tells the second.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The first step looks at the shadow memory and says which sites were at the bytes of each
// access that asks (dependence_search.h); the second finds the loop that carries the
// dependence and counts it (dependence_count.h). Nearly all accesses have one writer or
// none, so the answer to a batch is one cell for each access that asks, in order:
//
//     events    block {load 7, store 3, load 8}   load 9    range {load 7 x 100}
//     cells     3 at time 12, none                several
//     answers                                     bytes     begin, progression, end
//
// What takes more words is in a list of answers beside the cells: the writers of an
// access that has several, and all that a range record depends on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/backend/event/batch.h"
#include "runtime/backend/shadow/shadow_page.h"

namespace memprof::backend {

// Each has a shadow memory, and rows.
enum class Question : std::uint8_t { last_writer, last_reader };

struct Answer {
  enum class Kind : std::uint8_t {
    read,         // COUNT executions of SINK read only what CELL wrote
    progression,  // the same, of writers STEP ticks apart
    cells,        // the next COUNT cells: of one execution of SINK each
    bytes,        // COUNT executions of SINK read what the parts that follow wrote
    part,         // CELL and COUNT - 1 more of its site, STEP ticks apart
    end_bytes,
    // Of ranges.
    begin,      // of loop SINK; the clock is COUNT
    own,        // the last COUNT executions of SINK before iteration END read what the
                // site of CELL wrote STEP, or STEP, STEP + 1, ... LAST iterations before
    enter,      // the loop
    iterate,    // COUNT iterations start
    exit,       // its iterations have never been
    end         // the clock is COUNT
  };
  Kind kind;
  Question question{};
  SiteId sink = 0;
  Cell cell = 0;
  std::int64_t step = 0;
  std::uint64_t count = 0;
  std::uint64_t last = 0, end = 0;
};

// Of a batch: written from the front to the end, then read from the front.
class Answers {
 public:
  // Of an access that has an answer in the list.
  static constexpr Cell k_in_list = ~k_site_mask;

  // Room for COUNT cells; what was written ends at the argument of end_cells.
  Cell* room(std::size_t count) {
    if (cells_.size() - size_ < count) [[unlikely]] grow(count);
    return cells_.data() + size_;
  }
  void end_cells(const Cell* end) { size_ = static_cast<std::size_t>(end - cells_.data()); }
  void add_cell(Cell cell) {
    *room(1) = cell;
    size_++;
  }
  // In line, and without a reference that outlives it: so the answer is made where it lies.
  [[gnu::always_inline]] void add(const Answer& answer) {
    if (answers_ == list_.size()) [[unlikely]] grow_list();
    list_[answers_++] = answer;
    if (answer.kind == Answer::Kind::cells) listed_cells_ += answer.count;
  }

  // Removes what was added to the list after the first COUNT.
  std::size_t answers() const { return answers_; }
  void take_back(std::size_t count) { answers_ = count; }

  const Cell* unread_cells() const { return cells_.data() + next_cell_; }
  void read_until(const Cell* cell) {
    next_cell_ = static_cast<std::size_t>(cell - cells_.data());
  }
  const Cell* next_cells(std::size_t count) {
    return &cells_[std::exchange(next_cell_, next_cell_ + count)];
  }
  const Answer& next() { return list_[next_++]; }
  bool all_read() const { return next_ == answers_; }

  // How much is in the list, with its cells.
  std::size_t listed() const { return answers_ + listed_cells_; }
  void clear() {
    clear_list();
    size_ = next_cell_ = 0;
  }
  // The list, which is read, and its cells, if no others are unread.
  void clear_list() {
    answers_ = next_ = listed_cells_ = 0;
    if (next_cell_ == size_) size_ = next_cell_ = 0;
  }

  // Events of the batch that these are about; the first step leaves the others to
  // the second.
  std::size_t events = 0;

 private:
  [[gnu::noinline]] void grow(std::size_t count) { cells_.resize(size_ + count); }
  [[gnu::noinline]] void grow_list() { list_.resize(std::max<std::size_t>(64, 2 * answers_)); }

  std::vector<Cell, Unwritten<Cell>> cells_;
  std::size_t size_ = 0;  // cells written
  std::vector<Answer> list_;
  std::size_t answers_ = 0;  // in the list
  std::size_t listed_cells_ = 0;
  std::size_t next_ = 0, next_cell_ = 0;
};

}  // namespace memprof::backend
