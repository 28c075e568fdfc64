// pager.h - long output on a terminal goes through a pager, as git's does.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace memprof::cli {

// Prints TEXT to standard output. On a terminal through the shell command MEMPROF_PAGER,
// else PAGER, else "less", which is asked to keep colours, to end when all fits on the
// screen, and to leave it there (LESS=FRX unless LESS is set). "cat" or an empty value: none.
void page(const std::string& text);

}  // namespace memprof::cli
