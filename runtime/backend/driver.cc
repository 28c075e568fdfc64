// driver.cc - batches from the decoder to all modules.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/driver.h"

#include <tbb/global_control.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "runtime/backend/base/parallel.h"

namespace memprof::backend {
namespace {

// Which worker does what next. Stage 0 makes batches, the others use them.
class Schedule {
 public:
  // Each stage gets a batch when the stage AFTER it names is done with it; that of stage 0
  // means nothing. A batch lives in slot number % SLOTS. IN_STORE batches are between
  // stage 0 and the others.
  Schedule(const std::vector<std::size_t>& after, std::size_t slots, std::uint64_t in_store)
      : stages_(after.size()), slots_(slots), in_store_(in_store) {
    for (std::size_t i = 1; i < after.size(); i++) {
      stages_[i].after = &stages_[after[i]];
      stages_[after[i]].before = &stages_[i];
    }
  }

  struct Task {
    std::size_t stage;
    std::uint64_t batch;
  };
  // Waits until there is something to do for WORKER; false: there is nothing more.
  bool take(unsigned worker, Task& task) {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (Stage* stage = choose(worker)) {
        stage->busy = true;
        stage->worker = worker;
        task = {static_cast<std::size_t>(stage - stages_.data()), stage->next};
        return true;
      }
      if (finished()) return false;
      changed_.wait(lock);
    }
  }
  // GO_ON: false if stage 0 has found no batch; if another stage is to wait until the one
  // that comes after it has done this batch.
  void done(const Task& task, bool go_on) {
    {
      const std::lock_guard lock(mutex_);
      Stage& stage = stages_[task.stage];
      stage.busy = false;
      if (task.stage == 0 && !go_on) {
        ended_ = true;
      } else {
        stage.next++;
        stage.waits = !go_on;
      }
    }
    changed_.notify_all();
  }
  void fail(std::exception_ptr failure) {
    {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = failure;
    }
    changed_.notify_all();
  }
  std::exception_ptr failure() const { return failure_; }

 private:
  struct Stage {
    std::uint64_t next = 0;  // batch
    unsigned worker = 0;     // that was at it last
    bool busy = false;
    bool waits = false;
    const Stage *after = nullptr, *before = nullptr;
  };

  bool ready(const Stage& stage) const {
    if (stage.busy || failure_) return false;
    if (stage.waits && stage.before->next < stage.next) return false;
    if (stage.after) return stage.next < stage.after->next;
    return !ended_ && stage.next < oldest() + slots_;
  }
  // The first batch that some stage has to do.
  std::uint64_t oldest() const {
    std::uint64_t n = stages_[0].next;
    for (const Stage& stage : stages_) n = std::min(n, stage.next);
    return n;
  }
  // The stage of WORKER that lags most behind its target, else that of any worker.
  Stage* choose(unsigned worker) {
    Stage* best = nullptr;
    for (Stage& stage : stages_) {
      if (!ready(stage)) continue;
      const auto rank = [this, worker](const Stage& s) {
        return std::pair(s.worker != worker, s.next + (s.after ? in_store_ : 0));
      };
      if (!best || rank(stage) < rank(*best)) best = &stage;
    }
    return best;
  }
  bool finished() const { return failure_ || (ended_ && oldest() == stages_[0].next); }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Stage> stages_;
  const std::size_t slots_;
  const std::uint64_t in_store_;
  bool ended_ = false;
  std::exception_ptr failure_;
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
  if (std::none_of(modules_.begin(), modules_.end(),
                   [](const auto& module) { return module->reads_columns(); }))
    sequencer_.leave_out_columns();
}

void Driver::consume(const Batch& batch) {
  for (const auto& module : modules_) {
    module->prepare(batch);
    module->consume(batch);
  }
}

void Driver::run() {
  in_stages_ = run_in_turn();
  if (in_stages_) run_in_stages();
}

// False: there is nothing more.
bool Driver::run_in_turn() {
  // Which modules to run is known when the program has said what it consists of.
  std::deque<Batch> early;
  while (early.empty() || !sequencer_.knows_modules())
    if (!next(early.emplace_back())) break;
  make_modules();
  for (const Batch& batch : early) consume(batch);
  early.clear();
  Batch batch;
  const auto little = [&](unsigned batches) {
    return batches < k_batches_in_turn && batch.end < k_accesses_in_turn;
  };
  for (unsigned i = 0; little(i) || workers_ < 2; i++) {
    batch.clear();
    if (!next(batch)) return false;
    consume(batch);
  }
  return true;
}

void Driver::run_in_stages() {
  // Each says whether it may go on.
  std::vector<std::function<bool(Batch&)>> stages{[this](Batch& batch) {
    batch.clear();
    return next(batch);
  }};
  std::vector<std::size_t> after{0};
  for (const auto& module : modules_) {
    const bool two_steps = module->two_steps();
    if (two_steps) {
      stages.emplace_back([&module](Batch& batch) { return module->prepare(batch); });
      after.push_back(0);
    }
    after.push_back(two_steps ? stages.size() - 1 : 0);
    stages.emplace_back([&module](Batch& batch) {
      module->consume(batch);
      return true;
    });
  }
  const auto workers = static_cast<unsigned>(std::min<std::size_t>(workers_, stages.size()));
  std::vector<Batch> batches(workers + k_slack);
  Schedule schedule(after, batches.size(), k_in_store);
  const auto work = [&](unsigned worker) {
    try {
      for (Schedule::Task task; schedule.take(worker, task);)
        schedule.done(task, stages[task.stage](batches[task.batch % batches.size()]));
    } catch (...) {
      schedule.fail(std::current_exception());
    }
  };
  std::vector<std::jthread> others;
  for (unsigned worker = 1; worker < workers; worker++) others.emplace_back(work, worker);
  // Until TBB is ready takes some milliseconds, which the program shall not wait for in the end.
  parallel_for(workers, [](std::size_t) {});
  work(0);
  others.clear();
  if (schedule.failure()) std::rethrow_exception(schedule.failure());
}

void Driver::settle(const std::function<void()>& beside) {
  // Even to say so costs a few milliseconds.
  std::optional<tbb::global_control> limit;
  if (workers_ < std::thread::hardware_concurrency())
    limit.emplace(tbb::global_control::max_allowed_parallelism, workers_);
  // The longest first. A short run is not worth other threads' start.
  std::vector<std::function<void()>> order;
  for (const bool long_ones : {true, false}) {
    for (const auto& module : modules_)
      if (module->two_steps() == long_ones) order.emplace_back([&module] { module->settle(); });
    if (long_ones) order.push_back(beside);
  }
  if (in_stages_)
    parallel_for_each(order);
  else
    for (const auto& work : order) work();
}

void Driver::finish(feedback::Profile& profile) {
  for (std::size_t i = 0; i < modules_.size(); i++) {
    modules_[i]->finish(profile);
    profile.sections.emplace_back(entries_[i]->section);
  }
}

void Driver::derive(feedback::Profile& profile) {
  for (const auto& module : modules_) module->derive(profile);
}

}  // namespace memprof::backend
