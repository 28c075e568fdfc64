// change_report.cc - the changes between two profiles as text and as JSON.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/change_report.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <string_view>

#include "consumers/cli/show_rows.h"

namespace memprof::cli {
namespace {

using feedback::Change;
using feedback::Changes;
using feedback::Presence;

std::string signed_count(const Change& c) { return (c.grew() ? "+" : "-") + grouped(c.size()); }

std::string relative(std::uint64_t before, std::uint64_t after) {
  if (before == 0) return after == 0 ? "unchanged" : "new";
  const double share = (double(after) - double(before)) / double(before);
  return (share > 0 ? "+" : "") + percent(share);
}

const char* word(const Change& c) {
  return c.presence == Presence::appeared   ? "new"
         : c.presence == Presence::vanished ? "vanished"
         : c.certain                        ? ""
                                            : "uncertain";
}

// The rows of SUBJECT, at most TOP, and how many there are.
std::vector<const Change*> rows_of(const Changes& changes, feedback::Subject subject,
                                   std::size_t top, std::size_t* all) {
  std::vector<const Change*> rows;
  *all = 0;
  for (const Change& c : changes.rows)
    if (c.subject == subject && (++*all, top == 0 || rows.size() < top)) rows.push_back(&c);
  return rows;
}

}  // namespace

std::string changes_text(const Changes& changes, std::size_t top, const Style& style) {
  std::string out = "functions: " + grouped(changes.same_functions) + " unchanged, " +
                    grouped(changes.changed_functions) + " changed, " +
                    grouped(changes.new_functions) + " new, " + grouped(changes.lost_functions) +
                    " vanished\n";
  for (const Changes::Total& t : changes.totals) {
    std::size_t all = 0;
    const auto rows = rows_of(changes, t.subject, top, &all);
    Table table({{"change", true}, {"old", true}, {"new", true}, {""}, {"where"},
                 {"function", false, k_function}, {"what", false, 72}});
    for (const Change* c : rows)
      table.add_row({Cell(signed_count(*c), c->grew() ? Tint::bad : Tint::good),
                     grouped(c->before), grouped(c->after), word(*c), printable(c->where),
                     printable(c->function), printable(c->what)});
    const std::string unit = t.subject == feedback::Subject::group ? " bytes" : "";
    std::string head = std::string(name(t.subject)) + ": " + grouped(t.before) + " -> " +
                       grouped(t.after) + unit + " (" + relative(t.before, t.after) + ")";
    if (rows.size() < all) head += ", " + grouped(rows.size()) + " rows of " + grouped(all);
    if (t.within_error != 0)
      head += ", " + counted(t.within_error, "row differs", "rows differ") +
              " by no more than the error of sampling";
    out += "\n" + section(head, table, style);
  }
  return out;
}

void changes_json(const Changes& changes, std::size_t top, feedback::JsonReport& json) {
  json.key("functions");
  json.open_object();
  json.member("unchanged", changes.same_functions);
  json.member("changed", changes.changed_functions);
  json.member("new", changes.new_functions);
  json.member("vanished", changes.lost_functions);
  json.close_object();
  json.key("subjects");
  json.open_array();
  for (const Changes::Total& t : changes.totals) {
    std::size_t all = 0;
    const auto rows = rows_of(changes, t.subject, top, &all);
    json.open_object();
    json.member("name", name(t.subject));
    json.member("before", t.before);
    json.member("after", t.after);
    json.member("changed", all);
    json.member("within_error", t.within_error);
    json.key("rows");
    json.open_array();
    for (const Change* c : rows) {
      json.open_object();
      json.member("before", c->before);
      json.member("after", c->after);
      json.member("presence", c->presence == Presence::both ? "both" : word(*c));
      json.member("certain", c->certain);
      json.member("where", c->where);
      json.member("function", c->function);
      json.member("what", c->what);
      json.close_object();
    }
    json.close_array();
    json.close_object();
  }
  json.close_array();
}

std::string changes_markdown(const Changes& changes, std::size_t top) {
  // What may not end a cell, nor be taken for HTML.
  const auto cell = [](const std::string& text) {
    std::string out;
    for (const char c : printable(text)) out += c == '|' ? "\\|" : c == '<' ? "&lt;" : c == '`' ? "'" : std::string(1, c);
    return out;
  };
  std::string out = "### Memory profile\n\nFunctions: " + grouped(changes.same_functions) + " unchanged, " +
                    grouped(changes.changed_functions) + " changed, " + grouped(changes.new_functions) + " new, " +
                    grouped(changes.lost_functions) + " vanished\n\n| | old | new | |\n|---|--:|--:|--:|\n";
  for (const Changes::Total& t : changes.totals)
    out += std::string("| ") + name(t.subject) + " | " + grouped(t.before) + " | " + grouped(t.after) + " | " +
           relative(t.before, t.after) + " |\n";
  for (const Changes::Total& t : changes.totals) {
    std::size_t all = 0;
    const auto rows = rows_of(changes, t.subject, top, &all);
    if (rows.empty()) continue;
    out += std::string("\n#### ") + name(t.subject) + ": " + counted(all, "row") + " changed\n\n| change | old | new | | where | function | what |\n|--:|--:|--:|---|---|---|---|\n";
    for (const Change* c : rows)
      out += "| " + signed_count(*c) + " | " + grouped(c->before) + " | " + grouped(c->after) + " | " + word(*c) +
             " | `" + cell(c->where) + "` | " + cell(shortened(c->function)) + " | `" + cell(shortened(c->what)) + "` |\n";
  }
  return out;
}

feedback::Result<std::vector<GrowthLimit>> growth_limits(const std::string& text) {
  std::vector<GrowthLimit> limits;
  const auto wrong = [&](const std::string& word) {
    return feedback::Error{feedback::Error::Kind::usage, "", "",
                           "--fail-on: '" + word + "' is none of accesses, misses, memory, dependences and layout, perhaps with +N%"};
  };
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    GrowthLimit limit{word.substr(0, word.find('+')), 0};
    const std::string_view subjects[] = {"accesses", "misses", "memory", "dependences", "layout"};
    if (std::ranges::find(subjects, limit.subject) == std::end(subjects)) return wrong(word);
    if (const std::size_t plus = word.find('+'); plus != std::string::npos) {
      const std::string number = word.substr(plus + 1);
      char* rest = nullptr;
      limit.percent = std::strtod(number.c_str(), &rest);
      if (number.empty() || std::string_view(rest) != "%" || !(limit.percent >= 0) || limit.subject == "layout")
        return wrong(word);
    }
    limits.push_back(limit);
  }
  return limits;
}

namespace {

std::vector<std::string> larger_records(const feedback::Profile& before, const feedback::Profile& after) {
  std::map<std::string, std::uint64_t> accessed;
  for (const feedback::FieldUse& row : after.fields) feedback::add_count(accessed[row.type], row.loads + row.stores);
  std::vector<std::string> found;
  for (const feedback::RecordType& now : after.types)
    for (const feedback::RecordType& then : before.types)
      if (now.name == then.name && now.bytes > then.bytes && accessed[now.name] != 0)
        found.push_back(now.name + " grew from " + counted(then.bytes, "byte") + " to " + grouped(now.bytes));
  return found;
}

}  // namespace

std::vector<std::string> excesses(const std::vector<GrowthLimit>& limits, const Changes& changes,
                                  const feedback::Profile& before, const feedback::Profile& after) {
  std::vector<std::string> found;
  for (const GrowthLimit& limit : limits) {
    if (limit.subject == "layout") {
      for (std::string& record : larger_records(before, after)) found.push_back(std::move(record));
      continue;
    }
    double growth = 0, all = 0;
    for (const Changes::Total& t : changes.totals)
      if (limit.subject == name(t.subject)) all = double(t.before);
    for (const Change& c : changes.rows)
      if (limit.subject == name(c.subject)) growth += double(c.after) - double(c.before);
    if (growth <= 0 || (all > 0 && growth / all * 100 <= limit.percent)) continue;
    found.push_back(limit.subject + " grew by " + (all > 0 ? percent(growth / all) : "all that there are") + ", " +
                    decimal(limit.percent) + " % are allowed");
  }
  return found;
}

double greatest_change(const Changes& changes) {
  double greatest = 0;
  for (const Change& c : changes.rows) {
    const std::uint64_t before = changes.before(c.subject);
    greatest = std::max(greatest, before ? double(c.size()) / double(before)
                                         : std::numeric_limits<double>::infinity());
  }
  return greatest;
}

}  // namespace memprof::cli
