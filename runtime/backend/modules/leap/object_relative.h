// object_relative.h - profiling module: LEAP's object-relative access streams.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "runtime/backend/event/module.h"

namespace memprof::backend {

// Fills Profile.object_relative and Profile.mdf.
std::unique_ptr<Module> make_object_relative(const ProgramInfo& program);

}  // namespace memprof::backend
