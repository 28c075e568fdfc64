// driver.h - batches from the decoder to all modules.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The work comes in stages: decoding a batch, and each module's share of it, which may
// be two stages, one after the other. A stage gets all batches, in order, and one
// worker at a time is at it; so every module sees the same events in the same order
// whatever the number of workers, and results are identical. A worker with nothing to
// do takes the stage that lags most, so none is idle as long as there is
// something to do. The decoder ought to be some batches ahead: when all else is done with
// what there is, everybody waits for it, and it may have lost its processor to the program.
// But a stage stays with the worker that was at it last if that one has time, because what
// a module knows lies in the caches of its processor.
//
//     batch           0    1    2    3    4    5    6    7    8
//     decode          done done done done done done done done done by worker 0
//     dependence      done done by worker 1
//     stride          done done done done            ready: worker 0 will go on here
//
// The first batches are handled in turn by one thread: short programs, which are most
// of those that a build runs, end before a second worker is worth starting.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/backend/decode/sequencer.h"
#include "runtime/backend/event/module.h"

namespace memprof::backend {

class Driver {
 public:
  // CHOOSE is called once, when the first batch stands: the loaded tables may
  // say which modules are wanted. WORKERS 0: as many as there are processors.
  Driver(Sequencer& sequencer, const ProgramInfo& program, unsigned workers,
         std::function<std::vector<const ModuleEntry*>()> choose);

  // Until there is no more to read.
  void run();
  // Everything has been decoded: after run(). BESIDE is called meanwhile, maybe by another
  // thread.
  void settle(const std::function<void()>& beside);
  // Adds the modules' rows, in registry order.
  void finish(feedback::Profile& profile);
  // Rows made of other rows, when counts are final.
  void derive(feedback::Profile& profile);

 private:
  // As long as there is no more, other threads are not worth their start.
  static constexpr unsigned k_batches_in_turn = 128;
  static constexpr std::uint64_t k_accesses_in_turn = 1 << 25;
  // Batches that a stage may be ahead of the others, beyond one for each worker; that the
  // decoder ought to be ahead. Two workers and the program share two processors, say: a worker
  // that has lost its own to the program keeps a stage from the other for some milliseconds.
  static constexpr std::size_t k_slack = 32, k_in_store = 12;

  bool next(Batch& batch);
  void make_modules();
  void consume(const Batch& batch);
  bool run_in_turn();
  void run_in_stages();

  Sequencer& sequencer_;
  const ProgramInfo& program_;
  unsigned workers_;
  std::function<std::vector<const ModuleEntry*>()> choose_;
  bool finished_ = false;
  bool in_stages_ = false;
  std::vector<const ModuleEntry*> entries_;
  std::vector<std::unique_ptr<Module>> modules_;
};

}  // namespace memprof::backend
