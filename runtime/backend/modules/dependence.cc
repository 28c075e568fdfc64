// dependence.cc - which store wrote what a load reads (read after write).
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every byte of memory has a shadow that names its last writer (shadow_memory.h);
// a load looks at the shadows of all its bytes, finds the loop that carries each
// dependence and its distance (loop_context.h), and counts it (dependence_rows.h).
//
//   for (i = 0; i < 5; i++) {
//     A[i] = ...;               // site 1
//     if (i > 0) ... A[i-1];    // site 2: depends on 1, carried, distance 1
//     ... A[i];                 // site 3: depends on 1, distance 0
//   }
//
// Births and deaths of objects and of local variables remove the writers of
// their bytes: memory that is used again carries no dependence from its former
// life.  Addresses beyond 2^48 are not memory of a user program; they are
// ignored.
#include "runtime/backend/modules/dependence.h"

#include "runtime/backend/modules/dependence_engine.h"

namespace memprof::backend {
namespace {

class DependenceModule final : public Module {
 public:
  explicit DependenceModule(const ProgramInfo& program) : program_(program) {}
  void consume(const Batch& batch) override;
  bool reads_columns() const override { return false; }
  void finish(feedback::Profile& profile) override {
    engine_.rows().finish(profile, program_);
  }

 private:
  const ProgramInfo& program_;
  DependenceEngine engine_;
};

void DependenceModule::consume(const Batch& batch) {
  for (const Event& e : batch.events) {
    engine_.prefetch_ahead(batch, e);
    if (e.kind == EventKind::block) {
      engine_.block<Role::flow>(batch, e);
      continue;
    }
    switch (e.kind) {
      case EventKind::load: engine_.load(e.site, e.address, batch.width(e)); break;
      case EventKind::store: engine_.store(e.site, e.address, batch.width(e)); break;
      case EventKind::external_store:
        engine_.store(k_external_site, e.address, batch.width(e));
        break;
      case EventKind::range: engine_.range(batch, e); break;
      case EventKind::loop_enter: engine_.enter(e.index, e.address); break;
      case EventKind::loop_iteration: engine_.iterate(e.index); break;
      case EventKind::loop_exit: engine_.exit(e.index); break;
      case EventKind::loop_resume: engine_.resume(e.index, e.address); break;
      case EventKind::birth:
      case EventKind::death:
      case EventKind::local_birth: engine_.clear(e.address, batch.width(e)); break;
      case EventKind::thread_end: engine_.end_thread(); break;
      case EventKind::gap: engine_.forget(); break;
      case EventKind::thread: engine_.set_thread(e.index); break;
      case EventKind::block:
      case EventKind::value:
      case EventKind::function_enter:
      case EventKind::function_exit:
      case EventKind::pointer:
      case EventKind::global_birth: break;
    }
  }
}

}  // namespace

std::unique_ptr<Module> make_dependence(const ProgramInfo& program) {
  return std::make_unique<DependenceModule>(program);
}

}  // namespace memprof::backend
