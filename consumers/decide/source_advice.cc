// source_advice.cc - what a programmer can write so that accesses may be reordered.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/source_advice.h"

#include <algorithm>

namespace memprof::decide {
namespace {

void add(std::vector<std::string>& list, const std::string& name) {
  if (!name.empty() && std::find(list.begin(), list.end(), name) == list.end())
    list.push_back(name);
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const auto& name : list) text += (text.empty() ? "`" : ", `") + name + "'";
  return text;
}

// A name that the source can have: expressions are shortened with "...".
bool can_be_written(const std::string& name) {
  return !name.empty() && name.find("...") == std::string::npos &&
         name.find("<<") == std::string::npos && name != "access";
}

}  // namespace

std::string indexed_pointer(std::string_view expression) {
  if (expression.starts_with("*")) {
    const std::string_view rest = expression.substr(1);
    const bool name = rest.find_first_of(" +-*([") == rest.npos;
    return name ? std::string(rest) : "";
  }
  const std::size_t bracket = expression.find('[');
  if (bracket == expression.npos || bracket == 0) return "";
  return std::string(expression.substr(0, bracket));
}

bool same_variable(std::string_view a, std::string_view b) {
  const std::string pointer = indexed_pointer(a);
  return a == b || (!pointer.empty() && pointer == indexed_pointer(b));
}

SourceAdvice advise_source(const std::vector<NamedPair>& pairs, bool carried) {
  SourceAdvice advice;
  advice.ivdep = !pairs.empty() && !carried;
  for (const NamedPair& pair : pairs) {
    const std::string store = indexed_pointer(pair.store);
    const std::string load = indexed_pointer(pair.load);
    if (load.empty()) {
      // A member or a variable: nothing of it depends on the iteration, unless
      // it is what the loop stores, too.
      if (can_be_written(pair.load) && pair.load != pair.store)
        add(advice.locals, pair.load);
      continue;
    }
    if (store == load || !can_be_written(store) || !can_be_written(load)) continue;
    add(advice.restricted, store);
    add(advice.restricted, load);
  }
  // What would have to be hoisted is no index of a vector, either.
  advice.ivdep &= advice.locals.empty();
  return advice;
}

std::string SourceAdvice::text() const {
  std::string text;
  const auto also = [&](const std::string& more) {
    text += (text.empty() ? "" : "; ") + more;
  };
  if (!locals.empty()) also("load " + joined(locals) + " into locals in front of the loop");
  if (!restricted.empty()) also("declare " + joined(restricted) + " restrict");
  if (ivdep) also("or write #pragma GCC ivdep in front of the loop");
  return text.starts_with("or ") ? text.substr(3) : text;
}

}  // namespace memprof::decide
