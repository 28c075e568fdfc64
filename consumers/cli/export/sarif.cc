// sarif.cc - the answer of a profile as results that code scanners and editors show.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rules: a line that waits for memory, and a record whose fields lie better in another order.  The
// latter has a fix: the declaration's lines in that order.
//
// Format: SARIF 2.1.0, OASIS.  Places are relative to the folder in which the source was compiled.
#include <algorithm>
#include <cctype>
#include <cstdio>

#include "consumers/cli/advice.h"
#include "consumers/cli/answer.h"
#include "consumers/cli/export/formats.h"
#include "consumers/cli/layout_fix.h"
#include "consumers/cli/table.h"
#include "feedback/json_report.h"
#include "memprof-config.h"

namespace memprof::cli {
namespace {

using feedback::JsonReport;

constexpr std::size_t k_causes = 20;
// From this share of the time on a line is a warning.
constexpr double k_warning_share = 0.05;

struct Rule {
  const char* id;
  const char* name;
  const char* text;
};
constexpr Rule k_rules[] = {
    {"memprof/waits-for-memory", "WaitsForMemory", "The line waits for memory in the profiled run."},
    {"memprof/field-order", "FieldOrder", "Another order of the fields touches fewer cache lines."},
};

// The characters that a URI has as they are, and the slash.
std::string uri_of(const std::string& path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-._~/").find(c) != std::string_view::npos;
    char code[4];
    std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
    uri += plain ? std::string(1, c) : code;
  }
  return uri;
}

void put_text(JsonReport& json, const char* key, const std::string& text) {
  json.key(key);
  json.open_object();
  json.member("text", text);
  json.close_object();
}

void put_artifact(JsonReport& json, const std::string& path) {
  json.key("artifactLocation");
  json.open_object();
  json.member("uri", uri_of(path));
  json.close_object();
}

void put_place(JsonReport& json, const std::string& path, std::uint32_t line, std::uint32_t column) {
  json.key("locations");
  json.open_array();
  json.open_object();
  json.key("physicalLocation");
  json.open_object();
  put_artifact(json, path);
  json.key("region");
  json.open_object();
  json.member("startLine", std::max(line, 1u));
  if (column) json.member("startColumn", column);
  json.close_object();
  json.close_object();
  json.close_object();
  json.close_array();
}

void put_cause(JsonReport& json, const Cause& cause, const std::string& rebuild) {
  std::string text = "waits for memory for " + percent(cause.share) + " of the time: " + cause.why;
  for (const Remedy& remedy : cause.remedies)
    text += "; " + remedy.what +
            (remedy.command.empty() || remedy.command == rebuild ? "" : " (" + remedy.command + ")");
  json.open_object();
  json.member("ruleId", k_rules[0].id);
  json.member("ruleIndex", 0);
  json.member("level", cause.share >= k_warning_share ? "warning" : "note");
  put_text(json, "message", text);
  put_place(json, cause.site->file(), cause.site->site->line, cause.site->site->column);
  json.key("properties");
  json.open_object();
  json.member("share", cause.share);
  json.close_object();
  json.close_object();
}

void put_fix(JsonReport& json, const LayoutFix& fix) {
  json.open_object();
  json.member("ruleId", k_rules[1].id);
  json.member("ruleIndex", 1);
  json.member("level", "note");
  put_text(json, "message", fix.why);
  put_place(json, fix.path, fix.type->line, 0);
  json.key("fixes");
  json.open_array();
  json.open_object();
  put_text(json, "description", "Declare the fields of " + fix.type->name + " in the proposed order");
  json.key("artifactChanges");
  json.open_array();
  json.open_object();
  put_artifact(json, fix.path);
  json.key("replacements");
  json.open_array();
  json.open_object();
  json.key("deletedRegion");
  json.open_object();
  json.member("startLine", fix.first);
  json.member("startColumn", 1);
  json.member("endLine", fix.last + 1);
  json.member("endColumn", 1);
  json.close_object();
  put_text(json, "insertedContent", fix.text);
  json.close_object();
  json.close_array();
  json.close_object();
  json.close_array();
  json.close_object();
  json.close_array();
  json.close_object();
}

}  // namespace

std::string to_sarif(const ProfileView& view, const ExportOptions& options) {
  JsonReport json;
  json.open_object();
  json.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  json.member("version", "2.1.0");
  json.key("runs");
  json.open_array();
  json.open_object();
  json.key("tool");
  json.open_object();
  json.key("driver");
  json.open_object();
  json.member("name", "memprof");
  json.member("version", PACKAGE_VERSION);
  json.key("rules");
  json.open_array();
  for (const Rule& rule : k_rules) {
    json.open_object();
    json.member("id", rule.id);
    json.member("name", rule.name);
    put_text(json, "shortDescription", rule.text);
    json.close_object();
  }
  json.close_array();
  json.close_object();
  json.close_object();
  json.key("results");
  json.open_array();
  const auto decisions = known_decisions(view, options.profile, "");
  const Answer answer = answer_of(view, decisions->all, options.profile, k_causes);
  for (const Cause& cause : answer.causes) put_cause(json, cause, answer.rebuild);
  SourceFiles files(options.sources, options.profile);
  for (const LayoutFix& fix : layout_fixes(view.profile(), files)) put_fix(json, fix);
  json.close_array();
  json.member("columnKind", "utf16CodeUnits");
  json.close_object();
  json.close_array();
  json.close_object();
  return json.text();
}

}  // namespace memprof::cli
