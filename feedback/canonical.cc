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
#include <unordered_map>

#include "feedback/canonical.h"
#include "feedback/derive.h"
#include "feedback/schema.h"
#include "feedback/writer.h"

namespace memprof::feedback {
namespace {

using IdMap = std::unordered_map<Id, Id>;

Id renamed(const IdMap& map, Id id) {
  const auto it = map.find(id);
  return it == map.end() ? k_none : it->second;
}

auto key(const Module& m) { return std::tie(m.file, m.options_hash, m.options); }
auto key(const Function& f) {
  return std::tie(f.comdat, f.linkage_name, f.checksum, f.name, f.line);
}
auto key(const Site& s) { return std::tie(s.ordinal); }
auto key(const Group& g) {
  return std::tie(g.kind, g.file, g.line, g.function, g.type, g.context,
                  g.allocator);
}
auto key(const ObjectRelative& r) { return std::tie(r.site, r.group); }
auto key(const Mdf& r) { return std::tie(r.sink, r.source); }
auto key(const Stride& r) { return std::tie(r.site); }
auto key(const Dependence& r) {
  return std::tie(r.sink, r.source, r.kind, r.loop, r.context);
}
auto key(const PointsTo& r) { return std::tie(r.site); }

template <typename Row>
void sort_rows(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return key(a) < key(b);
  });
}

struct Numbering {
  IdMap sites, loops, groups;

  void take(Profile& profile) {
    Id site = 0, loop = 0, group = 0;
    for (Module& module : profile.modules)
      for (Function& function : module.functions) {
        for (Loop& l : function.loops) {
          loops.emplace(l.id, loop);
          l.id = loop++;
        }
        for (Loop& l : function.loops) l.parent = renamed(loops, l.parent);
        for (Site& s : function.sites) {
          sites.emplace(s.id, site);
          s.id = site++;
          s.loop = renamed(loops, s.loop);
        }
      }
    for (Group& g : profile.groups) {
      groups.emplace(g.id, group);
      g.id = group++;
    }
  }

  bool site(Id& id) const { return (id = renamed(sites, id)) != k_none; }
  bool group(Id& id) const { return (id = renamed(groups, id)) != k_none; }
  // k_none: in a function that read_module left out.
  bool source(Id& id) const {
    return id == k_external || id == k_none || site(id);
  }
};

template <typename Row, typename Rename>
void renumber(std::vector<Row>& rows, Rename rename) {
  std::erase_if(rows, [&](Row& row) { return !rename(row); });
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
  const bool has_rows[] = {
      !profile.object_relative.empty(), !profile.mdf.empty(),
      !profile.strides.empty(), !profile.dependences.empty(),
      !profile.points_to.empty()};
  std::vector<std::string> tables;
  for (unsigned i = k_first_table; i < k_sections; i++)
    if (has_rows[i - k_first_table] ||
        std::find(profile.sections.begin(), profile.sections.end(),
                  k_section_names[i]) != profile.sections.end())
      tables.push_back(k_section_names[i]);
  return tables;
}

void canonicalise(Profile& profile) {
  for (Module& module : profile.modules) {
    for (Function& function : module.functions) sort_rows(function.sites);
    sort_rows(module.functions);
  }
  sort_rows(profile.modules);
  sort_rows(profile.groups);

  Numbering ids;
  ids.take(profile);
  renumber(profile.object_relative, [&](ObjectRelative& r) {
    const bool known = ids.site(r.site);
    return ids.group(r.group) && known;
  });
  renumber(profile.mdf, [&](Mdf& r) {
    const bool known = ids.source(r.source);
    return ids.site(r.sink) && known;
  });
  renumber(profile.strides, [&](Stride& r) { return ids.site(r.site); });
  renumber(profile.dependences, [&](Dependence& r) {
    const bool known = ids.source(r.source);
    r.loop = renamed(ids.loops, r.loop);
    return ids.site(r.sink) && known;
  });
  renumber(profile.points_to, [&](PointsTo& r) {
    std::erase_if(r.groups, [&](PointsTo::Target& t) { return !ids.group(t.group); });
    std::sort(r.groups.begin(), r.groups.end(),
              [](const auto& a, const auto& b) { return a.group < b.group; });
    return ids.site(r.site);
  });

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
  for (Mdf& r : profile.mdf)
    for (double* value : {&r.lo, &r.est, &r.hi})
      if (!std::isfinite(*value)) *value = 0;
  const double duration = profile.run.duration_s;  // kept to the microsecond
  profile.run.duration_s =
      duration > 0 && duration < 1e12 ? std::round(duration * 1e6) / 1e6 : 0;
  profile.format = format_text();
  profile.sections = present_tables(profile);
}

}  // namespace memprof::feedback
