// stream_references.h - the references that hot data streams are made of.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The references of one thread, without accesses to stacks. Another thread expands the grammars, a few pieces ahead of the
// one that uses them, as both take about as long.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "consumers/cli/stream_profile.h"
#include "feedback/streams/access_reader.h"

namespace memprof::cli {

struct Reference {
  streams::Access access;
  std::uint64_t bytes;
};

// Calls USE for all of THREAD, in pieces, in order.
feedback::Status for_each_reference_piece(const StreamProfile& profile, std::uint32_t thread,
                                          const std::function<void(const std::vector<Reference>&)>& use);

}  // namespace memprof::cli
