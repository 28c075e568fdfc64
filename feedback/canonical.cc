// canonical.cc - one order and one numbering for each profile.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two runs that saw the same program do the same must give the same bytes,
// although their backends met functions, groups and pairs in another order.  So:
//
//   1. sort modules, functions, sites and groups by what they are, not by when
//      they came (stable, so that equal keys keep the order of the input);
//   2. number sites, loops and groups from 0 in that order, and note old -> new;
//   3. translate the ids in the tables, drop rows whose site or group is not
//      there, and sort the tables by their ids;
//   4. order histograms, round ratios, list the sections.
//
// COMDAT functions come last in their module: their rows are then the tail of
// the module's part of each table, which lets the index (writer.cc) name them.
// Idempotent.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

#include "feedback/canonical.h"
#include "feedback/derive.h"
#include "feedback/frames.h"
#include "feedback/id_map.h"
#include "feedback/row_ids.h"
#include "feedback/model.h"
#include "feedback/schema.h"
#include "feedback/writer.h"

namespace memprof::feedback {
namespace {

auto key(const Module& m) { return std::tie(m.file, m.options_hash, m.options); }
auto key(const Function& f) {
  return std::tie(f.comdat, f.linkage_name, f.checksum, f.name, f.file, f.line);
}
auto key(const Site& s) { return std::tie(s.ordinal); }
auto key(const Group& g) {
  return std::tie(g.kind, g.file, g.line, g.function, g.type, g.context,
                  g.allocator);
}

// Most are sorted already: they come from a file, or from a sum in that order.
template <typename Row>
void sort_rows(std::vector<Row>& rows) {
  const auto before = [](const Row& a, const Row& b) { return key(a) < key(b); };
  if (!std::is_sorted(rows.begin(), rows.end(), before))
    std::stable_sort(rows.begin(), rows.end(), before);
}

struct Numbering {
  IdNames sites, loops, groups;

  void take(Profile& profile) {
    Id site = 0, loop = 0, group = 0;
    for (Module& module : profile.modules)
      for (Function& function : module.functions) {
        for (Loop& l : function.loops) {
          loops.set_first(l.id, loop);
          l.id = loop++;
        }
        for (Loop& l : function.loops) l.parent = loops[l.parent];
        for (Site& s : function.sites) {
          sites.set_first(s.id, site);
          s.id = site++;
          s.loop = loops[s.loop];
        }
      }
    for (Group& g : profile.groups) {
      groups.set_first(g.id, group);
      g.id = group++;
    }
    for (Group& g : profile.groups) g.parent = groups[g.parent];
  }

  // False when it leads nowhere.
  bool rename(IdKind kind, Id& id) const {
    switch (kind) {
      case IdKind::source:
        // k_none: in a function that read_module left out.
        if (id == k_external || id == k_none) return true;
        [[fallthrough]];
      case IdKind::site: id = sites[id]; break;
      case IdKind::loop: id = loops[id]; break;
      case IdKind::group: id = groups[id]; break;
    }
    return id != k_none;
  }
};

// Drops the rows that are about something unknown, and sorts the others.
template <typename Row>
void renumber(std::vector<Row>& rows, const Numbering& ids) {
  std::erase_if(rows, [&](Row& row) {
    if constexpr (std::is_same_v<Row, PointsTo>) {
      std::erase_if(row.groups, [&](PointsTo::Target& t) {
        return !ids.groups.contains(t.group);
      });
    }
    bool known = true;
    for_each_id(row, [&](IdKind kind, IdField, Id& id, Need need) {
      if (!ids.rename(kind, id) && need == Need::required) known = false;
    });
    if constexpr (std::is_same_v<Row, CoAccess>) sort_members(row);
    if constexpr (std::is_same_v<Row, NeverMet>) {
      std::sort(row.sinks.begin(), row.sinks.end());
      std::sort(row.sources.begin(), row.sources.end());
    }
    return !known;
  });
  sort_rows(rows);
}

// To six significant digits: enough to read, and stable under rereading.
void round_ratio(double& value) {
  if (!std::isfinite(value)) { value = 0; return; }
  char text[64];
  const auto out = std::to_chars(text, text + sizeof text, value,
                                 std::chars_format::general, 6);
  std::from_chars(text, out.ptr, value);
}

}  // namespace

std::vector<std::string> present_tables(const Profile& profile) {
  std::vector<std::string> tables;
  for_each_table(profile, [&](Section section, const auto& rows) {
    const char* const name = k_section_names[unsigned(section)];
    if (!rows.empty() || std::find(profile.sections.begin(), profile.sections.end(),
                                   name) != profile.sections.end())
      tables.push_back(name);
  });
  return tables;
}

void canonicalise(Profile& profile) {
  for (Module& module : profile.modules) {
    for (Function& function : module.functions) {
      sort_rows(function.sites);
      number_frames(function);
      std::ranges::sort(function.calls);
      const auto twice = std::ranges::unique(function.calls);
      function.calls.erase(twice.begin(), twice.end());
    }
    sort_rows(module.functions);
  }
  sort_rows(profile.modules);
  sort_rows(profile.groups);

  Numbering ids;
  ids.take(profile);
  for_each_table(profile, [&](Section, auto& rows) { renumber(rows, ids); });
  for (PointsTo& r : profile.points_to)
    std::sort(r.groups.begin(), r.groups.end(),
              [](const auto& a, const auto& b) { return a.group < b.group; });

  for (Value& r : profile.values)
    std::sort(r.values.begin(), r.values.end(),
              [](const auto& a, const auto& b) { return a.value < b.value; });

  for (Stride& r : profile.strides) {
    expand(r);
    sort_strides(r.histogram);
    sort_strides(r.within_object.histogram);
    round_ratio(r.share);
    round_ratio(r.within_object.share);
  }
  for (ObjectRelative& r : profile.object_relative) expand(r);
  for (Dependence& r : profile.dependences) {
    expand(r);
    round_ratio(r.frequency);
  }
  for (InferredDependence& r : profile.inferred_dependences) round_ratio(r.frequency);
  for (Mdf& r : profile.mdf)
    for (double* value : {&r.lo, &r.est, &r.hi})
      if (!std::isfinite(*value)) *value = 0;
  const double duration = profile.run.duration_s;  // kept to the microsecond
  profile.run.duration_s =
      duration > 0 && duration < 1e12 ? std::round(duration * 1e6) / 1e6 : 0;
  std::sort(profile.run.external_functions.begin(), profile.run.external_functions.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  std::sort(profile.run.labels.begin(), profile.run.labels.end());
  profile.format = format_text();
  profile.sections = present_tables(profile);
}

}  // namespace memprof::feedback
