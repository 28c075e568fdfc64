// layout_check.h - whether the objects of a link agree about the layout of records.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A rebuild that moves fields (-fprofile-mem-move-fields) is right only if each unit of the program has the
// fields in the same places and no code depends on them.  A compile sees one unit.  So each unit writes down
// what it has seen, as lines of words separated by tabs, and this check compares them at link time:
//
//   unit      FILE                                        begins what one unit says
//   type      NAME  KEY  HASH  PLACE  NAME...             a definition: its fields in the order of the source,
//                                                         the places they have (0: as in the source), and the
//                                                         records that its fields are of or point to
//   obstacle  NAME  KIND  DETAIL  PLACE                   code that depends on the layout of NAME
//   allocates FUNCTION                                    it returns new memory as void *
//   symbol    NAME  exported|defined|used  NAME...        a variable or function with external linkage, and
//                                                         the records that its type is about
//
// Refused, for each record with moved fields in any unit:
//
//   1. another unit has a record of this name with other fields or other places
//   2. a unit has an obstacle
//   3. a symbol is about the record, directly or through fields of others, and another object that has the
//      symbol does not say so: it declares it with other types, or it was compiled without the option
//   4. such a symbol can be seen from outside of what is linked
//
// An object without notes, a library say, has symbols that are about nothing.  Pure: no I/O.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memprof::decide {

struct LayoutType {
  std::string name;
  std::string key, hash;  // of the source, of the places; equal texts mean equal layouts
  std::string place;      // FILE:LINE
  std::vector<std::string> mentions;
  bool moved() const { return hash.find_first_not_of('0') != std::string::npos; }
};

struct LayoutObstacle {
  std::string name, kind, detail, place;
};

struct LayoutSymbol {
  bool defined = false, exported = false;
  std::vector<std::string> mentions;
};

struct LayoutUnit {
  std::string file;
  std::vector<LayoutType> types;
  std::vector<LayoutObstacle> obstacles;
  std::vector<std::string> allocators;
  std::map<std::string, LayoutSymbol> symbols;
};

struct LayoutObject {
  std::string file;               // with the member of an archive
  std::vector<LayoutUnit> units;  // none: compiled without the option
  std::vector<std::string> symbols;  // global ones of its symbol table, defined or not
  bool unreadable = false;        // its symbols are not known
};

// The units in TEXT, the lines of one section; a line that is none ends the reading, and the result is false.
bool read_layout_notes(std::string_view text, std::vector<LayoutUnit>& units);

// What is wrong, one message for each record; EXPORTS: symbols of the output can be seen by others.
std::vector<std::string> check_layouts(const std::vector<LayoutObject>& objects, bool exports);

}  // namespace memprof::decide
