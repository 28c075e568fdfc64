// merge.h - the profile of two runs of one program, as if of one.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/model.h"

namespace memprof::feedback {

// Counts add, frequencies and shares are recomputed, spans and maxima take the
// greater; of two LMAD streams the one with more captured stays (ties: fewer
// bytes, then the smaller in order), so that merging is associative and
// commutative.  Rows are matched by identity, never by id: function = (module
// file, linkage_name, checksum), site = function + ordinal, group = (kind,
// file, line, function, type, context).  Functions known to one side only are
// kept.
Profile merge(const Profile& a, const Profile& b);

}  // namespace memprof::feedback
