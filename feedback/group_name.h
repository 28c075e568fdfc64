// group_name.h - what people call a group.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "feedback/model.h"

namespace memprof::feedback {

// "malloc at a.c:3", "global table (a.c:1)", "stack of f".
std::string group_name(const Group& group);

}  // namespace memprof::feedback
