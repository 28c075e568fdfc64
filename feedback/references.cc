// references.cc - which ids a profile has, and whether all others lead to one.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/references.h"

#include <unordered_set>

#include "feedback/row_ids.h"

namespace memprof::feedback {
namespace {

std::string at(std::string base, const char* table, std::size_t i,
               const std::string& field) {
  return base + '/' + table + '/' + std::to_string(i) + '/' + field;
}

// Whether KNOWN has ID. A row whose id could not be read has been reported already: it has
// k_none.
template <typename Map>
bool leads_somewhere(const Map& known, Id id) {
  return id == k_none || known.contains(id);
}

void duplicate(const char* what, Id id, const std::string& pointer, Faults& faults) {
  if (id != k_none)
    faults.add(pointer, std::string("a second ") + what + " with id " +
                            std::to_string(id));
}

// Calls FAULT with the first place in IDS from which following PARENTS, that of each id or
// k_none, goes round.
template <typename Ids, typename Fn>
void find_cycle(const Ids& ids, const std::unordered_map<Id, Id>& parents, Fn fault) {
  // A chain longer than the number of ids goes round; each id is walked over once, because
  // a chain ends at the first that is known to be good.
  std::unordered_set<Id> good;
  for (std::size_t i = 0; i < ids.size(); i++) {
    std::vector<Id> chain;
    for (Id id = ids[i].id; id != k_none && !good.contains(id); id = parents.at(id)) {
      chain.push_back(id);
      if (chain.size() > ids.size()) return fault(i);
    }
    good.insert(chain.begin(), chain.end());
  }
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
  find_cycle(function.loops, parents, [&](std::size_t i) {
    faults.add(at(base, "loops", i, "parent"), "the loop encloses itself");
  });
}

// The same of groups, which are carved from others.
void check_groups(const std::vector<Group>& groups, Faults& faults) {
  std::unordered_map<Id, Id> parents;
  for (const Group& group : groups) parents.emplace(group.id, group.parent);
  for (std::size_t i = 0; i < groups.size(); i++)
    if (const Id parent = groups[i].parent; parent != k_none && !parents.contains(parent)) {
      faults.add(at("", "groups", i, "parent"),
                 "there is no group with id " + std::to_string(parent));
      parents[groups[i].id] = k_none;
    }
  find_cycle(groups, parents, [&](std::size_t i) {
    faults.add(at("", "groups", i, "parent"), "the group is carved from itself");
  });
}

// Each inlined call comes after the one around it; sites and loops name one of the function.
void check_frames(const Function& function, const std::string& base, Faults& faults) {
  const auto check = [&](const auto& rows, const char* table, auto most) {
    for (std::size_t i = 0; i < rows.size(); i++)
      if (rows[i].frame > most(i))
        faults.add(at(base, table, i, "frame"),
                   "frame " + std::to_string(rows[i].frame) + " is not among the " +
                       std::to_string(most(i)) + (table == std::string_view("frames") ? " before" : " of this function"));
  };
  check(function.frames, "frames", [](std::size_t i) { return i; });
  check(function.sites, "sites", [&](std::size_t) { return function.frames.size(); });
  check(function.loops, "loops", [&](std::size_t) { return function.frames.size(); });
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
      check_frames(function, base, faults);
    }
  for (std::size_t i = 0; i < profile.groups.size(); i++)
    if (!groups.emplace(profile.groups[i].id, &profile.groups[i]).second)
      duplicate("group", profile.groups[i].id, at("", "groups", i, "id"), faults);
  check_groups(profile.groups, faults);
  sites.erase(k_none);
  loops.erase(k_none);
  groups.erase(k_none);
}

void check_references(const Profile& profile, const IdTable& ids,
                      Faults& faults) {
  for_each_table(profile, [&](Section section, const auto& rows) {
    const char* const table = k_section_names[unsigned(section)];
    for (std::size_t i = 0; i < rows.size() && !faults.full(); i++) {
      // Only to look at: describe() is for readers and writers alike.
      auto& row = const_cast<std::remove_cvref_t<decltype(rows[i])>&>(rows[i]);
      for_each_id(row, [&](IdKind kind, IdField field, Id id, Need) {
        const char* missing = nullptr;
        switch (kind) {
          case IdKind::source:
            if (id == k_external) break;
            [[fallthrough]];
          case IdKind::site:
            if (!leads_somewhere(ids.sites, id)) missing = "site";
            break;
          case IdKind::loop:
            if (!leads_somewhere(ids.loops, id)) missing = "loop";
            break;
          case IdKind::group:
            if (!leads_somewhere(ids.groups, id)) missing = "group";
            break;
        }
        if (missing)
          faults.add(at("", table, i, field.text()),
                     std::string("there is no ") + missing + " with id " + std::to_string(id));
      });
    }
  });
}

}  // namespace memprof::feedback
