// points_to.h - profiling module: groups that each site accesses.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "runtime/backend/event/module.h"

namespace memprof::backend {

std::unique_ptr<Module> make_points_to(const ProgramInfo& program);

}  // namespace memprof::backend
