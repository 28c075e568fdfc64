// pointers.h - profiling module: objects that pointers point to.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "runtime/backend/event/module.h"

namespace memprof::backend {

std::unique_ptr<Module> make_pointers(const ProgramInfo& program);

}  // namespace memprof::backend
