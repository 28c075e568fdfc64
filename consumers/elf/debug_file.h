// debug_file.h - the separate debug file of a program that was stripped.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Distributions strip programs and keep what was removed elsewhere, found by the build id or by a name
// in the program. The places are those of gdb, in its order:
//
//     /usr/lib/debug/.build-id/12/34abcd.debug
//     DIR/prog.debug, DIR/.debug/prog.debug, /usr/lib/debug/DIR/prog.debug     named in .gnu_debuglink
//     what debuginfod-find(1) fetches, if DEBUGINFOD_URLS names servers
//
// A file counts if it has the program's build id, or if the program has none. Programs with a table of
// symbols were not stripped, and nothing is looked for.
#pragma once

#include <string>
#include <string_view>

namespace memprof::elf {

// Hexadecimal; empty: the file has none, or cannot be read.
std::string build_id_of_file(const std::string& path);

// Empty: there is none.
std::string debug_file_of(const std::string& path);

// The bytes of the section NAME of the file PATH, or of its debug file.
std::string section_of_program(const std::string& path, std::string_view name);

}  // namespace memprof::elf
