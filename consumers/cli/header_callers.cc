// header_callers.cc - which functions call those of system headers that were not inlined.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/header_callers.h"

namespace memprof::cli {

using namespace feedback;

HeaderCallers::HeaderCallers(const Profile& profile) {
  for (const Module& module : profile.modules)
    for (const Function& function : module.functions)
      for (const HeaderCall& call : function.calls)
        callers_[call.callee].push_back(
            {function.linkage_name, {call.file.empty() ? module.file : call.file, call.line}});
}

std::set<CallPlace> HeaderCallers::of(const Function& function) const {
  std::set<CallPlace> places;
  std::set<std::string> seen{function.linkage_name};
  std::vector<std::string> open{function.linkage_name};
  while (!open.empty()) {
    const auto at = callers_.find(open.back());
    open.pop_back();
    if (at == callers_.end()) continue;
    for (const Caller& caller : at->second)
      if (!callers_.contains(caller.function))
        places.insert(caller.place);
      else if (seen.insert(caller.function).second)
        open.push_back(caller.function);
  }
  return places;
}

}  // namespace memprof::cli
