// silent_store.h - profiling module: stores of the value that is there already.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "runtime/backend/event/module.h"

namespace memprof::backend {

std::unique_ptr<Module> make_silent_store(const ProgramInfo& program);

}  // namespace memprof::backend
