// layout_check.cc - whether the objects of a link agree about the layout of records.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/layout_check.h"

#include <algorithm>
#include <set>

#include "consumers/decide/field_order.h"

namespace memprof::decide {
namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (;;) {
    const std::size_t tab = line.find('\t');
    words.emplace_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return words;
    line.remove_prefix(tab + 1);
  }
}

std::vector<std::string> rest(const std::vector<std::string>& words, std::size_t from) {
  return {words.begin() + static_cast<std::ptrdiff_t>(from), words.end()};
}

bool read_line(const std::vector<std::string>& words, std::vector<LayoutUnit>& units) {
  const std::string& what = words[0];
  if (what == "unit" && words.size() == 2) {
    units.emplace_back().file = words[1];
    return true;
  }
  if (units.empty()) return false;
  LayoutUnit& unit = units.back();
  if (what == "type" && words.size() >= 5)
    unit.types.push_back({words[1], words[2], words[3], words[4], rest(words, 5)});
  else if (what == "obstacle" && words.size() == 5)
    unit.obstacles.push_back({words[1], words[2], words[3], words[4]});
  else if (what == "allocates" && words.size() == 2)
    unit.allocators.push_back(words[1]);
  else if (what == "symbol" && words.size() >= 3)
    unit.symbols[words[1]] = {words[2] != "used", words[2] == "exported", rest(words, 3)};
  else
    return false;
  return true;
}

// One thing that has a symbol: a unit, or an object without notes.
struct Party {
  const LayoutObject* object;
  const LayoutUnit* unit;            // null: no notes
  const LayoutSymbol* symbol = nullptr;  // null: it says nothing about it
  const std::string& name() const { return unit ? unit->file : object->file; }
};

class Check {
 public:
  Check(const std::vector<LayoutObject>& objects, bool exports)
      : objects_(objects), exports_(exports) {
    for (const LayoutObject& object : objects) {
      for (const LayoutUnit& unit : object.units) add_unit(object, unit);
      add_symbol_table(object);
    }
  }

  std::vector<std::string> run() {
    std::vector<std::string> faults;
    for (const auto& [name, definitions] : types_)
      for (const Definition& d : definitions)
        if (d.type->moved()) {
          const std::string fault = fault_of(d);
          if (!fault.empty()) faults.push_back(text(d, fault));
          break;
        }
    return faults;
  }

 private:
  struct Definition {
    const LayoutUnit* unit;
    const LayoutType* type;
  };

  void add_unit(const LayoutObject& object, const LayoutUnit& unit) {
    for (const LayoutType& type : unit.types) {
      types_[tag_of(type.name)].push_back({&unit, &type});
      for (const std::string& part : type.mentions) users_[tag_of(part)].insert(tag_of(type.name));
    }
    allocators_.insert(unit.allocators.begin(), unit.allocators.end());
    for (const auto& [name, symbol] : unit.symbols) symbols_[name].push_back({&object, &unit, &symbol});
  }

  // What the object has besides what its units say.
  void add_symbol_table(const LayoutObject& object) {
    for (const std::string& name : object.symbols) {
      const bool said = std::any_of(object.units.begin(), object.units.end(), [&](const LayoutUnit& u) {
        return u.symbols.contains(name);
      });
      if (!said) symbols_[name].push_back({&object, nullptr});
    }
  }

  // TYPE, and the types from which it can be reached.
  std::set<std::string> leading_to(const std::string& type) const {
    std::set<std::string> all = {type};
    std::vector<std::string> open = {type};
    while (!open.empty()) {
      const auto at = users_.find(open.back());
      open.pop_back();
      if (at == users_.end()) continue;
      for (const std::string& user : at->second)
        if (all.insert(user).second) open.push_back(user);
    }
    return all;
  }

  std::string fault_of(const Definition& d) const {
    const std::string name = tag_of(d.type->name);
    for (const LayoutObject& object : objects_)
      if (object.unreadable) return object.file + " was compiled with -flto and without the option";
    for (const Definition& other : types_.at(name))
      if (other.type->key != d.type->key || other.type->hash != d.type->hash)
        return other.unit->file + " has " +
               (other.type->key != d.type->key ? "another definition of it" : "its fields in other places") + " (" +
               other.type->place + ")";
    for (const LayoutObject& object : objects_)
      for (const LayoutUnit& unit : object.units)
        for (const LayoutObstacle& o : unit.obstacles)
          if (tag_of(o.name) == name && !(o.kind == "from" && allocators_.contains(o.detail)))
            return unit.file + ": " + obstacle_text({o.kind, o.detail, o.place});
    return symbol_fault(leading_to(name));
  }

  std::string symbol_fault(const std::set<std::string>& leading) const {
    for (const auto& [name, parties] : symbols_)
      for (const Party& p : parties) {
        if (!p.symbol) continue;
        for (const std::string& part : p.symbol->mentions)
          if (leading.contains(tag_of(part))) {
            const std::string fault = disagreement(name, parties, p, tag_of(part));
            if (!fault.empty()) return fault;
          }
      }
    return "";
  }

  // P says that the symbol NAME is about PART: do all others, and is it defined here, for us alone?
  std::string disagreement(const std::string& name, const std::vector<Party>& parties, const Party& p,
                           const std::string& part) const {
    const std::string sharer = p.name() + " shares " + name + " with ";
    bool defined = false;
    for (const Party& other : parties) {
      defined |= other.symbol && other.symbol->defined;
      if (!other.symbol) return sharer + other.name() + ", which was compiled without -fprofile-mem-move-fields";
      const auto& mentions = other.symbol->mentions;
      if (std::none_of(mentions.begin(), mentions.end(), [&](const std::string& m) { return tag_of(m) == part; }))
        return sharer + other.name() + ", which declares it with another type";
      if (exports_ && other.symbol->exported)
        return other.name() + " defines " + name + ", which others than this program can see";
    }
    return defined ? "" : sharer + "code outside of this program";
  }

  static std::string text(const Definition& d, const std::string& fault) {
    const std::string veto = "@field-order " + d.type->name;
    return "fields of " + d.type->name + " (" + d.type->place + ") were moved in " + d.unit->file + ", but " + fault +
           "; to keep them, memprof veto --add='" + veto + "' FILE and rebuild with -fprofile-mem-veto=FILE";
  }

  const std::vector<LayoutObject>& objects_;
  bool exports_;
  std::map<std::string, std::vector<Definition>> types_;
  std::map<std::string, std::set<std::string>> users_;  // of a type: types with a field of it
  std::map<std::string, std::vector<Party>> symbols_;
  std::set<std::string> allocators_;
};

}  // namespace

bool read_layout_notes(std::string_view text, std::vector<LayoutUnit>& units) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || !read_line(words_of(text.substr(0, end)), units)) return false;
    text.remove_prefix(end + 1);
  }
  return true;
}

std::vector<std::string> check_layouts(const std::vector<LayoutObject>& objects, bool exports) {
  return Check(objects, exports).run();
}

}  // namespace memprof::decide
