// pointers.h - the table pointers: objects that pointers point to, by calling contexts.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

enum class PointerTarget : std::uint8_t { object, null, unknown, many };

// What a pointer points to where it is loaded or stored (`at'), or passed or returned
// (`function'), by calling context.
struct PointerUse {
  Id at = k_none;              // a site; none: `function' says
  std::string function;
  std::uint32_t argument = 0;  // of the function, from 1; 0: what it returns
  std::string context;         // "g < f < main"
  PointerTarget target = PointerTarget::object;
  Id group = k_none;           // of the object
  std::string allocated;       // context of its birth
  std::uint64_t count = 0;
  std::uint64_t ends = 0;      // of them, one past the end of the object
};

// In the order of the enumerators.
inline constexpr const char* k_pointer_target_names[] = {"object", "null", "unknown", "many", nullptr};

template <class V> void describe(V& v, PointerUse& r) {
  v.id("site", r.at, Need::optional);
  v.text("function", r.function, Need::optional);
  v.integer("argument", r.argument, Need::optional);
  v.text("context", r.context, Need::optional);
  v.choice("target", r.target, k_pointer_target_names, Need::required);
  v.id("group", r.group, Need::optional);
  v.text("allocated", r.allocated, Need::optional);
  v.integer("count", r.count, Need::required);
  v.integer("ends", r.ends, Need::optional);
}

inline auto key(const PointerUse& r) {
  return std::tie(r.at, r.function, r.argument, r.context, r.target, r.group, r.allocated);
}
inline void add_row(PointerUse& sum, const PointerUse& r) {
  add_count(sum.count, r.count);
  add_count(sum.ends, r.ends);
}

// One row per place, context and target; count <= E; ends <= count.
template <>
struct Rules<PointerUse> {
  std::set<std::pair<std::tuple<Id, std::string, std::uint32_t, std::string>,
                     std::tuple<PointerTarget, Id, std::string>>> seen;

  template <class Checker>
  void check(Checker& c, const PointerUse& r) {
    if (!seen.emplace(std::make_tuple(r.at, r.function, r.argument, r.context),
                           std::make_tuple(r.target, r.group, r.allocated)).second)
      c.fault("", "a second row with this place, context and target");
    if (r.count == 0) c.fault("count", "expected 1 or more");
    c.at_most("ends", r.ends, r.count, "the count");
    if ((r.at == k_none) == r.function.empty()) c.fault("site", "expected a site or a function, and not both");
    if ((r.target == PointerTarget::object) != (r.group != k_none))
      c.fault("group", "expected for an object, and only there");
    if (const auto* s = c.site(r.at))
      c.at_most("count", r.count, s->executions, "the site's executions");
  }
};

template <class Factors>
void scale(PointerUse&, const Factors&) {}

}  // namespace memprof::feedback
