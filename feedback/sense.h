// sense.h - whether the counts of a profile agree with each other.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/.
#pragma once

#include "feedback/model.h"
#include "feedback/references.h"
#include "feedback/tape.h"

namespace memprof::feedback {

// Rows whose ids lead nowhere are passed over: they have been reported.
void check_sense(const Profile& profile, const IdTable& ids, Faults& faults);

}  // namespace memprof::feedback
