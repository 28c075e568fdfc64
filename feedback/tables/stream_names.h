// stream_names.h - the table stream_names: what numbers in the file of streams mean.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// What a number in the file of streams represents.
struct StreamName {
  std::uint32_t number = 0;
  Id site = k_none, group = k_none;  // one of them
};

template <class V> void describe(V& v, StreamName& r) {
  v.integer("number", r.number, Need::required);
  v.id("site", r.site, Need::optional);
  v.id("group", r.group, Need::optional);
}

inline auto key(const StreamName& r) { return std::tie(r.site, r.group, r.number); }
inline void add_row(StreamName&, const StreamName&) {}

// Each number is one site or one group; no number twice.
template <>
struct Rules<StreamName> {
  std::set<std::pair<std::uint32_t, bool>> seen;

  template <class Checker>
  void check(Checker& c, const StreamName& r) {
    if ((r.site == k_none) == (r.group == k_none)) c.fault("", "expected a site or a group");
    if (!seen.emplace(r.number, r.site == k_none).second)
      c.fault("number", "a second row with this number");
  }
};

template <class Factors>
void scale(StreamName&, const Factors&) {}

}  // namespace memprof::feedback
