// cache.h - profiling module: misses in a model of the caches and the TLB.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "runtime/backend/event/module.h"

namespace memprof::backend {

std::unique_ptr<Module> make_cache(const ProgramInfo& program);

}  // namespace memprof::backend
