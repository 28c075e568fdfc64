// sharing.h - profiling module: cache lines that threads take from each other.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "runtime/backend/event/module.h"

namespace memprof::backend {

std::unique_ptr<Module> make_sharing(const ProgramInfo& program);

}  // namespace memprof::backend
