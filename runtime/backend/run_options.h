// run_options.h - what MPRT_OPTIONS says to the backend, and where the profile
// goes.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/backend/event/module.h"
#include "runtime/wire/ring.h"

namespace memprof::backend {

struct RunOptions {
  std::string output;                  // pattern, or empty
  std::optional<std::string> modules;  // list of names
  std::string fault;
  std::string report;                  // file for the profile's name, or empty
  std::vector<feedback::Label> labels;  // of the run, by name
  bool merge = true;
  bool verbose = false;
  bool windows = true;  // not windows=0
  double converge = 0;  // per cent: see convergence.h
  unsigned workers = 0;  // threads of the backend; 0 = as many as is sensible
  std::map<std::string, std::string, std::less<>> all;  // by key; modules have keys of their own
};

// TEXT is KEY=VALUE, separated by `:' or blanks. The runtime has refused what
// is wrong; keys that are not ours are skipped.
RunOptions parse_run_options(std::string_view text);

// Of this machine.
std::string host_name();

// The modules that LIST ("default", "all" or names, with commas) asks for, in
// registry order. The default are those with the flag IS_DEFAULT. *UNKNOWN gets the names
// that are none.
std::vector<const ModuleEntry*> select_modules(std::string_view list,
                                               mprt_module_flag is_default,
                                               std::vector<std::string>* unknown);

// PROGRAM.memprof.json.
std::string profile_name(const mprt_shared& about);

// The file for the profile: the option's pattern (%p process, %h host, %n
// program, %r MPI rank or 0, %% a percent sign), or PROGRAM.memprof.json in OUTPUT_DIR, or in
// the working directory. A pattern that names a folder means that file in it.
std::string output_path(const mprt_shared& about, const RunOptions& options,
                        const std::string& output_dir);

}  // namespace memprof::backend
