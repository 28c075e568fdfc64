// merge.h - the profile of several runs of one program, as if of one.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include "feedback/model.h"

namespace memprof::feedback {

// Counts add, frequencies and shares are recomputed, spans and maxima take the
// greater; of two LMAD streams the one with more captured stays (ties: fewer
// bytes, then the smaller in order); of more than 256 different strides of a site the
// shortest stay.  So merging is associative and commutative, also of sums that were
// written and read again: any order and any grouping of profiles gives the same bytes.
// Rows are matched by identity, never by id: module = (file, options; the second of them
// in one profile is the second one in the others), function = (module, linkage_name,
// checksum), site = function +
// ordinal, loop = function + position, group = (kind, file, line, function,
// type, context); several of one identity in one profile become one.  Functions
// known to one side only are kept.
//
// A table that one side lacks is dropped (but head_sum.h): its counts would say nothing about
// that side's executions, and frequencies would come out too low.  What
// describes the program rather than a count (names, lines, compiler) is equal
// on both sides, or else the smaller text stays; a build_id that differs
// becomes empty.  The result is in canonical order.
Profile merge(Profile a, Profile b);

// The same for any number of profiles, one after the other.  In memory are the sum and
// the profile that is being added, so thousands of runs of one program need little more
// than one.
class Merger {
 public:
  Merger();
  ~Merger();
  Merger(Merger&&);
  Merger& operator=(Merger&&);
  // WEIGHT, 1 or more: as if the profile were given WEIGHT times.  Costs as many
  // additions as WEIGHT has bits, at most twice.
  void add(Profile profile, std::uint64_t weight = 1);
  bool empty() const { return !first_ && !sum_; }
  // The sum so far, which is not empty, of which only program, run and sections count.
  const Profile& head() const;
  // The sum, which is not empty, once.  One profile alone stays as it is.
  Profile result();

 private:
  void add_once(Profile profile);

  class Sum;
  std::optional<Profile> first_;  // until there is a second one
  std::unique_ptr<Sum> sum_;      // of two or more
};

}  // namespace memprof::feedback
