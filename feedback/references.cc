// references.cc - which ids a profile has, and whether all others lead to one.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/references.h"

#include <unordered_set>

namespace memprof::feedback {
namespace {

std::string at(std::string base, const char* table, std::size_t i,
               const char* field) {
  return base + '/' + table + '/' + std::to_string(i) + '/' + field;
}

// A row whose id could not be read has been reported already: it has k_none.
void check_id(bool known, Id id, const char* what, const std::string& pointer,
              Faults& faults) {
  if (!known && id != k_none)
    faults.add(pointer, std::string("there is no ") + what + " with id " +
                            std::to_string(id));
}

void duplicate(const char* what, Id id, const std::string& pointer, Faults& faults) {
  if (id != k_none)
    faults.add(pointer, std::string("a second ") + what + " with id " +
                            std::to_string(id));
}

// Parents lie in the same function, and following them ends.
void check_loops(const Function& function, const std::string& base, Faults& faults) {
  std::unordered_map<Id, Id> parents;
  for (const Loop& loop : function.loops) parents.emplace(loop.id, loop.parent);
  for (std::size_t i = 0; i < function.loops.size(); i++) {
    const Id parent = function.loops[i].parent;
    if (parent == k_none) continue;
    if (!parents.contains(parent)) {
      faults.add(at(base, "loops", i, "parent"),
                 "loop " + std::to_string(parent) + " is not in this function");
      return;
    }
  }
  // A chain longer than the number of loops goes round; each loop is walked
  // over once, because a chain ends at the first that is known to be good.
  std::unordered_set<Id> good;
  for (std::size_t i = 0; i < function.loops.size(); i++) {
    std::vector<Id> chain;
    for (Id id = function.loops[i].id; id != k_none && !good.contains(id);
         id = parents[id]) {
      chain.push_back(id);
      if (chain.size() > function.loops.size()) {
        faults.add(at(base, "loops", i, "parent"), "the loop encloses itself");
        return;
      }
    }
    good.insert(chain.begin(), chain.end());
  }
}

void check_sites(const Function& function, const std::string& base, Faults& faults) {
  std::unordered_set<Id> loops;
  std::unordered_set<std::uint32_t> ordinals;
  for (const Loop& loop : function.loops) loops.insert(loop.id);
  for (std::size_t i = 0; i < function.sites.size(); i++) {
    const Site& site = function.sites[i];
    if (site.loop != k_none && !loops.contains(site.loop))
      faults.add(at(base, "sites", i, "loop"),
                 "loop " + std::to_string(site.loop) + " is not in this function");
    if (!ordinals.insert(site.ordinal).second)
      faults.add(at(base, "sites", i, "ordinal"),
                 "a second site with ordinal " + std::to_string(site.ordinal) +
                     " in this function");
  }
}

}  // namespace

IdTable::IdTable(const Profile& profile, Faults& faults) {
  for (std::size_t m = 0; m < profile.modules.size(); m++)
    for (std::size_t f = 0; f < profile.modules[m].functions.size(); f++) {
      if (faults.full()) return;
      const Module& module = profile.modules[m];
      const Function& function = module.functions[f];
      const std::string base = "/modules/" + std::to_string(m) + "/functions/" +
                               std::to_string(f);
      for (std::size_t i = 0; i < function.loops.size(); i++)
        if (!loops.emplace(function.loops[i].id, &function.loops[i]).second)
          duplicate("loop", function.loops[i].id, at(base, "loops", i, "id"), faults);
      for (std::size_t i = 0; i < function.sites.size(); i++) {
        const Site& site = function.sites[i];
        if (!sites.emplace(site.id, SiteEntry{&module, &function, &site}).second)
          duplicate("site", site.id, at(base, "sites", i, "id"), faults);
      }
      check_loops(function, base, faults);
      check_sites(function, base, faults);
    }
  for (std::size_t i = 0; i < profile.groups.size(); i++)
    if (!groups.emplace(profile.groups[i].id, &profile.groups[i]).second)
      duplicate("group", profile.groups[i].id, at("", "groups", i, "id"), faults);
  sites.erase(k_none);
  loops.erase(k_none);
  groups.erase(k_none);
}

void check_references(const Profile& profile, const IdTable& ids,
                      Faults& faults) {
  // FIELDS gets each row and a function to check one of its ids with.
  auto table = [&](const char* name, const auto& rows, auto fields) {
    for (std::size_t i = 0; i < rows.size() && !faults.full(); i++) {
      auto site = [&](const char* field, Id id) {
        check_id(ids.sites.contains(id), id, "site", at("", name, i, field), faults);
      };
      auto loop = [&](const char* field, Id id) {
        check_id(ids.loops.contains(id), id, "loop", at("", name, i, field), faults);
      };
      auto group = [&](const char* field, Id id) {
        check_id(ids.groups.contains(id), id, "group", at("", name, i, field), faults);
      };
      fields(rows[i], site, loop, group);
    }
  };
  table("object_relative", profile.object_relative,
        [](const ObjectRelative& r, auto site, auto, auto group) {
          site("site", r.site);
          group("group", r.group);
        });
  table("mdf", profile.mdf, [](const Mdf& r, auto site, auto, auto) {
    if (r.source != k_external) site("source", r.source);
    site("sink", r.sink);
  });
  table("strides", profile.strides,
        [](const Stride& r, auto site, auto, auto) { site("site", r.site); });
  table("dependences", profile.dependences,
        [](const Dependence& r, auto site, auto loop, auto) {
          if (r.source != k_external) site("source", r.source);
          site("sink", r.sink);
          loop("loop", r.loop);
        });
  table("points_to", profile.points_to,
        [](const PointsTo& r, auto site, auto, auto group) {
          site("site", r.site);
          for (std::size_t i = 0; i < r.groups.size(); i++)
            group(("groups/" + std::to_string(i) + "/0").c_str(), r.groups[i].group);
        });
}

}  // namespace memprof::feedback
