// dead_store.h - profiling module: stores whose value nobody reads.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "runtime/backend/event/module.h"

namespace memprof::backend {

std::unique_ptr<Module> make_dead_store(const ProgramInfo& program);

}  // namespace memprof::backend
