// cmd_report.cc - memprof report: one HTML file to look at, and to send to a colleague.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>

#include "consumers/cli/advice.h"
#include "consumers/cli/command.h"
#include "consumers/cli/report/write_report.h"
#include "consumers/cli/table.h"
#include "consumers/cli/text_file.h"
#include "feedback/json_report.h"

namespace memprof::cli {
namespace {

const Option k_options[] = {
    {"output", "FILE", "the page (default: the profile's name with .html for .json); also -o"},
    {"source", "DIR", "where the source is, if not where it was compiled; may be repeated"},
    {"against", "PROFILE", "an older profile: what changed since"},
    {"decisions", "FILE", "the rebuilt program, or what -fprofile-mem-remarks= wrote (default: the program beside the profile)"},
    {"verify", "FILE", "what memprof verify --json has printed: measured gains"},
};

// The text of FILE, "null" without one. The page parses it.
feedback::Result<std::string> verified_text(const std::string& file) {
  if (file.empty()) return std::string("null");
  auto text = read_text(file);
  if (!text) return text.error();
  if (text->find("\"transformations\"") != std::string::npos) return *text;
  feedback::Error error;
  error.file = file;
  error.what = "is not what memprof verify --json prints";
  return error;
}

int write(const Arguments& arguments, const std::string& output, const std::string& page) {
  if (output == "-") {
    std::fwrite(page.data(), 1, page.size(), stdout);
    return k_ok;
  }
  if (auto written = write_page(output, page); !written) return fail(written.error());
  if (arguments.json()) {
    feedback::JsonReport json;
    json.open_object();
    json.member("file", output);
    json.member("bytes", page.size());
    json.close_object();
    std::fputs(json.text().c_str(), stdout);
  } else {
    std::printf("%s: %s; open it in a browser\n", output.c_str(), size_text(page.size()).c_str());
  }
  return k_ok;
}

int run(const Arguments& arguments) {
  ReportRequest request;
  request.profile = arguments.operands()[0];
  request.against = arguments.value("against");
  request.sources = arguments.values("source");
  if (arguments.has("decisions")) {
    auto decisions = compiled_decisions(arguments.value("decisions"));
    if (!decisions) return fail(decisions.error());
    request.decisions = std::move(*decisions);
  }
  auto verified = verified_text(arguments.value("verify"));
  if (!verified) return fail(verified.error());
  request.verified = std::move(*verified);
  auto page = make_report(request);
  if (!page) return fail(page.error());
  return write(arguments, arguments.value("output", page_name(request.profile)), *page);
}

}  // namespace

const Command k_report_command = {
    "report",
    "PROFILE",
    "write one HTML file to look at",
    "Writes a page that needs no network and no other file: decisions of a rebuild, hot\n"
    "memory, annotated source, layout of records, loops, objects, streams, how the profile was made,\n"
    "and with --against what changed. -o - is standard output.",
    k_options, 1, 1, false, run};

}  // namespace memprof::cli
