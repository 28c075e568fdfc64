// stride.h - profiling module: strides of each access site.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "runtime/backend/event/module.h"

namespace memprof::backend {

std::unique_ptr<Module> make_stride(const ProgramInfo& program);

}  // namespace memprof::backend
