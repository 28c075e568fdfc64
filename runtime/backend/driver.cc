// driver.cc - batches from the decoder to all modules.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/driver.h"

#include <tbb/concurrent_queue.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <numeric>
#include <thread>
#include <utility>

namespace memprof::backend {

struct SharedBatch {
  Batch batch;
  std::atomic<std::size_t> users{0};
};
using Queue = tbb::concurrent_bounded_queue<SharedBatch*>;

// Batches that are in nobody's hands.
class BatchPool {
 public:
  explicit BatchPool(std::size_t size) : batches_(size) {
    for (SharedBatch& batch : batches_) free_.push(&batch);
  }
  // Waits for one.
  SharedBatch* take(std::size_t users) {
    SharedBatch* batch;
    free_.pop(batch);
    batch->users = users;
    return batch;
  }
  // One of its users has done with it.
  void give(SharedBatch* batch) {
    if (--batch->users != 0) return;
    batch->batch.clear();
    free_.push(batch);
  }

 private:
  std::deque<SharedBatch> batches_;
  Queue free_;
};

namespace {

// Nanoseconds that this thread has run; waiting does not count.
std::uint64_t thread_time() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

// A thread that feeds some modules with the batches of its queue, until it gets
// a null pointer.
class Worker {
 public:
  Worker(std::function<void(const Batch&)> consume, BatchPool& pool)
      : consume_(std::move(consume)), pool_(pool), thread_([this] { run(); }) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Queue& queue() { return queue_; }
  // After the null pointer.
  std::exception_ptr join() {
    thread_.join();
    return failure_;
  }

 private:
  void run() {
    for (SharedBatch* batch; queue_.pop(batch), batch; pool_.give(batch)) {
      if (failure_) continue;
      try {
        consume_(batch->batch);
      } catch (...) {
        failure_ = std::current_exception();
      }
    }
  }

  std::function<void(const Batch&)> consume_;
  BatchPool& pool_;
  Queue queue_;
  std::exception_ptr failure_;
  std::thread thread_;  // the last one: it uses the others
};

}  // namespace

Driver::Driver(Sequencer& sequencer, const ProgramInfo& program,
               unsigned workers,
               std::function<std::vector<const ModuleEntry*>()> choose)
    : sequencer_(sequencer),
      program_(program),
      workers_(workers ? workers : std::thread::hardware_concurrency()),
      choose_(std::move(choose)) {}

// Fills an empty batch; false if there is nothing more.
bool Driver::next(Batch& batch) {
  while (!finished_) {
    switch (sequencer_.fill(batch)) {
      case Sequencer::State::full:
        return true;
      case Sequencer::State::finished:
        finished_ = true;
        return !batch.events.empty();
      case Sequencer::State::idle:
        if (!batch.events.empty()) return true;
        sequencer_.wait();
    }
  }
  return false;
}

void Driver::make_modules() {
  entries_ = choose_();
  for (const ModuleEntry* entry : entries_)
    modules_.push_back(entry->make(program_));
}

void Driver::consume(const Part& part, const Batch& batch) {
  std::uint64_t start = thread_time();
  for (const std::size_t i : part) {
    modules_[i]->consume(batch);
    const std::uint64_t end = thread_time();
    times_.modules[i] += end - start;
    start = end;
  }
}

bool Driver::decode(Batch& batch) {
  const std::uint64_t start = thread_time();
  const bool more = next(batch);
  times_.decode += thread_time() - start;
  return more;
}

void Driver::run() {
  if (!run_in_turn()) return;
  BatchPool pool(workers_ + 2);  // a worker may be some batches behind the others
  Division division;
  unsigned batches = k_batches_in_turn;
  do {
    Division better = divide();
    if (division.empty() || slowest(better) < slowest(division) * 9 / 10)
      division = std::move(better);
    times_ = Times(modules_.size());
    batches = std::min(2 * batches, k_batches_of_round);
  } while (run_divided(division, batches, pool));
}

// False: there is nothing more.
bool Driver::run_in_turn() {
  // Which modules to run is known when the program has said what it consists of.
  std::deque<Batch> early;
  while (early.empty() || !sequencer_.knows_modules())
    if (!next(early.emplace_back())) break;
  make_modules();
  Part all(modules_.size());
  std::iota(all.begin(), all.end(), 0);
  times_ = Times(modules_.size());
  for (const Batch& batch : early) consume(all, batch);
  early.clear();
  Batch batch;
  for (unsigned i = 0; i < k_batches_in_turn || workers_ < 2; i++) {
    if (i == k_batches_in_turn / 2) times_ = Times(modules_.size());
    batch.clear();
    if (!decode(batch)) return false;
    consume(all, batch);
  }
  return true;
}

// The modules of each worker, by the times so far: the longest first.
Driver::Division Driver::divide() const {
  Part order(modules_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return times_.modules[a] > times_.modules[b];
  });
  Division parts(std::min<std::size_t>(workers_, modules_.size() + 1));
  std::vector<std::uint64_t> loads(parts.size());
  loads[0] = times_.decode;
  for (const std::size_t i : order) {
    const auto least = std::min_element(loads.begin(), loads.end());
    *least += times_.modules[i];
    parts[static_cast<std::size_t>(least - loads.begin())].push_back(i);
  }
  return parts;
}

// Time of the worker that has most to do.
std::uint64_t Driver::slowest(const Division& division) const {
  std::uint64_t most = 0;
  for (std::size_t w = 0; w < division.size(); w++) {
    std::uint64_t load = w == 0 ? times_.decode : 0;
    for (const std::size_t i : division[w]) load += times_.modules[i];
    most = std::max(most, load);
  }
  return most;
}

// A round of so many batches; false: there is nothing more.
bool Driver::run_divided(const Division& division, unsigned batches, BatchPool& pool) {
  std::deque<Worker> others;
  for (std::size_t w = 1; w < division.size(); w++)
    others.emplace_back([this, &part = division[w]](const Batch& batch) { consume(part, batch); },
                        pool);
  bool more = true;
  std::exception_ptr failure;
  try {
    for (unsigned i = 0; i < batches; i++) {
      SharedBatch* batch = pool.take(division.size());
      more = decode(batch->batch);
      if (!more) break;
      for (Worker& worker : others) worker.queue().push(batch);
      consume(division[0], batch->batch);
      pool.give(batch);
    }
  } catch (...) {
    failure = std::current_exception();
  }
  for (Worker& worker : others) worker.queue().push(nullptr);
  for (Worker& worker : others)
    if (const std::exception_ptr theirs = worker.join(); !failure) failure = theirs;
  if (failure) std::rethrow_exception(failure);
  return more;
}

void Driver::finish(feedback::Profile& profile) {
  for (std::size_t i = 0; i < modules_.size(); i++) {
    modules_[i]->finish(profile);
    profile.sections.emplace_back(entries_[i]->section);
  }
}

}  // namespace memprof::backend
