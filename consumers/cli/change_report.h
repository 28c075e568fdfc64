// change_report.h - the changes between two profiles as text and as JSON.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>

#include "consumers/cli/table.h"
#include "feedback/changes.h"
#include "feedback/json_report.h"

namespace memprof::cli {

// At most TOP rows (0: all) of each subject.
std::string changes_text(const feedback::Changes& changes, std::size_t top, const Style& style);
// As members of an object that is open.
void changes_json(const feedback::Changes& changes, std::size_t top, feedback::JsonReport& json);

// The greatest change relative to the old total of its subject; infinite: there was none.
double greatest_change(const feedback::Changes& changes);

}  // namespace memprof::cli
