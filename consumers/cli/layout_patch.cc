// layout_patch.cc - the declaration of a record in its source, in the proposed order, as a patch.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/layout_patch.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace memprof::cli {
namespace {

using feedback::Error;
using feedback::Result;
using Lines = std::vector<std::string>;

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// TEXT with a blank for each character of a comment or literal, so that places stay.
std::string code_of(const std::string& text) {
  std::string code = text;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text.compare(i, 2, "//") == 0)
      end = std::min(text.find('\n', i), text.size());
    else if (text.compare(i, 2, "/*") == 0)
      end = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
    else if (text[i] == '"' || text[i] == '\'')
      for (; end < text.size() && text[end - (end > i + 1 && text[end - 1] == '\\')] != text[i];) end++;
    else {
      i++;
      continue;
    }
    for (; i < end && i < text.size(); i++)
      if (code[i] != '\n') code[i] = ' ';
  }
  return code;
}

bool has_word(std::string_view code, std::string_view word) {
  for (std::size_t at = code.find(word); at != std::string_view::npos; at = code.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !word_char(code[at - 1])) && (end == code.size() || !word_char(code[end]))) return true;
  }
  return false;
}

// Where the bracket that CODE has at OPEN is closed.
std::size_t closing(const std::string& code, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); i++) {
    if (code[i] == '{' || code[i] == '(' || code[i] == '[') depth++;
    if (code[i] == '}' || code[i] == ')' || code[i] == ']')
      if (--depth == 0) return i;
  }
  return std::string::npos;
}

// A declaration with what belongs to it: the comments before it, and the rest of its last line.
struct Member {
  std::size_t begin, end;              // in the text
  std::vector<std::size_t> fields;     // of the type
};

// The members between BEGIN and END; what comes after the last one is none.
std::vector<Member> members_of(const std::string& text, const std::string& code, std::size_t begin, std::size_t end) {
  std::vector<Member> members;
  std::size_t start = begin;
  for (std::size_t i = begin; i < end; i++) {
    if (code[i] == '{' || code[i] == '(' || code[i] == '[') {
      const bool body = code[i] == '{';
      i = closing(code, i);
      // The body of a function ends without a semicolon.
      const std::size_t next = code.find_first_not_of(" \t\n", i + 1);
      if (!body || next >= end || (!word_char(code[next]) && std::string_view(";[*:,=").find(code[next]) != std::string_view::npos) ||
          has_word(std::string_view(code).substr(start, i - start), "struct") ||
          has_word(std::string_view(code).substr(start, i - start), "union") ||
          has_word(std::string_view(code).substr(start, i - start), "enum"))
        continue;
    } else if (code[i] != ';') {
      continue;
    }
    std::size_t stop = i + 1;
    // A comment on the same line, if no other declaration stands there.
    const std::size_t line = std::min(text.find('\n', stop), end);
    if (code.find_first_not_of(" \t", stop) >= line) stop = line + (line < end);
    members.push_back({start, stop, {}});
    i = stop - 1;
    start = stop;
  }
  return members;
}

// CODE without what is in braces, and in parentheses other than those of (*name): names in there are others'.
std::string names_only(std::string_view part) {
  std::string code(part);
  for (std::size_t i = 0; i < code.size(); i++) {
    const bool brace = code[i] == '{';
    const std::size_t inside = code.find_first_not_of(" \t\n", i + 1);
    if (!brace && (code[i] != '(' || (inside != std::string::npos && code[inside] == '*'))) continue;
    const std::size_t end = std::min(closing(code, i), code.size());
    for (i++; i < end; i++) code[i] = ' ';
  }
  return code;
}

// Gives each field to the member that declares it; false if one has none.
bool assign_fields(std::vector<Member>& members, const std::string& code, const feedback::RecordType& type) {
  std::vector<std::string> names;
  for (const Member& m : members) names.push_back(names_only(std::string_view(code).substr(m.begin, m.end - m.begin)));
  std::size_t at = 0;
  for (std::size_t f = 0; f < type.fields.size(); f++) {
    const std::string& name = type.fields[f].name;
    const auto declares = [&](std::size_t m) { return !name.empty() && has_word(names[m], name); };
    std::size_t m = at;
    while (m < members.size() && !declares(m)) m++;
    // One without a name, as padding bits have, stays with the one before.
    if (m == members.size() && (!name.empty() || members.empty())) return false;
    if (m < members.size()) at = m;
    members[at].fields.push_back(f);
  }
  return true;
}

// The members in ORDER; those of one run of bit-fields follow its first one, those that are no fields the others.
std::vector<std::size_t> in_order(const std::vector<Member>& members, std::size_t fields, const decide::RecordOrder& order) {
  std::vector<std::size_t> owner(fields), sequence;
  for (std::size_t m = 0; m < members.size(); m++)
    for (const std::size_t f : members[m].fields) owner[f] = m;
  std::set<std::size_t> placed, done;
  for (const decide::Placed& p : order.fields) placed.insert(p.field);
  const auto add = [&](std::size_t m) {
    if (done.insert(m).second) sequence.push_back(m);
  };
  for (const decide::Placed& p : order.fields) {
    add(owner[p.field]);
    for (std::size_t f = p.field + 1; f < fields && !placed.contains(f); f++) add(owner[f]);
  }
  for (std::size_t m = 0; m < members.size(); m++) add(m);
  return sequence;
}

Lines split(const std::string& text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

Error cannot(const PatchedSource& source, const feedback::RecordType& type, const std::string& why) {
  Error error;
  error.kind = Error::Kind::usage;
  error.file = source.path;
  error.pointer = "line " + std::to_string(type.line);
  error.what = type.name + ": " + why + "; change it by hand";
  return error;
}

// For each pair of lines, how many of those from there on are equal in both: the table of the longest
// common subsequence.
std::vector<std::vector<unsigned>> common_lines(const Lines& a, const Lines& b) {
  std::vector<std::vector<unsigned>> table(a.size() + 1, std::vector<unsigned>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      table[i][j] = a[i] == b[j] ? table[i + 1][j + 1] + 1 : std::max(table[i + 1][j], table[i][j + 1]);
  return table;
}

}  // namespace

std::string unified_diff(const std::string& path, const Lines& old, const Lines& changed) {
  constexpr std::size_t k_context = 3;
  std::size_t first = 0, last = 0;  // equal at the beginning and at the end
  const std::size_t shorter = std::min(old.size(), changed.size());
  while (first < shorter && old[first] == changed[first]) first++;
  if (first == old.size() && first == changed.size()) return "";
  while (last < shorter - first && old[old.size() - 1 - last] == changed[changed.size() - 1 - last]) last++;
  const std::size_t before = std::min(first, k_context), after = std::min(last, k_context);
  const Lines a(old.begin() + static_cast<std::ptrdiff_t>(first), old.end() - static_cast<std::ptrdiff_t>(last));
  const Lines b(changed.begin() + static_cast<std::ptrdiff_t>(first), changed.end() - static_cast<std::ptrdiff_t>(last));
  const auto count = [&](const Lines& part) { return std::to_string(part.size() + before + after); };
  const std::string start = std::to_string(first - before + 1);
  std::string text = "--- a/" + path + "\n+++ b/" + path + "\n@@ -" + start + "," + count(a) + " +" + start + "," + count(b) + " @@\n";
  for (std::size_t i = first - before; i < first; i++) text += " " + old[i] + "\n";
  const auto table = common_lines(a, b);
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      text += " " + a[i++] + "\n";
      j++;
    } else if (i < a.size() && (j == b.size() || table[i + 1][j] >= table[i][j + 1])) {
      text += "-" + a[i++] + "\n";
    } else {
      text += "+" + b[j++] + "\n";
    }
  }
  for (std::size_t i = old.size() - last; i < old.size() - last + after; i++) text += " " + old[i] + "\n";
  return text;
}

Result<std::string> layout_patch(const PatchedSource& source, const feedback::RecordType& type,
                                 const decide::RecordOrder& order) {
  if (type.line == 0 || type.line > source.lines.size()) return cannot(source, type, "the source has no such line");
  std::string text;
  std::size_t start = 0;
  for (std::size_t i = 0; i < source.lines.size(); i++) {
    if (i + 1 == type.line) start = text.size();
    text += source.lines[i] + "\n";
  }
  const std::string code = code_of(text);
  const std::size_t open = code.find('{', start), end = open == std::string::npos ? open : closing(code, open);
  if (end == std::string::npos) return cannot(source, type, "no definition begins there");
  const std::string_view body = std::string_view(code).substr(open + 1, end - open - 1);
  if (body.find('#') != std::string_view::npos) return cannot(source, type, "directives (#if) stand inside");
  for (const char* label : {"public", "private", "protected"})
    if (has_word(body, label)) return cannot(source, type, "labels such as public: stand inside");
  // The end of the line with the bracket stays there.
  std::size_t begin = open + 1;
  if (const std::size_t line = code.find('\n', begin); code.find_first_not_of(" \t", begin) == line) begin = line + 1;
  std::vector<Member> members = members_of(text, code, begin, end);
  if (!assign_fields(members, code, type)) return cannot(source, type, "its fields are not those of the profile");
  std::string changed = text.substr(0, begin);
  for (const std::size_t m : in_order(members, type.fields.size(), order))
    changed += text.substr(members[m].begin, members[m].end - members[m].begin);
  changed += text.substr(members.empty() ? begin : members.back().end);
  return unified_diff(source.path, source.lines, split(changed));
}

}  // namespace memprof::cli
