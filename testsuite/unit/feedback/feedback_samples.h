// feedback_samples.h - profiles to test with: a fixed one and random ones.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "feedback/model.h"

namespace memprof::feedback::test {

// Has every field set to something that is not its default.
Profile full_profile();

// Consistent in itself (validate finds nothing); the same for the same SEED.
// Profiles of different seeds share files, functions and groups, so that
// merging them has rows to match.
Profile random_profile(std::uint64_t seed);

// PROFILE without the tables of whole streams, which are of one run and do not add up.
Profile without_streams(Profile profile);

// Other order of everything that has no order, other ids.
Profile shuffled(Profile profile, std::uint64_t seed);

// A file of testsuite/ in the source tree.
std::string source_path(const std::string& name);

std::string slurp(const std::string& path);
void spill(const std::string& path, const std::string& text);

// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::string path(const std::string& name) const { return name_ + '/' + name; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace memprof::feedback::test
