// cmd_layout.cc - memprof layout: where the hot fields of a record lie.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The text is C: what is known and advised is in comments, the proposed
// order is a declaration that compiles as it stands.
#include <algorithm>
#include <cctype>
#include <cstdio>

#include "consumers/cli/command.h"
#include "consumers/cli/layout_growth.h"
#include "consumers/cli/layout_fix.h"
#include "consumers/cli/layout_patch.h"
#include "consumers/cli/source_files.h"
#include "consumers/cli/table.h"
#include "consumers/decide/field_order.h"
#include "consumers/decide/record_order.h"
#include "consumers/decide/whole.h"
#include "feedback/json_report.h"
#include "feedback/reader.h"

namespace memprof::cli {
namespace {

using decide::FieldHeat;
using decide::OrderProposal;
using decide::Placed;
using decide::RecordOrder;
using feedback::Field;
using feedback::RecordType;

const Option k_options[] = {
    {"present", nullptr, "declare the present order instead of the proposed one"},
    {"patch", nullptr, "print a patch of the declaration in the source"},
    {"baseline", "FILE", "compare with FILE; status 1 if a hot record takes more lines of the cache"},
    {"update", nullptr, "write FILE instead (with --baseline)"},
    {"source", "DIR", "where the source is, if it moved; may be repeated (with --patch)"},
};

// "12.3 %", or "12 +-4 %" of an estimate that may be off by HALF.
std::string share_text(double share, double half) {
  if (half < 0.0005) return percent(share);
  char text[64];
  std::snprintf(text, sizeof text, half < 0.01 ? "%.1f +-%.1f %%" : "%.0f +-%.0f %%", 100 * share, 100 * half);
  return text;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

struct Measured {
  const RecordType* type;
  std::map<std::string, FieldHeat> heat;
  std::uint64_t all = 0;
  std::uint64_t error = 0;  // of all
  OrderProposal proposal;
  RecordOrder present;
  decide::Decision rebuild;  // what a rebuild does
};

// Without "struct ": what C needs after the keyword, if it can be one.
std::string tag(const std::string& name) {
  std::string tag = name.starts_with("struct ") ? name.substr(7) : name;
  for (char& c : tag)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return tag;
}

void print_fields(const Measured& m, const RecordOrder& order) {
  std::uint64_t end = 0;
  for (const Placed& p : order.fields) {
    const Field& f = m.type->fields[p.field];
    if (p.offset > end && f.bits == 0)
      std::printf("  /* %llu bytes of padding */\n",
                  static_cast<unsigned long long>(p.offset - end));
    if (p.offset / k_line != 0 && p.offset / k_line != (end ? (end - 1) / k_line : 0))
      std::printf("  /* ---- line %llu ---- */\n",
                  static_cast<unsigned long long>(p.offset / k_line));
    const auto at = m.heat.find(f.name);
    const std::uint64_t heat = at == m.heat.end() || f.name.empty() ? 0 : at->second.all();
    std::printf("  %s;%*s /* %llu: %s */\n", printable(f.declaration).c_str(),
                f.declaration.size() < 36 ? static_cast<int>(36 - f.declaration.size()) : 0, "",
                static_cast<unsigned long long>(p.offset),
                heat ? share_text(share(heat, m.all), at->second.error.half_width() / static_cast<double>(m.all)).c_str()
                     : "-");
    end = std::max(end, p.offset + (f.bits ? (f.bit_offset + f.bits + 7) / 8 : f.bytes));
  }
  if (order.bytes > end)
    std::printf("  /* %llu bytes of padding */\n",
                static_cast<unsigned long long>(order.bytes - end));
}

void declare(const Measured& m, const RecordOrder& order) {
  std::printf("struct %s\n{\n", tag(m.type->name).c_str());
  print_fields(m, order);
  std::printf("}%s;\n", m.type->packed ? " __attribute__ ((packed))" : "");
}

std::string lines_text(const RecordOrder& order) {
  return counted(order.lines, "line") + ", " + std::to_string(order.hot_lines) +
         " of them hold 95 % of the accesses";
}

// Of one visit, on average.
std::string format_lines(double lines) {
  char text[40];
  std::snprintf(text, sizeof text, "%.2f lines", lines);
  return text;
}

std::string accesses_text(const Measured& m) {
  return m.error == 0 ? counted(m.all, "access", "accesses") : count_text(m.all, m.error) + " accesses";
}

void print_text(const Measured& m, bool present) {
  std::printf("/* %s: %s, aligned to %u; %s; %s of padding.\n", printable(m.type->name).c_str(),
              counted(m.type->bytes, "byte").c_str(), m.type->align,
              lines_text(m.present).c_str(), counted(m.present.padding, "byte").c_str());
  std::printf("   %s to its fields. Beside each field: offset, share of these.\n",
              accesses_text(m).c_str());
  if (m.proposal.better)
    std::printf("   Proposed: hot fields first: %s; %s.\n",
                counted(m.proposal.order.bytes, "byte").c_str(),
                lines_text(m.proposal.order).c_str());
  else
    std::printf("   No other order is proposed: %s.\n", m.proposal.reason.c_str());
  if (m.proposal.split)
    std::printf("   The hot fields take %s: a record of them with a pointer to a record of the\n"
                "   others may be better still.\n", counted(m.proposal.hot_bytes, "byte").c_str());
  std::printf("   A rebuild: %s.\n", printable(m.rebuild.text).c_str());
  for (const auto& obstacle : m.type->obstacles)
    std::printf("     %s\n", printable(decide::obstacle_text(obstacle)).c_str());
  std::printf("   Check before you change it: code may depend on the order (files, casts,\n"
              "   initialisers without names, other modules). */\n");
  declare(m, present ? m.present : m.proposal.order);
}

void layout_json(feedback::JsonReport& json, const char* key, const Measured& m,
                 const RecordOrder& order) {
  json.key(key);
  json.open_object();
  json.member("bytes", order.bytes);
  json.member("padding", order.padding);
  json.member("lines", order.lines);
  json.member("hot_lines", order.hot_lines);
  json.key("fields");
  json.open_array();
  for (const Placed& p : order.fields) {
    const Field& f = m.type->fields[p.field];
    const auto at = m.heat.find(f.name);
    json.open_object();
    json.member("name", f.name);
    json.member("declaration", f.declaration);
    json.member("offset", p.offset);
    json.member("bytes", f.bytes);
    if (at != m.heat.end() && at->second.error.half_width() >= 0.5)
      json.member("error", decide::whole(at->second.error.half_width()));
    json.member("loads", at == m.heat.end() ? 0 : at->second.loads);
    json.member("stores", at == m.heat.end() ? 0 : at->second.stores);
    json.close_object();
  }
  json.close_array();
  json.close_object();
}

void print_json(const std::vector<Measured>& found) {
  feedback::JsonReport json;
  json.open_object();
  json.key("types");
  json.open_array();
  for (const Measured& m : found) {
    json.open_object();
    json.member("name", m.type->name);
    json.member("align", m.type->align);
    json.member("accesses", m.all);
    if (m.error != 0) json.member("accesses_error", m.error);
    json.member("better", m.proposal.better);
    json.member("reason", m.proposal.reason);
    json.member("split", m.proposal.split);
    json.member("hot_bytes", m.proposal.hot_bytes);
    json.member("take", m.rebuild.take());
    json.member("take_reason", decide::name(m.rebuild.reason));
    json.member("text", m.rebuild.text);
    json.key("obstacles");
    json.open_array();
    for (const auto& obstacle : m.type->obstacles) json.value(decide::obstacle_text(obstacle));
    json.close_array();
    layout_json(json, "present", m, m.present);
    layout_json(json, "proposed", m, m.proposal.order);
    json.close_object();
  }
  json.close_array();
  json.close_object();
  std::fputs(json.text().c_str(), stdout);
}

// Every type, the most accessed first.
void print_list(const std::vector<Measured>& found) {
  Table table({{"accesses", true}, {"bytes", true}, {"padding", true}, {"lines", true},
               {"hot lines", true}, {"proposed", true}, {"rebuild"}, {"type"}});
  for (const Measured& m : found)
    table.add_row({count_text(m.all, m.error), grouped(m.type->bytes), grouped(m.present.padding),
                   grouped(m.present.lines), grouped(m.present.hot_lines),
                   m.proposal.better ? grouped(m.proposal.order.hot_lines) : "-",
                   m.rebuild.take() ? "reorders" : decide::name(m.rebuild.reason),
                   m.type->name});
  std::fputs(table.empty() ? "no record types in this profile\n"
                           : table.text(Style::of(stdout)).c_str(), stdout);
}

// What the cold fields cost where the hot ones are, as comments.
void print_split(const Measured& m) {
  const std::uint64_t pointer = 8, hot = (m.proposal.hot_bytes + pointer - 1) / pointer * pointer + pointer;
  std::printf("# A split may pay more: a record of these with a pointer to one of the others takes %s instead of %s,\n# so %s "
              "instead of %s fetched by each visit:",
              counted(hot, "byte").c_str(), counted(m.type->bytes, "byte").c_str(),
              counted((hot + k_line - 1) / k_line, "line").c_str(), format_lines(m.rebuild.number("lines_before")).c_str());
  std::uint64_t end = 0;
  for (const Placed& p : m.proposal.order.fields) {
    if (end >= m.proposal.hot_bytes) break;
    std::printf("%s %s", end ? "," : "", printable(m.type->fields[p.field].name).c_str());
    end = p.offset + p.bytes;
  }
  std::printf("\n");
}

int print_patch(const Measured& m, const feedback::Profile& profile, const Arguments& arguments) {
  if (!m.proposal.better) {
    std::fprintf(stderr, "memprof: %s: no other order is proposed: %s\n", m.type->name.c_str(), m.proposal.reason.c_str());
    return k_negative;
  }
  SourceFiles files(arguments.values("source"), arguments.operands()[0]);
  const SourceText* source = source_of(*m.type, profile, files);
  if (!source)
    return fail(m.type->file + ": not found: name its folder with --source=DIR" +
                (files.note().empty() ? "" : " (" + files.note() + ")"));
  auto patch = layout_patch({source->path, source->lines}, *m.type, m.proposal.order);
  if (!patch) return fail(patch.error());
  std::printf("# %s: a visit touches %s before, %s after; %s to its fields.\n", printable(m.type->name).c_str(),
              format_lines(m.rebuild.number("lines_before")).c_str(), format_lines(m.rebuild.number("lines_after")).c_str(),
              accesses_text(m).c_str());
  for (const auto& obstacle : m.type->obstacles)
    std::printf("# Look at this first: %s\n", printable(decide::obstacle_text(obstacle)).c_str());
  if (m.proposal.split) print_split(m);
  std::fputs(patch->c_str(), stdout);
  return k_ok;
}

int run(const Arguments& arguments) {
  auto profile = feedback::read_profile(arguments.operands()[0], feedback::Input::descriptor_too);
  if (!profile) return fail(profile.error());
  if (arguments.has("baseline")) {
    if (arguments.operands().size() > 1 || arguments.has("patch")) return fail("--baseline is about all records");
    return check_layouts(*profile, arguments.value("baseline"), arguments.has("update"), arguments.json());
  }
  if (arguments.has("update")) return fail("--update needs --baseline=FILE");
  const std::string wanted = arguments.operands().size() > 1 ? arguments.operands()[1] : "";
  std::vector<Measured> found;
  for (const decide::TypeFacts& facts : decide::type_facts(*profile)) {
    const RecordType& type = *facts.type;
    if (!wanted.empty() && type.name != wanted && type.name != "struct " + wanted) continue;
    Measured m{&type, facts.heat, 0, 0, {}, {}, decide::decide_field_order(decide::candidate_of(type), facts, nullptr, {})};
    feedback::ErrorSum error;
    for (const auto& [name, field] : m.heat) m.all += field.all(), error.add(field.error);
    m.error = decide::whole(error.half_width());
    m.proposal = decide::propose_order(type, m.heat);
    m.present = decide::present_order(type, m.heat);
    found.push_back(std::move(m));
  }
  if (arguments.has("patch") && (wanted.empty() || arguments.json()))
    return fail("--patch needs the name of a type, and prints no JSON");
  std::stable_sort(found.begin(), found.end(),
                   [](const Measured& a, const Measured& b) { return a.all > b.all; });
  if (found.empty() && !wanted.empty()) {
    std::fprintf(stderr, "memprof: %s: no site accesses a record type %s\n",
                 arguments.operands()[0].c_str(), wanted.c_str());
    return k_negative;
  }
  if (arguments.has("patch")) return print_patch(found[0], *profile, arguments);
  if (arguments.json())
    print_json(found);
  else if (wanted.empty())
    print_list(found);
  else
    for (const Measured& m : found) print_text(m, arguments.has("present"));
  return k_ok;
}

}  // namespace

const Command k_layout_command = {
    "layout",
    "PROFILE [TYPE]",
    "show where the hot fields of a record lie, and propose another order",
    "Prints TYPE, a structure that the program accesses, as C: offsets, lines of the\n"
    "cache, padding, and how often each field is accessed; its fields are in the\n"
    "proposed order if one is better, and what stands against it is listed. Without\n"
    "TYPE: a table of all of them. --patch prints what `patch -p1' applies to the source\n"
    "that declares TYPE, with comments that say what it is worth. --baseline=FILE is for\n"
    "continuous integration: --update writes FILE, which is kept with the source.",
    k_options, 1, 2, false, run};

}  // namespace memprof::cli
