// reversed_windows_test.cc - windows whose stretches are read from their ends.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/reuse/reversed_windows.h"

#include <gtest/gtest.h>

#include <string>

namespace memprof::backend {
namespace {

// Lines as letters, `(' and `)' for begin and end, `|' for a cut.
std::string reversed(const std::vector<WindowUse>& uses) {
  ReversedWindows windows;
  std::string text;
  for (const WindowUse& use : uses)
    windows.use(use, WindowUse::line, [&](const WindowUse& u) {
      text += u.kind == WindowUse::begin ? '('
              : u.kind == WindowUse::end ? ')'
              : u.kind == WindowUse::cut ? '|'
                                         : static_cast<char>('A' + u.number);
    });
  return text;
}

WindowUse line(std::uint64_t number, std::uint8_t shift = 0) {
  return {.number = number, .count = 1, .kind = WindowUse::line, .shift = shift, .looked_at = true};
}
const WindowUse k_begin{.kind = WindowUse::begin}, k_end{.kind = WindowUse::end};

TEST(ReversedWindows, FromTheEndToTheBegin) {
  EXPECT_EQ(reversed({k_begin, line(0), line(1), line(2), line(0), k_end}), "(|ACBA)");
}

TEST(ReversedWindows, AStretchEndsWhereFewerLinesAreLookedAt) {
  EXPECT_EQ(reversed({k_begin, line(0), line(1), line(2, 1), line(3, 1), line(4, 2), k_end}), "(|BA|DC|E)");
}

TEST(ReversedWindows, PagesAreLeftOut) {
  WindowUse page = line(5);
  page.kind = WindowUse::page;
  EXPECT_EQ(reversed({k_begin, line(0), page, k_end}), "(|A)");
}

TEST(ReversedWindows, AnUnfinishedWindowLeavesNothing) {
  EXPECT_EQ(reversed({k_begin, line(0), k_begin, line(1), k_end}), "((|B)");
}

// Of a loop that sweeps 1000 lines in 4000 accesses, the window has the first 4.
TEST(ReversedWindows, ALongLoopGoesOn) {
  WindowUse begin = k_begin;
  begin.bytes = 1000, begin.count = 4000;
  ReversedWindows windows;
  std::uint64_t beyond = 0;
  for (const WindowUse& use : {begin, line(0), line(1), line(2), line(3), k_end})
    windows.use(use, WindowUse::line, [&](const WindowUse& u) {
      if (u.kind == WindowUse::cut) beyond = u.count;
    });
  EXPECT_EQ(beyond, 999u);
}

TEST(ReversedWindows, ThreadsAreApart) {
  WindowUse other = line(7), begin = k_begin, end = k_end;
  other.thread = begin.thread = end.thread = 1;
  EXPECT_EQ(reversed({k_begin, begin, line(0), other, line(1), end, k_end}), "((|H)|BA)");
}

}  // namespace
}  // namespace memprof::backend
