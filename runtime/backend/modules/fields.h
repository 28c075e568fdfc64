// fields.h - how the fields of records are used.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "runtime/backend/event/module.h"

namespace memprof::backend {

std::unique_ptr<Module> make_fields(const ProgramInfo& program);

}  // namespace memprof::backend
