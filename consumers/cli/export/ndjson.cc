// ndjson.cc - a profile as lines of JSON, one for each site: for databases.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each line has all that a query needs, the program and its build too, so that the lines of many
// profiles are one table.  Numbers beyond 2^53 are the greatest that a double holds exactly.
#include <algorithm>

#include "consumers/cli/call_path.h"
#include "consumers/cli/export/cost_rows.h"
#include "consumers/cli/export/formats.h"
#include "feedback/json_text.h"

namespace memprof::cli {
namespace {

class Line {
 public:
  void text(const char* name, const std::string& value) {
    key(name);
    feedback::append_string(line_, value);
  }
  void number(const char* name, std::uint64_t value) {
    key(name);
    line_ += std::to_string(std::min(value, std::uint64_t{1} << 53));
  }
  // As an object: {"input":"large"}.
  void labels(const char* name, const std::vector<feedback::Label>& labels) {
    key(name);
    line_ += '{';
    for (const feedback::Label& label : labels) {
      if (&label != labels.data()) line_ += ',';
      feedback::append_string(line_, label.name);
      line_ += ':';
      feedback::append_string(line_, label.value);
    }
    line_ += '}';
  }
  void real(const char* name, double value) {
    key(name);
    feedback::append_real(line_, value);
  }
  std::string finished() const { return line_ + "}\n"; }

 private:
  void key(const char* name) {
    line_ += line_.empty() ? "{" : ",";
    feedback::append_string(line_, name);
    line_ += ':';
  }
  std::string line_;
};

}  // namespace

std::string to_ndjson(const ProfileView& view, const ExportOptions& options) {
  const feedback::Profile& p = view.profile();
  std::string out;
  for (const CostRow& row : cost_rows(view)) {
    const ProfileView::SiteRef& ref = *row.site;
    const feedback::Site& s = *ref.site;
    Line line;
    line.text("profile", options.profile);
    line.text("program", p.program.name);
    line.text("build_id", p.program.build_id);
    line.text("mode", p.run.mode);
    line.number("runs", p.run.runs);
    line.number("start", p.run.start);
    line.text("host", p.run.host);
    line.labels("labels", p.run.labels);
    line.text("file", ref.file());
    line.number("line", s.line);
    line.number("column", s.column);
    line.text("function", ref.function->name);
    line.text("inlined_function", *call_path(ref).back().function);
    line.number("ordinal", s.ordinal);
    line.text("kind", kind_name(s.kind));
    line.number("width", s.width);
    line.text("expression", s.expression);
    line.text("type", s.type);
    line.text("field", s.field);
    const auto* loop = view.loop(s.loop);
    line.text("loop", loop ? ProfileView::where(*loop) : "");
    line.number("executions", s.executions);
    line.real("error", s.error);
    for (std::size_t i = k_l1; i < k_metrics; i++) line.number(k_cost_metrics[i].name, row.costs[i]);
    const feedback::Stride* stride = view.stride(s.id);
    line.text("stride_class", stride ? class_name(stride->klass) : "");
    line.text("memory", view.points_to(s.id) ? view.main_group(s.id) : "");
    out += line.finished();
  }
  return out;
}

}  // namespace memprof::cli
