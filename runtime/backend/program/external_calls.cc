// external_calls.cc - calls of functions that are not instrumented.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/program/external_calls.h"

#include <map>

namespace memprof::backend {

CalleeId ExternalCalls::add_unit(const UnitImage& image) {
  const auto first = static_cast<CalleeId>(callees_.size());
  for (const mprt_function& f : image.functions())
    if ((f.flags & MPRT_FN_STATIC) == 0) defined_.insert(image.text(f.linkage_name));
  for (const mprt_callee& callee : image.callees()) {
    callees_.push_back({image.text(callee.name)});
    if (callee.flags & MPRT_CALLEE_DEFINED) defined_.insert(callees_.back().name);
  }
  return first;
}

void ExternalCalls::look_up(Callee& callee) {
  callee.looked_at = defined_.size();
  callee.external = !defined_.contains(callee.name);
}

std::vector<feedback::ExternalFunction> ExternalCalls::rows() const {
  std::map<std::string, std::uint64_t> calls;
  for (const Callee& callee : callees_)
    if (callee.calls != 0) calls[callee.name] += callee.calls;
  std::vector<feedback::ExternalFunction> rows;
  for (const auto& [name, count] : calls) rows.push_back({name, count});
  return rows;
}

}  // namespace memprof::backend
