// invalid_profiles.h - profiles with one fault each, made from good ones.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace memprof::feedback::test {

// One entry of faults.txt, whose head says how it is written.
struct InvalidProfile {
  std::string name;
  std::string text;     // of the whole file
  bool refused = false;  // by the reader; otherwise only the validator finds the fault
  std::string message;  // the start of the first one, after the name of the file
};

// All entries of TESTSUITE/invalid/faults.txt.  Throws std::runtime_error for an entry that does not
// fit its profile.
std::vector<InvalidProfile> invalid_profiles(const std::string& testsuite);

}  // namespace memprof::feedback::test
