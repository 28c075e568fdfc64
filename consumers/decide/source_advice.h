// source_advice.h - what a programmer can write so that accesses may be reordered.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For people, and for compilers without our plugin: names of accesses in a loop
// (as site rows of a profile have them) -> what to declare or to keep in a local.
//
//   stores  this->to[i]        locals    this->n, this->to
//   loads   this->n            restrict  this->to, from
//           this->to           ivdep     yes, as no pair met across iterations
//           from[i]
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memprof::decide {

struct NamedPair {
  std::string store, load;  // expressions such as "p->next", "a[i]"
};

struct SourceAdvice {
  std::vector<std::string> restricted;  // pointers that are never equal
  std::vector<std::string> locals;      // to be loaded in front of the loop
  bool ivdep = false;

  // One sentence, or empty.
  std::string text() const;
};

// What is indexed or followed to get at EXPRESSION: "this->to" of "this->to[i]",
// "p" of "*p"; empty if it is neither.
std::string indexed_pointer(std::string_view expression);

// Whether both expressions are about one array or one variable: a[i] and a[i-1],
// r->sum and r->sum.
bool same_variable(std::string_view a, std::string_view b);

// PAIRS: those of a loop that never meet.  CARRIED: some others do, in different
// iterations.
SourceAdvice advise_source(const std::vector<NamedPair>& pairs, bool carried);

}  // namespace memprof::decide
