// driver.cc - batches from the decoder to all modules.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/driver.h"

#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace memprof::backend {

namespace {

// Batches that are in nobody's hands.
class BatchPool {
 public:
  explicit BatchPool(std::size_t size) : batches_(size) {
    for (Batch& batch : batches_) free_.push_back(&batch);
  }
  Batch* take() {
    std::lock_guard lock(mutex_);
    Batch* batch = free_.back();
    free_.pop_back();
    return batch;
  }
  void give(Batch* batch) {
    batch->clear();
    std::lock_guard lock(mutex_);
    free_.push_back(batch);
  }

 private:
  std::vector<Batch> batches_;
  std::mutex mutex_;
  std::vector<Batch*> free_;
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
  if (std::exchange(made_, true)) return;
  entries_ = choose_();
  for (const ModuleEntry* entry : entries_)
    modules_.push_back(entry->make(program_));
}

void Driver::run() {
  // Which modules to run is known when the program has said what it consists of.
  std::deque<Batch> early;
  while (early.empty() || !sequencer_.knows_modules())
    if (!next(early.emplace_back())) break;
  make_modules();
  for (const Batch& batch : early)
    for (const auto& module : modules_) module->consume(batch);
  early.clear();
  Batch batch;
  for (unsigned i = 0; i < k_batches_in_turn || workers_ < 2; i++) {
    batch.clear();
    if (!next(batch)) return;
    for (const auto& module : modules_) module->consume(batch);
  }
  run_pipeline(std::min<std::size_t>(workers_, modules_.size() + 1));
}

void Driver::run_pipeline(unsigned workers) {
  using tbb::filter_mode;
  const std::size_t tokens = workers + 1;
  BatchPool pool(tokens);
  // As many workers as asked for, even where there are fewer processors.
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                            workers);
  tbb::task_arena arena(static_cast<int>(workers));
  tbb::filter<void, Batch*> stages = tbb::make_filter<void, Batch*>(
      filter_mode::serial_in_order, [&](tbb::flow_control& flow) -> Batch* {
        Batch* batch = pool.take();
        if (next(*batch)) return batch;
        pool.give(batch);
        flow.stop();
        return nullptr;
      });
  for (const auto& module : modules_)
    stages &= tbb::make_filter<Batch*, Batch*>(
        filter_mode::serial_in_order, [&module](Batch* batch) {
          module->consume(*batch);
          return batch;
        });
  const tbb::filter<void, void> pipeline =
      stages & tbb::make_filter<Batch*, void>(
                   filter_mode::parallel,
                   [&pool](Batch* batch) { pool.give(batch); });
  arena.execute([&] { tbb::parallel_pipeline(tokens, pipeline); });
}

void Driver::finish(feedback::Profile& profile) {
  make_modules();
  for (std::size_t i = 0; i < modules_.size(); i++) {
    modules_[i]->finish(profile);
    profile.sections.emplace_back(entries_[i]->section);
  }
}

}  // namespace memprof::backend
