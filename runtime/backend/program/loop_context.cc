// loop_context.cc - active loops of a thread, and which one carries a dependence.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/program/loop_context.h"

#include <algorithm>
#include <utility>

#include "runtime/backend/base/first_number.h"

namespace memprof::backend {

constexpr ActiveLoop LoopContext::k_no_loop = {
    .serial = ~std::uint64_t{0}, .low = 0, .iteration = 0, .starts = 0, .id = 0, .first_run = 0};
// Its iteration began after all that it carries. carries() never says so: it is for one turn only.
constexpr ActiveLoop LoopContext::k_other_thread = {.serial = ~std::uint64_t{0},
                                                    .low = 0,
                                                    .span = 0,
                                                    .iteration = ~Stamp{0},
                                                    .starts = 0,
                                                    .id = 0,
                                                    .first_run = 0};

void LoopContext::grow() {
  const std::size_t size = stack_.size();
  std::vector<ActiveLoop> larger(2 * size);
  std::copy(stack_.begin(), stack_.end(), larger.begin());
  for (ActiveLoop& loop : stack_) loop.serial = k_no_loop.serial;
  outgrown_.push_back(std::exchange(stack_, std::move(larger)));
  top_ = &stack_[size - 1];
}

void LoopContext::enter(LoopId id, Stamp now, std::uint64_t frame) {
  const std::size_t place = depth() + 1;
  if (place == stack_.size()) grow();
  top_->span = now - top_->low;
  // One by one: as a whole it would be made elsewhere and copied, or cleared first; either
  // takes longer than all the rest.
  ActiveLoop& loop = *++top_;
  loop.serial = ++entries_;
  loop.low = loop.entered = now;
  loop.span = ~now;
  loop.key = ActiveLoop::key_of(id);
  loop.iteration = now;
  loop.recent.fill(0);
  loop.starts = 0;
  loop.expected = loop.step = 0;
  loop.id = id;
  loop.first_run = static_cast<std::uint32_t>(runs_.size());
  loop.frame = frame;
  loop.recursive = false;
  entered_.push_back(now);
  if (place >= rings_.size()) rings_.emplace_back();
  if (id >= activations_.size()) activations_.resize(id + id / 2 + 16);
  if (activations_[id]++ != 0) {
    top_->recursive = true;
    ActiveLoop* outer = top_ - 1;
    while (outer->id != id) outer--;
    if (!outer->recursive) outer->serial = ++entries_;
    outer->recursive = true;
  }
}

void LoopContext::pop_to(std::size_t place) {
  while (depth() > place) {
    activations_[top_->id]--;
    runs_.shrink(top_->first_run);
    top_->serial = 0;
    top_--;
    top_->span = ~top_->low;
    entered_.pop_back();
  }
}

// Index of the innermost activation; 0, the whole program's, if there is none.
std::size_t LoopContext::find(LoopId id) const {
  if (activations(id) == 0) return 0;
  std::size_t i = depth();
  while (i != 0 && stack_[i].id != id) i--;
  return i;
}

void LoopContext::exit(LoopId id) {
  if (const std::size_t i = find(id); i != 0) pop_to(i - 1);
}

void LoopContext::resume(LoopId id, std::uint64_t frame) {
  std::size_t place = depth();
  while (place > 0 && (stack_[place].frame < frame ||
                       (stack_[place].frame == frame && stack_[place].id != id)))
    place--;
  pop_to(place);
}

void LoopContext::iterate(LoopId id, Stamp now, std::uint64_t count) {
  if (top_->id != id || depth() == 0) {
    const std::size_t i = find(id);
    if (i == 0 && !unseen_loops_) return;
    pop_to(i);  // a loop that was entered before a burst is outside of all that it has seen
    if (i == 0) enter(id, now - 1);
  }
  add_starts(*top_, now, count);
}

void LoopContext::note_starts(ActiveLoop& loop, Stamp now, std::uint64_t count) {
  Ring& ring = rings_[place_of(&loop)];
  const std::uint64_t singly = std::min<std::uint64_t>(count, loop.recent.size() + 1);
  const Stamp last = now + (count - singly);
  for (; now < last; now++) ring[loop.starts++ % k_ring] = now;
  for (std::uint64_t i = 0; i < singly; i++, loop.starts++) note_start(loop, now + i);
}

// The next iteration, which starts at NOW, does not go on with a run of several.
void LoopContext::leave_run(ActiveLoop& loop, Stamp now) {
  if (loop.starts != 0 && loop.expected == 0) {  // two points make a line
    loop.step = runs_.back().step = now - loop.iteration;
    loop.expected = now + loop.step;
    return;
  }
  runs_.push_back({now, 1, loop.starts});
  loop.step = 1;
  loop.expected = 0;
  if (runs_.size() - loop.first_run > k_max_runs) thin(loop);
}

void LoopContext::add_starts(ActiveLoop& loop, Stamp now, std::uint64_t count) {
  // One by one until they are a run; that takes three at most.
  const Stamp end = now + count;
  while (now != end && (now != loop.expected || loop.step != 1)) add_start(loop, now++);
  if (now == end) return;
  if (const std::uint64_t left = end - now; left > k_ring) {
    loop.starts += left - k_ring;
    now = end - k_ring;
  }
  note_starts(loop, now, end - now);
  loop.expected = end;
}

// Halves the runs of the older half of a loop with very many irregular
// iterations: distances of millions become approximate.
void LoopContext::thin(const ActiveLoop& loop) {
  const std::size_t half = loop.first_run + k_max_runs / 2;
  std::size_t out = loop.first_run;
  for (std::size_t i = loop.first_run; i < half; i += 2) {
    Run run = runs_[i];
    const Run& next = runs_[i + 2];
    run.step = std::max<std::uint64_t>(1, (next.first - run.first) / (next.index - run.index));
    runs_[out++] = run;
  }
  for (std::size_t i = half; i < runs_.size(); i++) runs_[out++] = runs_[i];
  runs_.shrink(out);
}

const ActiveLoop* LoopContext::far_carrier(Stamp t) const {
  // Entry times do not fall from the outermost loop inwards.
  std::size_t low = 0, high = depth();  // stack_[0].entered == 0 < t
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (stack_[middle].entered < t)
      low = middle;
    else
      high = middle - 1;
  }
  return &stack_[low];
}

std::size_t LoopContext::end_run(const ActiveLoop* loop) const {
  return loop == top_ ? runs_.size() : loop[1].first_run;
}

// The first of the runs [BEGIN, END) that starts after T; the last one does.  Runs are
// nearly evenly spread over time, so that a guess and a few steps of growing
// width bracket it: a binary search over millions of runs misses the cache at
// each step.
std::size_t LoopContext::first_after(std::size_t begin, std::size_t end, Stamp t) const {
  const auto first = [this](std::size_t run) { return runs_[run].first; };
  if (first(begin) > t) return begin;
  std::size_t low = begin, high = end - 1;  // first(low) <= t < first(high)
  const double share = double(t - first(low)) / double(first(high) - first(low));
  std::size_t guess = low + static_cast<std::size_t>(share * double(high - low));
  for (std::size_t width = 4; width < high - low; width *= 4) {
    if (first(guess) > t) {
      high = guess;
      guess = high - low > width ? high - width : low;
    } else {
      low = guess;
      guess = high - low > width ? low + width : high;
    }
  }
  return first_number(low, high, [&](std::size_t number) { return first(number) > t; });
}

std::uint64_t LoopContext::far_distance(const ActiveLoop* loop, Stamp t,
                                        std::uint32_t* hint) const {
  if (loop->starts == 0) return 0;
  const std::size_t begin = loop->first_run, end = end_run(loop);
  const auto first = [this](std::size_t run) { return runs_[run].first; };
  if (first(begin) > t) return loop->starts;
  // The last run that has started at T: at the hint or soon after it, among the
  // latest, or anywhere.
  const auto has = [&](std::size_t run) { return run + 1 == end || first(run + 1) > t; };
  std::size_t number = end - 1;
  bool found = first(number) <= t;
  if (!found && hint && *hint < end - begin && first(begin + *hint) <= t) {
    number = begin + *hint;
    for (int i = 0; !(found = has(number)) && i < k_steps; i++) number++;
  }
  if (!found) {
    number = end - 1;
    for (int i = 0; i < k_steps && first(number) > t; i++) number--;
    if (first(number) > t) number = first_after(begin, number + 1, t) - 1;
  }
  if (hint) *hint = static_cast<std::uint32_t>(number - begin);
  const Run& run = runs_[number];
  const std::uint64_t next_index = number + 1 == end ? loop->starts : runs_[number + 1].index;
  const std::uint64_t d = t - run.first;
  const std::uint64_t started = run.index + (run.step == 1 ? d : d / run.step) + 1;
  return loop->starts - std::min(started, next_index);
}

Stamp LoopContext::start_of(const ActiveLoop* loop, std::uint64_t index) const {
  if (loop->starts - index <= k_ring) return recent_start(loop, index);
  const std::size_t next =
      first_number(std::size_t{loop->first_run}, std::size_t{end_run(loop)},
                   [&](std::size_t number) { return runs_[number].index > index; });
  const Run& run = runs_[next - 1];
  return run.first + (index - run.index) * run.step;
}

void LoopContext::begin_turn(const ThreadTurns& turns, std::uint32_t thread, Stamp since) {
  turns_ = &turns;
  thread_ = thread;
  since_ = since;
  // Whatever lies before the first loop is carried by the whole program.
  for (ActiveLoop* loop = stack_.data() + 1; loop <= top_; loop++) {
    const Stamp low = std::max(loop->low, since - 1), last = last_carried(loop);
    loop->low = low;
    loop->span = last > low ? last - low : 0;
  }
}

const ActiveLoop* LoopContext::carrier_before(Stamp t) const {
  const ActiveLoop* const loop = own_carrier(t);
  return loop->id == 0 || turns_->at(t).thread == thread_ ? loop : &k_other_thread;
}

SourcePlace LoopContext::locate(Stamp t) const {
  const ActiveLoop* loop = own_carrier(t);
  SourcePlace place{loop, 0, loop->entered + 1, last_carried(loop)};
  if (loop->id == 0) return place;
  if (t < since_) {
    const ThreadTurns::Turn turn = turns_->at(t);
    place.high = std::min(place.high, turn.last);
    place.low = std::max(place.low, turn.first);
    if (turn.thread != thread_) {
      place.loop = &k_other_thread;
      place.bucket = 1;
      return place;
    }
  } else {
    place.low = std::max(place.low, since_);
  }
  const std::uint64_t bucket = place.bucket = near_distance(loop, t);
  if (bucket != k_far && bucket < loop->starts)
    place.low = std::max(place.low, start_of(loop, loop->starts - 1 - bucket));
  if (bucket != 0)
    place.high = std::min(place.high, start_of(loop, loop->starts - bucket) - 1);
  return place;
}

bool LoopContext::current_p(LoopId id, Stamp start) const {
  for (std::size_t i = depth(); i != 0; i--)
    if (stack_[i].id == id && stack_[i].iteration == start) return true;
  return false;
}

}  // namespace memprof::backend
