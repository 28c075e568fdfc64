// pprof.cc - a profile for `go tool pprof' and other readers of profile.proto.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One sample for each site: its function and line, and those that it is inlined into, the metrics of cost_rows.h as values,
// and labels for what pprof can filter by (kind, expression, memory, loop). The message is
// written directly: a field is a key, number * 8 + wire type, and a value; a number is a
// varint (7 bits to a byte, the lowest first), everything else a length and bytes.
//
//     sample_type 1, sample 2, mapping 3, location 4, function 5, string_table 6, time 9, duration 10, comment 13, default 14
//
// The mapping names the program and its build id, by which servers of profiles place it; locations have no
// addresses, and all that is known of them is in the file.
//
// Format: github.com/google/pprof, proto/profile.proto. Readers take it without gzip.
#include <map>
#include <tuple>

#include "consumers/cli/call_path.h"
#include "consumers/cli/export/cost_rows.h"
#include "consumers/cli/export/formats.h"

namespace memprof::cli {
namespace {

// There is one.
constexpr std::uint64_t k_mapping = 1;

class Message {
 public:
  void number(unsigned field, std::uint64_t value) {
    varint(field * 8);
    varint(value);
  }
  void bytes(unsigned field, std::string_view value) {
    varint(field * 8 + 2);
    varint(value.size());
    text_ += value;
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
    text_ += static_cast<char>(value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Strings, functions and locations, each numbered when it is first used.
class Tables {
 public:
  Tables() { string(""); }  // number 0 by definition

  std::uint64_t string(const std::string& text) {
    const auto [at, fresh] = strings_.try_emplace(text, strings_.size());
    if (fresh) string_rows_.push_back(one_line(text));
    return at->second;
  }

  std::uint64_t location(const ProfileView::SiteRef& ref) {
    // The innermost function first.
    const std::vector<PathStep> path = call_path(ref);
    std::string lines;
    for (std::size_t i = path.size(); i-- > 0;) {
      Message line, field;
      line.number(1, function_of(path[i], ref));
      line.number(2, path[i].line);
      field.bytes(4, line.text());
      lines += field.text();
    }
    const auto [at, fresh] = locations_.try_emplace(lines, locations_.size() + 1);
    if (fresh) {
      Message row;
      row.number(1, at->second);
      row.number(2, k_mapping);
      location_rows_.push_back(row.text() + lines);
    }
    return at->second;
  }

  void put(Message& out) const {
    for (const std::string& row : location_rows_) out.bytes(4, row);
    for (const std::string& row : function_rows_) out.bytes(5, row);
    for (const std::string& row : string_rows_) out.bytes(6, row);
  }

 private:
  // Code from another file is a function of that file.
  std::uint64_t function_of(const PathStep& step, const ProfileView::SiteRef& ref) {
    const std::string& linkage_name = step.frame ? *step.function : ref.function->linkage_name;
    const auto [at, fresh] =
        functions_.try_emplace({linkage_name, *step.file}, functions_.size() + 1);
    if (fresh) {
      Message row;
      row.number(1, at->second);
      row.number(2, string(*step.function));
      row.number(3, string(linkage_name));
      row.number(4, string(*step.file));
      // Without its first line: what is inlined may lie above, and pprof would not list it.
      function_rows_.push_back(row.text());
    }
    return at->second;
  }

  std::map<std::string, std::uint64_t> strings_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> functions_;
  std::map<std::string, std::uint64_t> locations_;  // by their lines
  std::vector<std::string> string_rows_, function_rows_, location_rows_;
};

std::string mapping(Tables& tables, const feedback::Program& program) {
  Message message;
  message.number(1, k_mapping);
  message.number(5, tables.string(program.name));
  message.number(6, tables.string(program.build_id));
  // Functions, files, lines and inlined functions are there.
  for (const unsigned field : {7u, 8u, 9u, 10u}) message.number(field, 1);
  return message.text();
}

std::string sample(Tables& tables, const ProfileView& view, const CostRow& row) {
  const auto& ref = *row.site;
  Message message;
  message.number(1, tables.location(ref));
  for (std::uint64_t n : row.costs) message.number(2, n & (~std::uint64_t{0} >> 1));
  const auto* loop = view.loop(ref.site->loop);
  for (const auto& [key, text] : std::initializer_list<std::pair<const char*, std::string>>{
           {"kind", kind_name(ref.site->kind)},
           {"expression", ref.site->expression},
           {"loop", loop ? ProfileView::where(*loop) : ""},
           {"memory", view.points_to(ref.site->id) ? view.main_group(ref.site->id) : ""}}) {
    if (text.empty()) continue;
    Message label;
    label.number(1, tables.string(key));
    label.number(2, tables.string(text));
    message.bytes(3, label.text());
  }
  return message.text();
}

}  // namespace

std::string to_pprof(const ProfileView& view, const ExportOptions& options) {
  Tables tables;
  Message out;
  for (const CostMetric& metric : k_cost_metrics) {
    Message type;
    type.number(1, tables.string(metric.name));
    type.number(2, tables.string("count"));
    out.bytes(1, type.text());
  }
  for (const CostRow& row : cost_rows(view)) out.bytes(2, sample(tables, view, row));
  out.bytes(3, mapping(tables, view.profile().program));
  const std::uint64_t shown = tables.string(options.metric == "accesses" ? "loads" : options.metric);
  const feedback::Run& run = view.profile().run;
  std::vector<std::string> comments;
  if (!run.host.empty()) comments.push_back("host=" + run.host);
  for (const feedback::Label& label : run.labels) comments.push_back(label.name + "=" + label.value);
  std::vector<std::uint64_t> numbers;
  for (const std::string& comment : comments) numbers.push_back(tables.string(comment));
  tables.put(out);
  // Seconds beyond what nanoseconds can say are no time.
  if (constexpr std::uint64_t k_most = 9'000'000'000; run.start < k_most) out.number(9, run.start * 1'000'000'000);
  out.number(10, static_cast<std::uint64_t>(run.duration_s * 1e9));
  for (const std::uint64_t number : numbers) out.number(13, number);
  out.number(14, shown);
  return out.text();
}

}  // namespace memprof::cli
