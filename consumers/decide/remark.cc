// remark.cc - decisions as lines of the file of -fprofile-mem-remarks.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One JSON object per line (JSON Lines).  Strings keep their bytes, whatever the
// encoding of file names is; control characters become "?", so that \" and \\ are the
// only escapes and a line is a decision.
#include <algorithm>
#include <cstdlib>

#include "consumers/decide/decision.h"
#include "consumers/decide/match_row.h"
#include "feedback/json_text.h"

namespace memprof::decide {
namespace {

void quote(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? '?' : c;
  }
  out += '"';
}

void key(std::string& out, std::string_view name) {
  out += out.empty() ? '{' : ',';
  quote(out, name);
  out += ':';
}

void append(std::string& out, std::string_view name, std::string_view text) {
  key(out, name);
  quote(out, text);
}

void append(std::string& out, const Number& number) {
  key(out, number.name);
  std::visit(
      [&](auto value) {
        if constexpr (std::is_same_v<decltype(value), double>)
          feedback::append_real(out, value);
        else
          feedback::append_integer(out, value);
      },
      number.value);
}

// The text of member NAME of the object in LINE.
std::string member(std::string_view line, const std::string& name) {
  const std::size_t at = line.find("\"" + name + "\":");
  if (at == line.npos) return {};
  std::string value;
  std::size_t i = at + name.size() + 3;
  if (i < line.size() && line[i] == '"') {
    for (i++; i < line.size() && line[i] != '"'; i++) {
      if (line[i] == '\\') i++;
      if (i < line.size()) value += line[i];
    }
  } else {
    while (i < line.size() && line[i] != ',' && line[i] != '}') value += line[i++];
  }
  return value;
}

std::uint64_t large_member(std::string_view line, const char* name) {
  return std::strtoull(member(line, name).c_str(), nullptr, 10);
}

unsigned number_member(std::string_view line, const char* name) {
  return static_cast<unsigned>(large_member(line, name));
}

Gate gate_of(std::string_view line) {
  const auto real = [line](const char* name) { return std::strtod(member(line, name).c_str(), nullptr); };
  const bool at_most = !member(line, "gate_most").empty();
  return {member(line, "gate"), real("gate_value"), real(at_most ? "gate_most" : "gate_least"), at_most};
}

// The reason of the decision in LINE; of a file by another version perhaps one that is
// not known here.
Reason reason_of(std::string_view line) {
  if (member(line, "taken") == "true") return Reason::taken;
  const std::string word = member(line, "reason");
  for (int i = 0; i <= static_cast<int>(k_last_reason); i++)
    if (const Reason reason = static_cast<Reason>(i);
        reason != Reason::taken && word == name(reason))
      return reason;
  return Reason::code_shape;
}

bool find_transformation(const std::string& word, Transformation* transformation) {
  for (const TransformationWord& row : k_transformation_words)
    if (word == row.word) {
      *transformation = row.transformation;
      return true;
    }
  return false;
}

}  // namespace

std::string remark_line(const Decision& decision) {
  std::string line;
  append(line, "file", decision.place.file);
  append(line, Number{"line", std::uint64_t{decision.place.line}});
  append(line, Number{"column", std::uint64_t{decision.place.column}});
  append(line, "function", decision.place.function);
  append(line, "kind", name(decision.transformation));
  key(line, "taken");
  line += decision.take() ? "true" : "false";
  append(line, "reason", name(decision.reason));
  append(line, Number{"distance", decision.count("distance")});
  append(line, Number{"stride", static_cast<std::int64_t>(decision.count("stride"))});
  append(line, "expression", decision.place.expression);
  if (decision.gain > 0) append(line, Number{"gain", decision.gain});
  for (const Number& number : decision.numbers)
    if (number.name != "distance" && number.name != "stride") append(line, number);
  if (const Gate& gate = decision.gate; !gate.name.empty()) {
    append(line, "gate", gate.name);
    append(line, Number{"gate_value", gate.value});
    append(line, Number{gate.at_most ? "gate_most" : "gate_least", gate.limit});
  }
  append(line, "text", decision.text);
  return line + "}\n";
}

std::vector<Decision> read_remarks(std::string_view text) {
  std::vector<Decision> decisions;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    Decision decision;
    if (!find_transformation(member(line, "kind"), &decision.transformation)) continue;
    decision.reason = reason_of(line);
    decision.place.file = member(line, "file");
    decision.gain = std::strtod(member(line, "gain").c_str(), nullptr);
    decision.place.function = member(line, "function");
    decision.place.expression = member(line, "expression");
    decision.place.line = number_member(line, "line");
    decision.place.column = number_member(line, "column");
    decision.gate = gate_of(line);
    decision.text = member(line, "text");
    decisions.push_back(std::move(decision));
  }
  return decisions;
}

std::string match_line(const MatchRow& row) {
  std::string line;
  append(line, "file", row.file);
  append(line, "kind", "match");
  append(line, "function", row.function);
  append(line, "how", row.how);
  append(line, Number{"checksum", std::uint64_t{row.checksum}});
  append(line, Number{"executions", row.executions});
  append(line, Number{"used", row.used});
  return line + "}\n";
}

std::vector<MatchRow> read_matches(std::string_view text) {
  std::vector<MatchRow> rows;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (member(line, "kind") != "match") continue;
    MatchRow row;
    row.file = member(line, "file");
    row.function = member(line, "function");
    row.how = member(line, "how");
    row.checksum = number_member(line, "checksum");
    row.executions = large_member(line, "executions");
    row.used = large_member(line, "used");
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace memprof::decide
