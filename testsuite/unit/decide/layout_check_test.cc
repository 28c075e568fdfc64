// layout_check_test.cc - which objects may be linked when fields were moved.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/layout_check.h"

#include <gtest/gtest.h>

namespace memprof::decide {
namespace {

LayoutObject object(const std::string& file, const std::string& notes, std::vector<std::string> symbols = {}) {
  LayoutObject result;
  result.file = file;
  result.symbols = std::move(symbols);
  EXPECT_TRUE(read_layout_notes(notes, result.units)) << notes;
  return result;
}

const std::string k_moved = "unit\ta.c\ntype\tstruct rec\t01\t0f\ta.h:1\n";

// The only fault, or "".
std::string fault(const std::vector<LayoutObject>& objects, bool exports = false) {
  const auto faults = check_layouts(objects, exports);
  EXPECT_LE(faults.size(), 1u);
  return faults.empty() ? "" : faults[0];
}
void has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(LayoutCheck, AcceptsEqualPlaces) {
  EXPECT_EQ(fault({object("a.o", k_moved), object("b.o", "unit\tb.c\ntype\tstruct rec\t01\t0f\ta.h:1\n")}), "");
  EXPECT_EQ(fault({object("a.o", k_moved), object("c.o", "", {"malloc", "main"})}), "");
}

TEST(LayoutCheck, NamesTypeUnitAndVeto) {
  EXPECT_EQ(fault({object("a.o", k_moved), object("b.o", "unit\tb.c\ntype\tstruct rec\t01\t00\ta.h:1\n")}),
            "fields of struct rec (a.h:1) were moved in a.c, but b.c has its fields in other places (a.h:1); to keep "
            "them, memprof veto --add='@field-order struct rec' FILE and rebuild with -fprofile-mem-veto=FILE");
}

TEST(LayoutCheck, RefusesOtherDefinitionsOfTheName) {
  has(fault({object("a.o", k_moved), object("b.o", "unit\tb.cc\ntype\trec\t02\t00\tb.cc:3\n")}),
      "b.cc has another definition of it (b.cc:3)");
}

TEST(LayoutCheck, RefusesObstaclesOfAnyUnit) {
  has(fault({object("a.o", k_moved), object("b.o", "unit\tb.c\nobstacle\tstruct rec\toffsetof\t\tb.c:7\n")}),
      "b.c: offsetof is used at b.c:7");
  const std::string from = "unit\tb.c\nobstacle\tstruct rec\tfrom\tget\tb.c:7\n";
  has(fault({object("a.o", k_moved), object("b.o", from)}), "a function that returns void * (get) at b.c:7");
  EXPECT_EQ(fault({object("a.o", k_moved), object("b.o", from), object("c.o", "unit\tc.c\nallocates\tget\n")}), "");
}

TEST(LayoutCheck, RefusesOtherDeclarationsOfASymbol) {
  const std::string use = k_moved + "symbol\thash\tused\tstruct rec\n";
  EXPECT_EQ(fault({object("a.o", use), object("b.o", "unit\tb.c\nsymbol\thash\tdefined\tstruct rec\n")}), "");
  has(fault({object("a.o", use), object("b.o", "unit\tb.c\nsymbol\thash\tdefined\n")}),
      "a.c shares hash with b.c, which declares it with another type");
  has(fault({object("a.o", use), object("lib.so", "", {"hash"})}),
      "a.c shares hash with lib.so, which was compiled without -fprofile-mem-move-fields");
  has(fault({object("a.o", use)}), "a.c shares hash with code outside of this program");
}

// struct box has a pointer to struct rec; an object that knows only box can get at rec.
TEST(LayoutCheck, FollowsFieldsOfOtherRecords) {
  const std::string box = k_moved + "type\tstruct box\t05\t00\ta.h:9\tstruct rec\nsymbol\topen_box\texported\tstruct box\n";
  has(fault({object("a.o", box), object("lib.so", "", {"open_box"})}), "a.c shares open_box with lib.so");
  EXPECT_EQ(fault({object("a.o", box), object("b.o", "unit\tb.c\nsymbol\topen_box\tused\tstruct box\n")}), "");
  has(fault({object("a.o", box)}, true), "a.c defines open_box, which others than this program can see");
  EXPECT_EQ(fault({object("a.o", box)}), "");
}

// What an object has besides the units that say something, as after `ld -r'.
TEST(LayoutCheck, SeesSymbolsWithoutNotesInAnObjectWithNotes) {
  const std::string use = k_moved + "symbol\thash\tused\tstruct rec\n";
  EXPECT_EQ(fault({object("all.o", use, {"hash"}), object("b.o", "unit\tb.c\nsymbol\thash\tdefined\tstruct rec\n")}), "");
  has(fault({object("a.o", use), object("all.o", "unit\tb.c\n", {"hash"})}), "a.c shares hash with all.o");
}

TEST(LayoutCheck, RefusesWhatItCannotRead) {
  LayoutObject hidden;
  hidden.file = "x.o";
  hidden.unreadable = true;
  has(fault({object("a.o", k_moved), hidden}), "x.o was compiled with -flto and without the option");
  EXPECT_EQ(fault({hidden}), "");
  std::vector<LayoutUnit> units;
  EXPECT_FALSE(read_layout_notes("type\tstruct rec\t01\t0f\ta.h:1\n", units));  // of no unit
  EXPECT_FALSE(read_layout_notes("unit\ta.c\nwhat\tis\tthis\n", units));
  EXPECT_FALSE(read_layout_notes("unit\ta.c", units));  // cut short
}

}  // namespace
}  // namespace memprof::decide
