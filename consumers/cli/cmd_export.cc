// cmd_export.cc - memprof export: a profile for the viewers that people have.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <cstdio>

#include "consumers/cli/command.h"
#include "consumers/cli/export/cost_rows.h"
#include "consumers/cli/export/formats.h"
#include "feedback/file.h"
#include "feedback/json_report.h"
#include "feedback/reader.h"

namespace memprof::cli {
namespace {

const Option k_options[] = {
    {"as", "FORMAT", "callgrind, folded, pprof, csv, dot, speedscope, sarif or ndjson"},
    {"metric", "NAME", "folded: accesses (default), loads, stores, l1, l2, llc or tlb; pprof: shown first"},
    {"top", "N", "dot: at most N edges, most frequent first (default 200, 0 = all)"},
    {"source", "DIR", "sarif: where the source is, if not where it was compiled; may be repeated"},
    {"output", "FILE", "where to write (default: standard output); also -o"},
};

const ExportFormat* find_format(const std::string& name) {
  for (const ExportFormat& f : export_formats())
    if (name == f.name) return &f;
  return nullptr;
}

std::string format_names() {
  std::string names;
  for (const ExportFormat& f : export_formats()) names += (names.empty() ? "" : ", ") + std::string(f.name);
  return names;
}

int write(const Arguments& arguments, const ExportFormat& format, const std::string& text) {
  const std::string output = arguments.value("output");
  if (output.empty() || output == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return k_ok;
  }
  if (auto written = feedback::replace_file(output, {"", text}, false); !written)
    return fail(written.error());
  if (!arguments.json()) return k_ok;
  feedback::JsonReport json;
  json.open_object();
  json.member("file", output);
  json.member("format", format.name);
  json.member("bytes", text.size());
  json.close_object();
  std::fputs(json.text().c_str(), stdout);
  return k_ok;
}

int run(const Arguments& arguments) {
  if (!arguments.has("as")) return fail("export: --as=FORMAT is missing; one of " + format_names());
  const ExportFormat* format = find_format(arguments.value("as"));
  if (!format)
    return fail("export: unknown format '" + arguments.value("as") + "'; one of " + format_names());
  auto top = number_argument(arguments, "top", 200, 1000000000);
  if (!top) return fail(top.error());
  const ExportOptions options{arguments.value("metric", "accesses"), *top, arguments.operands()[0],
                              arguments.values("source")};
  if (!metric_of({}, options.metric))
    return fail("export: --metric: unknown '" + options.metric + "'; see memprof export --help");
  const std::string output = arguments.value("output");
  if (arguments.json() && (output.empty() || output == "-"))
    return fail("export: --json says what was written, so it needs --output=FILE");
  if (format->binary && (output.empty() || output == "-") && isatty(STDOUT_FILENO))
    return fail(std::string("export: ") + format->name + " is binary; use --output=FILE");
  auto profile = feedback::read_profile(arguments.operands()[0], feedback::Input::descriptor_too);
  if (!profile) return fail(profile.error());
  return write(arguments, *format, format->text(ProfileView(*profile), options));
}

}  // namespace

const Command k_export_command = {
    "export",
    "PROFILE",
    "write a profile for other viewers",
    "Writes the accesses, and the misses of the model of the caches, of each site in the\n"
    "form that callgrind_annotate and KCachegrind, flamegraph.pl, pprof, spreadsheets,\n"
    "dot of Graphviz (the flow of data between sites) or speedscope read; sarif: the lines that\n"
    "wait for memory, and better orders of records with an edit of the declaration, as results\n"
    "for code scanning; ndjson: a line of JSON for each site, for a database.",
    k_options, 1, 1, false, run};

}  // namespace memprof::cli
