// cmd_annotate.cc - memprof annotate: source lines with what they cost.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Without the source there are still the lines' numbers and expressions.
#include <algorithm>
#include <cstdio>
#include <map>

#include "consumers/cli/advice.h"
#include "consumers/cli/call_path.h"
#include "consumers/cli/command.h"
#include "consumers/cli/line_costs.h"
#include "consumers/cli/pager.h"
#include "consumers/cli/place.h"
#include "consumers/cli/source_files.h"
#include "consumers/cli/table.h"
#include "consumers/decide/whole.h"
#include "feedback/json_report.h"
#include "feedback/reader.h"

namespace memprof::cli {
namespace {

const Option k_options[] = {
    {"source", "DIR", "where the source is, if not where it was compiled; may be repeated"},
    {"decisions", "FILE", "the rebuilt program, or what -fprofile-mem-remarks= wrote (default: the program beside the profile)"},
    {"system-headers", nullptr, "inlined code of system headers at its own lines, not at the call's"},
    {"all", nullptr, "all lines of a file, not only those around accesses"},
};

// Lines shown before and after one that has something to say.
constexpr std::uint32_t k_context = 3;

// Decisions of a line from which on refusals are only counted.
constexpr std::size_t k_most_refusals = 4;

// A part of a file.
struct Part {
  std::string file;
  std::uint32_t first = 1, last = ~0u;
  const LineCosts* costs;
};

bool named(const feedback::Function& f, const std::string& name) {
  // Without the arguments of C++.
  return f.name == name || f.linkage_name == name || f.name.substr(0, f.name.find('(')) == name;
}

bool inlined_named(const std::string& function, const std::string& name) {
  return function == name || function.ends_with("::" + name);
}

// Inlined functions called NAME: from the first line with an access or a call to the last.
void add_inlined_parts(const ProfileView& view, const FileCosts& files, const std::string& name,
                       std::vector<Part>& parts) {
  std::map<std::string, Part> found;  // by file
  for (const auto& ref : view.sites())
    for (const PathStep& step : call_path(ref)) {
      if (step.frame == 0 || !inlined_named(*step.function, name)) continue;
      const auto costs = files.find(*step.file);
      if (costs == files.end()) continue;
      Part& part = found.try_emplace(*step.file, Part{*step.file, step.line, step.line, &costs->second}).first->second;
      part.first = std::min(part.first, step.line);
      part.last = std::max(part.last, step.line);
    }
  for (const auto& [file, part] : found) {
    const bool shown = std::any_of(parts.begin(), parts.end(), [&](const Part& p) {
      return p.file == file && p.first <= part.first && part.last <= p.last;
    });
    if (!shown) parts.push_back(part);
  }
}

// The functions called NAME: from their first line to the last one with a site.
std::vector<Part> parts_of_function(const ProfileView& view, const FileCosts& files,
                                    const std::string& name) {
  std::vector<Part> parts;
  for (const auto& m : view.profile().modules)
    for (const auto& f : m.functions) {
      if (!named(f, name)) continue;
      const auto costs = files.find(m.file);
      Part part{m.file, f.line, f.line, costs == files.end() ? nullptr : &costs->second};
      for (const auto& s : f.sites)
        if (s.file.empty()) {
          part.first = std::min(part.first, s.line);
          part.last = std::max(part.last, s.line);
        }
      for (const auto& l : f.loops) part.last = std::max(part.last, l.line);
      if (part.costs) parts.push_back(part);
    }
  add_inlined_parts(view, files, name, parts);
  return parts;
}

std::vector<Part> parts_of_file(const FileCosts& files, const std::string& name) {
  unsigned best = 0;
  for (const auto& [file, costs] : files) best = std::max(best, matching_components(file, name));
  std::vector<Part> parts;
  for (const auto& [file, costs] : files)
    if (best && matching_components(file, name) == best) parts.push_back({file, 1, ~0u, &costs});
  return parts;
}

// TEXT with blanks for tabs, which would move the columns.
std::string expanded(const std::string& text) {
  std::string out;
  for (char c : text)
    if (c == '\t')
      out.append(8 - display_width(out) % 8, ' ');
    else
      out += c;
  return printable(out);
}

std::string shown(std::uint64_t n, std::uint64_t error) { return n ? count_text(n, error) : "."; }
std::string shown(std::uint64_t n, const feedback::ErrorSum& error) {
  return shown(n, decide::whole(error.half_width()));
}

// The lines to be shown of PART; TOTAL: how many the file has. A profile may name lines that
// it has not: these are shown alone.
std::vector<std::uint32_t> lines_of(const Part& part, std::uint32_t total, bool all) {
  std::vector<std::uint32_t> lines;
  const bool whole = all || part.last != ~0u;
  std::uint64_t next = part.first;  // the first line that may still be added
  const auto add = [&](std::uint64_t from, std::uint64_t to) {
    for (next = std::max(next, from); next <= to; next++)
      lines.push_back(static_cast<std::uint32_t>(next));
  };
  if (whole) add(part.first, std::min(part.last, total));
  for (const auto& [n, cost] : *part.costs) {
    if (n < part.first || n > part.last) continue;
    const std::uint32_t around = n <= total ? k_context : 0;
    add(n - std::min(n, around), std::max(std::min(n + around, total), n));
  }
  return lines;
}

// The text of line N; of a line without source, its expressions.
std::string line_text(const SourceText* source, std::uint32_t n, const LineCost* cost) {
  if (source) return n >= 1 && n <= source->lines.size() ? expanded(source->lines[n - 1]) : "";
  std::string text;
  if (cost)
    for (const auto* ref : cost->sites)
      text += (text.empty() ? "" : "; ") + printable(ref->site->expression);
  return text;
}

// Columns of a part; that of inlined functions only where there are some.
class PartTable {
 public:
  explicit PartTable(bool inlined) : inlined_(inlined), table_(columns(inlined)) {}
  void add_row(std::vector<Cell> cells) {
    if (!inlined_) cells.erase(cells.begin() + k_inlined);
    table_.add_row(std::move(cells));
  }
  std::string text(const Style& style) const { return table_.text(style); }

 private:
  static constexpr std::ptrdiff_t k_inlined = 3;
  static std::vector<Column> columns(bool inlined) {
    std::vector<Column> all{{"loads", true}, {"stores", true}, {"L2 misses", true}, {"inlined", true}, {"stride"},
                            {"carried", true}, {"line", true}, {"source"}};
    if (!inlined) all.erase(all.begin() + k_inlined);
    return all;
  }
  bool inlined_;
  Table table_;
};

void add_rows(PartTable& table, std::uint32_t n, const std::string& text, const LineCost& cost) {
  const std::string stride = cost.strides.name();
  table.add_row({shown(cost.loads, cost.loads_error), shown(cost.stores, cost.stores_error),
                 shown(cost.misses.l2, cost.misses.errors.l2), shown(cost.inlined, 0),
                 Cell(stride, stride == "irregular" ? Tint::bad : Tint::none),
                 shown(cost.carried, 0), std::to_string(n), text});
  // Where many are refused it is enough to know why most are.
  const bool many = cost.decisions.size() > k_most_refusals;
  std::map<std::string, std::size_t> refusals;
  for (const decide::Decision* d : cost.decisions) {
    if (many && d->refused()) {
      refusals[std::string(decide::name(d->transformation)) + " (" + decide::name(d->reason) + ")"]++;
      continue;
    }
    const Tint tint = d->take() ? Tint::good : Tint::dim;
    const std::string what = std::string(decide::name(d->transformation)) + ": " + d->text;
    table.add_row({"", "", "", "", "", "", Cell(d->take() ? "yes" : d->open() ? "?" : "no", tint),
                   Cell("  " + printable(what), tint)});
  }
  for (const auto& [what, times] : refusals)
    table.add_row({"", "", "", "", "", "", Cell("no", Tint::dim), Cell("  " + grouped(times) + " x " + what, Tint::dim)});
}

void put_part(std::string& out, const Part& part, const SourceText* source, bool all,
              const Style& style) {
  out += style.heading(printable(part.file)) + (source ? "" : ": not found; try --source=DIR") + "\n";
  PartTable table(std::ranges::any_of(*part.costs, [&](const auto& line) {
    return line.first >= part.first && line.first <= part.last && line.second.inlined != 0;
  }));
  std::uint32_t before = 0;
  const std::uint32_t total = source ? std::uint32_t(source->lines.size()) : 0;
  for (const std::uint32_t n : lines_of(part, total, all)) {
    if (before && n != before + 1)
      table.add_row({"", "", "", "", "", "", "", Cell("...", Tint::dim)});
    before = n;
    const auto at = part.costs->find(n);
    const LineCost* cost = at == part.costs->end() ? nullptr : &at->second;
    const std::string text = line_text(source, n, cost);
    if (cost)
      add_rows(table, n, text, *cost);
    else
      table.add_row({"", "", "", "", "", "", std::to_string(n), Cell(text, Tint::dim)});
  }
  out += table.text(style);
}

void json_line(feedback::JsonReport& json, std::uint32_t n, const LineCost& cost,
               const SourceText* source) {
  json.open_object();
  json.member("line", n);
  if (source && n >= 1 && n <= source->lines.size()) json.member("source", source->lines[n - 1]);
  json.member("loads", cost.loads);
  json.member("stores", cost.stores);
  for (const auto& [name, error] : {std::pair{"loads_error", decide::whole(cost.loads_error.half_width())},
                                    std::pair{"stores_error", decide::whole(cost.stores_error.half_width())},
                                    std::pair{"l2_error", cost.misses.errors.l2}})
    if (error != 0) json.member(name, error);
  json.member("l1", cost.misses.l1);
  json.member("l2", cost.misses.l2);
  json.member("llc", cost.misses.llc);
  json.member("tlb", cost.misses.tlb);
  if (cost.inlined) {
    json.member("inlined", cost.inlined);
    json.member("inlined_l2", cost.inlined_l2);
  }
  json.member("stride", cost.strides.name());
  json.member("unit", cost.strides.unit);
  json.member("constant", cost.strides.constant);
  json.member("irregular", cost.strides.irregular);
  json.member("flow", cost.flow);
  json.member("carried", cost.carried);
  json.key("decisions");
  json.open_array();
  for (const decide::Decision* d : cost.decisions) {
    json.open_object();
    json.member("transformation", decide::name(d->transformation));
    json.member("take", d->take());
    json.member("reason", decide::name(d->reason));
    json.member("text", d->text);
    json.close_object();
  }
  json.close_array();
  json.close_object();
}

void print_json(const std::vector<Part>& parts, SourceFiles& sources) {
  feedback::JsonReport json;
  json.open_object();
  json.key("files");
  json.open_array();
  for (const Part& part : parts) {
    const SourceText* source = sources.find(part.file);
    json.open_object();
    json.member("file", part.file);
    json.member("source", source ? source->path : "");
    json.key("lines");
    json.open_array();
    for (const auto& [n, cost] : *part.costs)
      if (n >= part.first && n <= part.last) json_line(json, n, cost, source);
    json.close_array();
    json.close_object();
  }
  json.close_array();
  json.close_object();
  std::fputs(json.text().c_str(), stdout);
}

int run(const Arguments& arguments) {
  const std::string& wanted = arguments.operands()[1];
  auto profile = feedback::read_profile(arguments.operands()[0], feedback::Input::descriptor_too);
  if (!profile) return fail(profile.error());
  if (arguments.has("system-headers")) use_header_places(*profile);
  const ProfileView view(*profile);
  auto decisions = known_decisions(view, arguments.operands()[0], arguments.value("decisions"));
  if (!decisions) return fail(decisions.error());
  // Most loads have no decision that anyone would ask for.
  std::erase_if(decisions->all, [&](const decide::Decision& d) {
    return !d.take() && !d.open() && d.reason == decide::Reason::few_executions;
  });
  const FileCosts files = file_costs(view, decisions->all);
  std::vector<Part> parts = parts_of_function(view, files, wanted);
  if (parts.empty()) parts = parts_of_file(files, wanted);
  if (parts.empty()) {
    fail(wanted + ": no function of this name and no site of such a file was executed");
    return k_negative;
  }
  SourceFiles sources(arguments.values("source"), arguments.operands()[0]);
  if (arguments.json()) {
    print_json(parts, sources);
    note(sources.note());
    return k_ok;
  }
  const Style style = Style::of(stdout);
  std::string out;
  for (const Part& part : parts)
    put_part(out += out.empty() ? "" : "\n", part, sources.find(part.file),
             arguments.has("all"), style);
  note(sources.note());
  page(out);
  return k_ok;
}

}  // namespace

const Command k_annotate_command = {
    "annotate",
    "PROFILE FILE|FUNCTION",
    "print source lines with what they cost",
    "Prints the source of FILE or FUNCTION with the executions of each line, its misses,\n"
    "the accesses of functions that are inlined there,\n"
    "the class of its strides (unit, constant, irregular), executions that read what an\n"
    "earlier iteration wrote, and what a rebuild decides about it. On a terminal in\n"
    "colour and through $MEMPROF_PAGER, $PAGER or less.",
    k_options, 2, 2, false, run};

}  // namespace memprof::cli
