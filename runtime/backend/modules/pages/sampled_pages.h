// sampled_pages.h - sample mode: walks and requests from how memory is reused.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A burst meets caches that hold what the burst before left there, so what it touches first seems to come from
// memory. The table `reuse' has no such beginning: for each group it says how many accesses miss in a cache of
// any size. So bursts tell how the walks and requests of a group are shared out between its objects, threads and
// levels of the page tables, and `reuse' how many there are:
//
//     group   bursts: object 1, 2   reuse: requests      rows
//     7       3000, 1000            100                  75, 25
//
// Pages count as 4 KB there, so walks of memory in huge pages are an upper bound.
#pragma once

#include "feedback/model.h"
#include "runtime/backend/modules/pages/page_geometry.h"

namespace memprof::backend {

// Corrects the rows of `pages' of groups that have rows of `reuse'. Errors come from `cache'.
void fit_to_reuse(const PageGeometry& geometry, feedback::Profile& profile);

}  // namespace memprof::backend
