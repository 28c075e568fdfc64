// verify_output.h - what both kinds of memprof verify print and write.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "feedback/json_report.h"
#include "feedback/result.h"

namespace memprof::cli {

// "memprof: TEXT" on stderr, unless QUIET.
void progress(bool quiet, const std::string& text);

// "1.234"
std::string ratio_text(double ratio);

// Adds the vetoes of VETOES that the veto file FILE lacks.
feedback::Status write_vetoes(const std::string& file, const std::vector<std::string>& vetoes);

// Says that VETOES are in FILE: as text, or as two members of an open object.
void print_vetoes(const std::vector<std::string>& vetoes, const std::string& file);
void print_vetoes(feedback::JsonReport& json, const std::vector<std::string>& vetoes, const std::string& file);

}  // namespace memprof::cli
