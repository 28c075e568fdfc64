// lifetime.h - profiling module: how long objects live, and in which loops.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "runtime/backend/event/module.h"

namespace memprof::backend {

std::unique_ptr<Module> make_lifetime(const ProgramInfo& program);
std::unique_ptr<Module> make_lifetime_context(const ProgramInfo& program);

}  // namespace memprof::backend
