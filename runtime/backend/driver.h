// driver.h - batches from the decoder to all modules.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A pipeline: decoding is its first stage, each module a stage of its own. A
// stage handles one batch at a time, in order, but different stages work on
// different batches at the same time. So every module sees the same events in
// the same order whatever the number of workers, and results are identical.
//
// The first batches are handled in turn by one thread: short programs, which
// are most of those that a build runs, end before a second worker is worth
// starting.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/backend/module.h"
#include "runtime/backend/sequencer.h"

namespace memprof::backend {

class Driver {
 public:
  // CHOOSE is called once, when the first batch stands: the loaded tables may
  // say which modules are wanted. WORKERS 0: as many as there are processors.
  Driver(Sequencer& sequencer, const ProgramInfo& program, unsigned workers,
         std::function<std::vector<const ModuleEntry*>()> choose);

  // Until there is no more to read.
  void run();
  // Adds the modules' rows, in registry order.
  void finish(feedback::Profile& profile);

 private:
  static constexpr unsigned k_batches_in_turn = 32;

  bool next(Batch& batch);
  void make_modules();
  void run_pipeline(unsigned workers);

  Sequencer& sequencer_;
  const ProgramInfo& program_;
  unsigned workers_;
  std::function<std::vector<const ModuleEntry*>()> choose_;
  bool finished_ = false;
  bool made_ = false;
  std::vector<const ModuleEntry*> entries_;
  std::vector<std::unique_ptr<Module>> modules_;
};

}  // namespace memprof::backend
