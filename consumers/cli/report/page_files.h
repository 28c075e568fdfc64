// page_files.h - the files of consumers/report as they are embedded.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace memprof::cli {

extern const char k_page_html[];
extern const char k_style_css[];
extern const char k_script_js[];  // all scripts, in their order

}  // namespace memprof::cli
