// source_advice.h - what a programmer can write so that accesses may be reordered.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For people, and for compilers without our plugin.  The rebuild checks at run time that
// stores and loads do not meet; source has no such check.  A profile proves nothing about
// other inputs, so advice about source is a question with the fact that was measured:
//
//   stores  this->to[i]        locals    this->n, this->to
//   loads   this->n            restrict  this->to, from
//           this->to           ivdep     yes, as no pair met across iterations
//           from[i]
//
//   do `this->n', `this->to' stay the same in the loop? ... then load them into locals
//
// Advice uses only names that occur in the source of the loop's function: no variable of
// a function that was inlined, nothing that GCC has made up.  A load becomes a local only
// if each iteration loads it, from the same address: of p->score with another p in each
// iteration, no local can be made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memprof::decide {

struct NamedAccess {
  std::string expression;  // such as "p->next", "a[i]"
  bool inlined = false;    // of a function that was inlined
  // In each entry of the loop, every iteration accessed it, at one address.
  bool invariant = false;
};

struct NamedPair {
  NamedAccess store, load;
  bool met = false;  // within an entry of the loop, or perhaps
};

struct SourceAdvice {
  std::vector<std::string> restricted;  // pointers that were never equal
  std::vector<std::string> locals;      // to be loaded before the loop
  bool ivdep = false;

  // Sentences, or empty.
  std::string text() const;
};

// What is indexed or followed to get at EXPRESSION: "this->to" of "this->to[i]",
// "p" of "*p"; empty if it is neither.
std::string indexed_pointer(std::string_view expression);

// Whether both expressions are about one array or one variable: a[i] and a[i-1],
// r->sum and r->sum.
bool same_variable(std::string_view a, std::string_view b);

// Whether EXPRESSION is a variable or a member of one: "n", "this->to", "a.b->c".
bool plain_name(std::string_view expression);

// PAIRS: those of a loop.  A load that met a store becomes no local; a pointer whose
// accesses met those of another is not restricted.  CARRIED: some pairs met, in different
// iterations.
SourceAdvice advise_source(const std::vector<NamedPair>& pairs, bool carried);

}  // namespace memprof::decide
