// csv.cc - the sites of a profile as a table (RFC 4180), for spreadsheets and data frames.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdlib>

#include "consumers/cli/export/cost_rows.h"
#include "consumers/cli/export/formats.h"

namespace memprof::cli {
namespace {

// A spreadsheet takes a text that begins so for a formula, which may do anything; numbers are none.
bool formula(const std::string& text) {
  if (text.find_first_of("=+-@\t\r\n") != 0) return false;
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  const bool number = *end == '\0' && text.find_first_not_of("+-.0123456789e") == text.npos;
  return !number;
}

std::string quoted(std::string text) {
  if (formula(text)) text.insert(0, 1, '\'');
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

// "unknown" cells stay empty.
std::string optional_number(std::uint64_t n) { return n ? std::to_string(n) : ""; }

}  // namespace

std::string to_csv(const ProfileView& view, const ExportOptions&) {
  std::string out = "file,line,column,function,kind,width,expression,type,field,loop,loop_iterations,"
                    "executions,stride,stride_share,stride_class,memory";
  for (std::size_t i = k_l1; i < k_metrics; i++) out += std::string(",") + k_cost_metrics[i].name;
  out += "\r\n";
  for (const CostRow& row : cost_rows(view)) {
    const auto& ref = *row.site;
    const feedback::Site& s = *ref.site;
    const auto* loop = view.loop(s.loop);
    const auto* stride = view.stride(s.id);
    for (const std::string& cell :
         {ref.file(), std::to_string(s.line), std::to_string(s.column), ref.function->name,
          std::string(kind_name(s.kind)), optional_number(s.width), s.expression, s.type, s.field,
          loop ? ProfileView::where(*loop) : "", loop ? std::to_string(loop->loop->iterations) : "",
          std::to_string(s.executions), stride ? std::to_string(stride->dominant) : "",
          stride ? std::to_string(stride->share) : "",
          std::string(stride ? class_name(stride->klass) : ""), view.main_group(s.id)})
      out += quoted(cell) + ',';
    for (std::size_t i = k_l1; i < k_metrics; i++)
      out += std::to_string(row.costs[i]) + (i + 1 < k_metrics ? "," : "\r\n");
  }
  return out;
}

}  // namespace memprof::cli
