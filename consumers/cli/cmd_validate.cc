// cmd_validate.cc - memprof validate: every fault of some profiles.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>

#include "consumers/cli/command.h"
#include "consumers/cli/table.h"
#include "feedback/json_report.h"
#include "feedback/validate.h"

namespace memprof::cli {
namespace {

using feedback::Error;

constexpr unsigned long k_default_faults = 100;

const Option k_options[] = {
    {"limit", "N", "faults shown of each file (default 100)"},
    {"quiet", nullptr, "print nothing about files that are good"},
};

// A file that cannot be read has not been judged.
bool unreadable(const std::vector<Error>& faults) {
  return faults.size() == 1 && (faults[0].kind == Error::Kind::missing ||
                                faults[0].kind == Error::Kind::unreadable);
}

void add_json(feedback::JsonReport& json, const std::string& path,
              const std::vector<Error>& faults) {
  json.open_object();
  json.member("file", path);
  json.member("valid", faults.empty());
  json.key("faults");
  json.open_array();
  for (const Error& fault : faults) {
    json.open_object();
    json.member("pointer", fault.pointer);
    json.member("what", fault.what);
    json.close_object();
  }
  json.close_array();
  json.close_object();
}

int run(const Arguments& arguments) {
  auto limit = number_argument(arguments, "limit", k_default_faults, 1000000);
  if (!limit) return fail(limit.error());
  if (*limit == 0) *limit = 1000000;
  int status = k_ok;
  feedback::JsonReport json;
  json.open_array();
  for (const std::string& path : arguments.operands()) {
    const std::vector<Error> faults =
        feedback::validate_file(path, static_cast<unsigned>(*limit));
    if (unreadable(faults))
      status = fail(faults[0]);
    else if (!faults.empty() && status == k_ok)
      status = k_negative;
    if (arguments.json()) {
      add_json(json, path, faults);
      continue;
    }
    if (!unreadable(faults))
      for (const Error& fault : faults)
        std::printf("%s\n", printable(fault.text()).c_str());
    if (faults.size() == *limit)
      std::printf("%s: further faults are not shown (--limit)\n", printable(path).c_str());
    if (faults.empty() && !arguments.has("quiet"))
      std::printf("%s: valid\n", printable(path).c_str());
  }
  json.close_array();
  if (arguments.json()) std::fputs(json.text().c_str(), stdout);
  return status;
}

}  // namespace

const Command k_validate_command = {
    "validate",
    "PROFILE...",
    "check profiles against the format and for contradictions",
    "Reports every fault of each PROFILE as FILE:POINTER: WHAT, where POINTER is a\n"
    "JSON pointer: wrong types, missing keys, ids that lead nowhere,\n"
    "counts that contradict each other, an index that does not fit.\n"
    "Exit status: 0 all are valid, 1 faults were found, 2 a file cannot be read.",
    k_options, 1, -1, false, run};

}  // namespace memprof::cli
