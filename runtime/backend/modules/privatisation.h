// privatisation.h - profiling module: memory of which each iteration could have its own.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "runtime/backend/event/module.h"

namespace memprof::backend {

std::unique_ptr<Module> make_privatisation(const ProgramInfo& program);

}  // namespace memprof::backend
