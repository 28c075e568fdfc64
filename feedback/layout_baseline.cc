// layout_baseline.cc - reads and writes a baseline of layouts.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/layout_baseline.h"

#include <nlohmann/json.hpp>

#include "feedback/json_text.h"

namespace memprof::feedback {
namespace {

using Json = nlohmann::json;

constexpr unsigned k_version = 1;

Error fault(const std::string& file, std::string pointer, std::string what) {
  return {Error::Kind::corrupt, file, std::move(pointer), std::move(what) + "; make the file anew with memprof layout --update"};
}

// The value of KEY if it is one, else null.
const Json* member(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at == object.end() ? nullptr : &*at;
}

bool read_type(const Json& row, TypeLayout& type) {
  if (!row.is_object()) return false;
  const Json *name = member(row, "name"), *bytes = member(row, "bytes"), *hot = member(row, "hot"),
             *lines = member(row, "lines"), *order = member(row, "order");
  if (!name || !name->is_string() || !bytes || !bytes->is_number_unsigned()) return false;
  if ((hot && !hot->is_boolean()) || (lines && !lines->is_number()) || (order && !order->is_string())) return false;
  type.name = name->get<std::string>();
  type.bytes = bytes->get<std::uint64_t>();
  type.hot = hot && hot->get<bool>();
  type.lines = lines ? lines->get<double>() : 0;
  if (order) type.order = order->get<std::string>();
  return true;
}

}  // namespace

std::string layout_baseline_text(const std::vector<TypeLayout>& types) {
  std::string out = "{\"memprof_layout\":" + std::to_string(k_version) + ",\"types\":[";
  for (const TypeLayout& type : types) {
    out += &type == types.data() ? "\n{\"name\":" : ",\n{\"name\":";
    append_string(out, type.name);
    out += ",\"bytes\":" + std::to_string(type.bytes) + ",\"hot\":" + (type.hot ? "true" : "false") + ",\"lines\":";
    append_real(out, type.lines);
    out += ",\"order\":";
    append_string(out, type.order);
    out += '}';
  }
  return out + "\n]}\n";
}

Result<std::vector<TypeLayout>> parse_layout_baseline(const std::string& text, const std::string& name) {
  const Json document = Json::parse(text, nullptr, false);
  const Json* const version = document.is_object() ? member(document, "memprof_layout") : nullptr;
  if (!version) return fault(name, "", "this is no baseline of layouts");
  if (!version->is_number_unsigned() || version->get<unsigned>() != k_version)
    return fault(name, "/memprof_layout", "expected version " + std::to_string(k_version));
  const Json* const rows = member(document, "types");
  if (!rows || !rows->is_array()) return fault(name, "/types", "expected an array");
  std::vector<TypeLayout> types;
  for (const Json& row : *rows)
    if (!read_type(row, types.emplace_back()))
      return fault(name, "/types/" + std::to_string(types.size() - 1), "expected name and bytes of a type");
  return types;
}

}  // namespace memprof::feedback
