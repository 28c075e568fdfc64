// header_callers.h - which functions call those of system headers that were not inlined.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The user cannot change std::sort, but the call of it.  A function of a header may be called by others of
// headers: these are followed until a place in the user's code is found.
//
//     main a.cc:7  ->  std::sort  ->  std::__introsort_loop         callers of the latter: a.cc:7
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "consumers/cli/profile_view.h"

namespace memprof::cli {

struct CallPlace {
  std::string file;
  std::uint32_t line = 0;
  auto operator<=>(const CallPlace&) const = default;
};

class HeaderCallers {
 public:
  explicit HeaderCallers(const feedback::Profile& profile);
  // The places in the user's code through which FUNCTION is reached; none: it is the user's own.
  std::set<CallPlace> of(const feedback::Function& function) const;

 private:
  struct Caller {
    std::string function;  // linkage name
    CallPlace place;
  };
  std::map<std::string, std::vector<Caller>> callers_;  // by linkage name
};

}  // namespace memprof::cli
