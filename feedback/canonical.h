// canonical.h - parts of canonical order that merge needs too.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/.
#pragma once

#include <string>
#include <vector>

#include "feedback/model.h"

namespace memprof::feedback {

// Keys of the tables that the profile names or has rows for, in canonical order.
std::vector<std::string> present_tables(const Profile& profile);

}  // namespace memprof::feedback
