// reuse.h - module `cache' in sample mode: misses from reuse distances.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "runtime/backend/event/module.h"

namespace memprof::backend {

std::unique_ptr<Module> make_sampled_cache(const ProgramInfo& program);

}  // namespace memprof::backend
