// dependence.h - profiling modules: which store wrote what a load reads.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "runtime/backend/event/module.h"

namespace memprof::backend {

// Read after write.
std::unique_ptr<Module> make_dependence(const ProgramInfo& program);
// All three kinds; after reads, of the reads of a byte the last one only. It takes the
// place of the one above, as do the next ones.
std::unique_ptr<Module> make_dependence_all(const ProgramInfo& program);
// The same with calling contexts.
std::unique_ptr<Module> make_dependence_context(const ProgramInfo& program);
// All three kinds and all reads since the last write, slowly.
std::unique_ptr<Module> make_dependence_readers(const ProgramInfo& program);

}  // namespace memprof::backend
