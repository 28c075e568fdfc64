// value.h - profiling module: what values sites load and store.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "runtime/backend/event/module.h"

namespace memprof::backend {

std::unique_ptr<Module> make_value(const ProgramInfo& program);      // of loads
std::unique_ptr<Module> make_value_all(const ProgramInfo& program);  // and of stores

}  // namespace memprof::backend
