// source_advice.cc - what a programmer can write so that accesses may be reordered.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/source_advice.h"

#include <algorithm>
#include <cctype>
#include <set>

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

bool plain_name(std::string_view expression) {
  // By our texts, and by the front end of C++: of lambdas and of loops over a range.
  static constexpr std::string_view k_invented[] = {
      "access", "operator", "new", "delete", "__closure", "__for_range", "__for_begin", "__for_end"};
  bool part = false;  // a name has begun
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= expression.size(); i++) {
    const char c = i < expression.size() ? expression[i] : '.';
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) || c == '_';
    if (letter || (part && std::isdigit(static_cast<unsigned char>(c)))) {
      if (!part) begin = i;
      part = true;
      continue;
    }
    if (!part) return false;
    const std::string_view word = expression.substr(begin, i - begin);
    if (std::find(std::begin(k_invented), std::end(k_invented), word) != std::end(k_invented))
      return false;
    part = false;
    if (c == '-' && i + 1 < expression.size() && expression[i + 1] == '>')
      i++;
    else if (c != '.')
      return false;
  }
  return true;
}

SourceAdvice advise_source(const std::vector<NamedPair>& pairs, bool carried) {
  SourceAdvice advice;
  advice.ivdep = !pairs.empty() && !carried;
  std::set<std::string> met;  // loads and pointers
  for (const NamedPair& pair : pairs) {
    if (!pair.met) continue;
    const std::string store = indexed_pointer(pair.store.expression);
    const std::string load = indexed_pointer(pair.load.expression);
    met.insert(pair.load.expression);
    if (store != load) met.insert({store, load});
  }
  for (const NamedPair& pair : pairs) {
    const std::string store = indexed_pointer(pair.store.expression);
    const std::string load = indexed_pointer(pair.load.expression);
    if (load.empty()) {
      // What would have to be hoisted is no index of a vector, either.
      advice.ivdep = false;
      if (!pair.load.inlined && pair.load.invariant && plain_name(pair.load.expression) &&
          !met.contains(pair.load.expression) && pair.load.expression != pair.store.expression)
        add(advice.locals, pair.load.expression);
      continue;
    }
    if (store == load || pair.store.inlined || pair.load.inlined || !plain_name(store) ||
        !plain_name(load) || met.contains(store) || met.contains(load))
      continue;
    add(advice.restricted, store);
    add(advice.restricted, load);
  }
  return advice;
}

std::string SourceAdvice::text() const {
  std::string text;
  const auto also = [&](const std::string& more) {
    text += (text.empty() ? "" : "; ") + more;
  };
  const bool one = locals.size() == 1;
  if (!locals.empty())
    also((one ? "does " : "do ") + joined(locals) +
         (one ? " stay the same in the loop? It was loaded from one address, and no store of the "
                "loop met it in this run; then load it into a local before the loop"
              : " stay the same in the loop? Each was loaded from one address, and no store of "
                "the loop met it in this run; then load them into locals before the loop"));
  if (!restricted.empty())
    also("do " + joined(restricted) +
         " never overlap? No store through one met a load through another in this run; then "
         "declare them restrict");
  if (ivdep)
    also("is no iteration ever in need of what an earlier one stored? None was in this run; "
         "then write #pragma GCC ivdep before the loop");
  return text;
}

}  // namespace memprof::decide
