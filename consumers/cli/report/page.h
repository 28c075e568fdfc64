// page.h - one HTML file out of the page's parts and its data.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace memprof::cli {

// JSON as the content of a script element: nothing in it can end the element, begin a
// comment or be taken for a line's end by JavaScript, whatever the program's names are.
std::string script_safe(std::string_view json);

// The parts of consumers/report, with DATA and VERIFIED ("null": none), which are JSON.
std::string report_page(std::string_view title, std::string_view data, std::string_view verified);

}  // namespace memprof::cli
