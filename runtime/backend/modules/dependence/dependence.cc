// dependence.cc - which store wrote what a load reads (read after write).
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every byte of memory has a shadow that names its last writer (shadow_memory.h);
// a load looks at the shadows of all its bytes, finds the loop that carries each
// dependence and its distance (loop_context.h), and counts it (dependence_rows.h),
// in two steps (dependence_engine.h).
//
//   for (i = 0; i < 5; i++) {
//     A[i] = ...;               // site 1
//     if (i > 0) ... A[i-1];    // site 2: depends on 1, carried, distance 1
//     ... A[i];                 // site 3: depends on 1, distance 0
//   }
//
// Births and deaths of objects and of local variables remove the writers of
// their bytes: memory that is used again carries no dependence from its former
// life.  In sample mode a burst seldom has both ends: what it does not show is inferred
// (inferred_dependences.h).  Addresses beyond 2^48 are not memory of a user program; they are
// ignored.
#include <optional>

#include "runtime/backend/event/module.h"
#include "runtime/backend/modules/dependence/dependence_engine.h"
#include "runtime/backend/modules/sampled/inferred_dependences.h"

namespace memprof::backend {
namespace {

class DependenceModule final : public Module {
 public:
  explicit DependenceModule(const ProgramInfo& program) : program_(program) {
    if (program.sampled()) inferred_.emplace(program);
  }
  bool two_steps() const override { return true; }
  bool prepare(const Batch& batch) override { return engine_.search(batch); }
  void consume(const Batch& batch) override {
    if (inferred_) inferred_->consume(batch);
    engine_.count(batch);
  }
  bool reads_columns() const override { return inferred_.has_value(); }
  void settle() override {
    if (inferred_) inferred_->settle();
  }
  void finish(feedback::Profile& profile) override {
    engine_.rows(Question::last_writer).finish(profile, program_);
    if (!inferred_) return;
    inferred_->finish(profile);
    profile.sections.emplace_back("inferred_dependences");
  }

 private:
  const ProgramInfo& program_;
  DependenceEngine<Kinds::flow, PlainSites> engine_;
  std::optional<InferredDependences> inferred_;  // in sample mode
};

}  // namespace

std::unique_ptr<Module> make_dependence(const ProgramInfo& program) {
  return std::make_unique<DependenceModule>(program);
}

}  // namespace memprof::backend
