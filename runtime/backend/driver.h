// driver.h - batches from the decoder to all modules.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each worker has a part of the work: the first one decodes and feeds some
// modules, every other one feeds the rest of them. A worker gets all batches, in
// order, so every module sees the same events in the same order whatever the
// number of workers, and results are identical. A module stays with its worker,
// because what it knows lies in the caches of that worker's processor.
//
// The first batches are handled in turn by one thread: short programs, which
// are most of those that a build runs, end before a second worker is worth
// starting. They also tell how much processor time each module takes (the later
// half of them: the first ones load the program's tables). The modules are
// divided so that the workers have equally much to do, and again from time to
// time, because programs have phases:
//
//     decode 32, dependence 67, stride 29, cache 8, object_relative 12
//     worker 0: decode, stride, cache       worker 1: dependence, object_relative
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/backend/module.h"
#include "runtime/backend/sequencer.h"

namespace memprof::backend {

class BatchPool;

class Driver {
 public:
  // CHOOSE is called once, when the first batch stands: the loaded tables may
  // say which modules are wanted. WORKERS 0: as many as there are processors.
  Driver(Sequencer& sequencer, const ProgramInfo& program, unsigned workers,
         std::function<std::vector<const ModuleEntry*>()> choose);

  // Until there is no more to read.
  void run();
  // Adds the modules' rows, in registry order; after run().
  void finish(feedback::Profile& profile);

 private:
  static constexpr unsigned k_batches_in_turn = 32;
  static constexpr unsigned k_batches_of_round = 512;  // after shorter ones

  using Part = std::vector<std::size_t>;  // numbers of modules
  using Division = std::vector<Part>;     // by worker
  // Nanoseconds, since the last division.
  struct Times {
    explicit Times(std::size_t n = 0) : modules(n) {}
    std::uint64_t decode = 0;
    std::vector<std::uint64_t> modules;
  };

  bool next(Batch& batch);
  bool decode(Batch& batch);
  void make_modules();
  void consume(const Part& part, const Batch& batch);
  bool run_in_turn();
  Division divide() const;
  std::uint64_t slowest(const Division& division) const;
  bool run_divided(const Division& division, unsigned batches, BatchPool& pool);

  Sequencer& sequencer_;
  const ProgramInfo& program_;
  unsigned workers_;
  std::function<std::vector<const ModuleEntry*>()> choose_;
  bool finished_ = false;
  std::vector<const ModuleEntry*> entries_;
  std::vector<std::unique_ptr<Module>> modules_;
  Times times_;
};

}  // namespace memprof::backend
