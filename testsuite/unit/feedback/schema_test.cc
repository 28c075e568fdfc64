// schema_test.cc - the JSON Schema file says what the program does.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A small checker for the part of JSON Schema that the file uses: $ref, type,
// enum, required, properties, items, minItems, maxItems, minimum, maximum,
// pattern, anyOf.  Any other keyword is an error, so nothing is passed over.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "feedback/json_text.h"
#include "feedback/writer.h"
#include "testsuite/invalid/invalid_profiles.h"
#include "testsuite/unit/feedback/feedback_samples.h"

namespace memprof::feedback {
namespace {

using namespace test;
using Json = nlohmann::json;

const Json& schema() {
  static const Json file =
      Json::parse(slurp(source_path("../feedback/memprof-feedback.schema.json")));
  return file;
}

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return false;
}

// Empty, or where VALUE breaks RULE; CLOSED: keys must be listed.
std::string broken(const Json& value, const Json& rule, bool closed,
                   const std::string& at) {
  static const std::set<std::string> k_silent = {"description", "title", "$schema", "$defs"};
  for (const auto& [word, argument] : rule.items()) {
    std::string fault;
    if (k_silent.contains(word)) continue;
    if (word == "$ref") {
      const Json& target = schema().at(Json::json_pointer(argument.get<std::string>().substr(1)));
      fault = broken(value, target, closed, at);
    } else if (word == "type") {
      if (!has_type(value, argument)) fault = at + ": not of type " + argument.get<std::string>();
    } else if (word == "enum") {
      if (std::find(argument.begin(), argument.end(), value) == argument.end())
        fault = at + ": not one of the enumerators";
    } else if (word == "required") {
      for (const Json& key : argument)
        if (value.is_object() && !value.contains(key)) fault = at + ": lacks " + key.get<std::string>();
    } else if (word == "properties") {
      if (!value.is_object()) continue;
      for (const auto& [key, element] : value.items())
        if (argument.contains(key))
          fault += broken(element, argument[key], closed, at + '/' + key);
        else if (closed)
          fault += at + ": key " + key + " is not in the schema; ";
    } else if (word == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size() && fault.empty(); i++)
        fault = broken(value[i], argument, closed, at + '/' + std::to_string(i));
    } else if (word == "minItems") {
      if (value.is_array() && value.size() < argument) fault = at + ": too few elements";
    } else if (word == "maxItems") {
      if (value.is_array() && value.size() > argument) fault = at + ": too many elements";
    } else if (word == "minimum") {
      if (value.is_number() && value < argument) fault = at + ": too small";
    } else if (word == "maximum") {
      if (value.is_number() && value > argument) fault = at + ": too large";
    } else if (word == "pattern") {
      if (value.is_string() && !std::regex_search(value.get<std::string>(), std::regex(argument.get<std::string>())))
        fault = at + ": does not match";
    } else if (word == "anyOf") {
      bool any = false;
      for (const Json& choice : argument)
        any = any || broken(value, choice, closed, at).empty();
      if (!any) fault = at + ": none of the forms";
    } else {
      fault = "the schema has a keyword that this test does not know: " + word;
    }
    if (!fault.empty()) return fault;
  }
  return "";
}

std::string broken(const std::string& text, bool closed) {
  return broken(Json::parse(text), schema(), closed, "");
}

// Collects the fields of a row as describe() names them.
class FieldList {
 public:
  std::set<std::string> all, required;

  template <typename T> void integer(const char* name, T&, Need need) { add(name, need); }
  void id(const char* name, Id&, Need need) { add(name, need); }
  void source(const char* name, Id&) { add(name, Need::required); }
  void text(const char* name, std::string&, Need need) { add(name, need); }
  void text_or(const char* name, std::string&, std::string&) { add(name, Need::optional); }
  void flag(const char* name, bool&, Need need) { add(name, need); }
  void ratio(const char* name, double&, Need need) { add(name, need); }
  template <typename E> void choice(const char* name, E&, Names, Need need) { add(name, need); }
  template <typename R> void rows(const char* name, std::vector<R>&, Need need) { add(name, need); }
  template <typename S> void object(const char* name, S&) { add(name, Need::optional); }
  template <typename A> void numbers(const char* name, A&, Need need = Need::required) {
    add(name, need);
  }
  template <typename R, typename A, typename B>
  void pairs(const char* name, std::vector<R>&, A, B, Need need) { add(name, need); }
  void ids(const char* name, std::vector<Id>&, Need need) { add(name, need); }
  template <typename L> void lmads(const char* name, L&) { add(name, Need::required); }

 private:
  void add(const char* name, Need need) {
    EXPECT_TRUE(all.insert(name).second) << name << " twice";
    if (need == Need::required) required.insert(name);
  }
};

template <typename Row>
void expect_same_fields(const char* name) {
  FieldList list;
  Row row;
  describe(list, row);
  ASSERT_TRUE(schema()["$defs"].contains(name)) << name;
  const Json& rule = schema()["$defs"][name];
  std::set<std::string> all, required;
  for (const auto& [key, ignored] : rule["properties"].items()) all.insert(key);
  for (const Json& key : rule.value("required", Json::array())) required.insert(key);
  EXPECT_EQ(all, list.all) << name;
  EXPECT_EQ(required, list.required) << name;
}

TEST(Schema, AgreesWithTheInstalledFile) {
  expect_same_fields<Header>("memprof");
  expect_same_fields<Index>("index");
  expect_same_fields<IndexRow>("index_row");
  expect_same_fields<Program>("program");
  expect_same_fields<feedback::Run>("run");
  expect_same_fields<Label>("label");
  expect_same_fields<Module>("module");
  expect_same_fields<Function>("function");
  expect_same_fields<Loop>("loop");
  expect_same_fields<Site>("site");
  expect_same_fields<Group>("group");
  expect_same_fields<Overflow<2>>("overflow");
  expect_same_fields<LmadStream<2>>("stream");
  expect_same_fields<ObjectRelative>("object_relative");
  expect_same_fields<Mdf>("mdf");
  expect_same_fields<NeverMet>("never_met");
  expect_same_fields<Stride>("stride");
  expect_same_fields<Stride::WithinObject>("within_object");
  expect_same_fields<Dependence>("dependence");
  expect_same_fields<InferredDependence>("inferred_dependence");
  expect_same_fields<Distance>("distance");
  expect_same_fields<PointsTo>("points_to");
  expect_same_fields<Cache>("cache");
  expect_same_fields<Reuse>("reuse");
  expect_same_fields<RecordType>("type");
  expect_same_fields<Field>("field");
  expect_same_fields<Obstacle>("obstacle");
  expect_same_fields<FieldUse>("field_use");
  expect_same_fields<FieldUse::Together>("together");
  expect_same_fields<Lifetime>("lifetime");
  expect_same_fields<DeadStore>("dead_store");
  expect_same_fields<Value>("value");
  expect_same_fields<SilentStore>("silent_store");
  expect_same_fields<StreamClass>("stream_class");
  expect_same_fields<Regularity>("regularity");
  expect_same_fields<WholeStream>("whole_stream");
  expect_same_fields<WholeStream::Sizes>("grammar_sizes");
  expect_same_fields<StreamName>("stream_name");
  expect_same_fields<Pages::Memory>("page_memory");
  expect_same_fields<Pages>("pages");
  expect_same_fields<PagePhases>("page_phases");
  expect_same_fields<CoAccess::Misses>("co_access_misses");
  expect_same_fields<CoAccess>("co_access");
  expect_same_fields<Timeline>("timeline");
  expect_same_fields<Sharing>("sharing");
  expect_same_fields<Privatisation>("privatisation");
  expect_same_fields<PointerUse>("pointer");
}

TEST(Schema, AgreesAboutEnumerators) {
  auto expect_same = [](const Json& rule, Names names) {
    std::vector<std::string> list;
    for (unsigned i = 0; names[i]; i++) list.push_back(names[i]);
    EXPECT_EQ(rule["enum"].get<std::vector<std::string>>(), list);
  };
  const Json& defs = schema()["$defs"];
  expect_same(defs["site"]["properties"]["kind"], k_access_names);
  expect_same(defs["group"]["properties"]["kind"], k_group_kind_names);
  expect_same(defs["stride_class"], k_stride_class_names);
  expect_same(defs["dependence"]["properties"]["kind"], k_dependence_kind_names);
  std::set<std::string> sections, listed;
  for (const char* name : k_section_names) sections.insert(name);
  for (const auto& [key, ignored] : schema()["properties"].items()) listed.insert(key);
  EXPECT_EQ(listed, sections);
}

TEST(Schema, HoldsForWhatIsWritten) {
  EXPECT_EQ(broken(to_json(full_profile()), true), "");
  EXPECT_EQ(broken(to_json({}), true), "");
  for (unsigned seed = 0; seed < 20; seed++)
    ASSERT_EQ(broken(to_json(random_profile(seed)), true), "") << seed;
}

TEST(Schema, HoldsForGoldenFilesAndExamples) {
  unsigned files = 0;
  for (const char* folder : {"golden/v1", "../doc/examples"})
    for (const auto& entry : std::filesystem::directory_iterator(source_path(folder))) {
      if (entry.path().extension() != ".json") continue;
      files++;
      EXPECT_EQ(broken(slurp(entry.path()), true), "") << entry.path();
    }
  EXPECT_GE(files, 2u);
}

TEST(Schema, RefusesFormFaults) {
  const std::set<std::string> form = {"key-missing", "kind-unknown", "count-is-negative", "count-is-string",
                                      "row-is-number", "pair-length", "numbers-length",
                                      "version-newer-major", "missing-run", "ratio-is-text"};
  std::size_t seen = 0;
  for (const InvalidProfile& invalid : invalid_profiles(source_path(""))) {
    if (!form.contains(invalid.name)) continue;
    seen++;
    EXPECT_NE(broken(invalid.text, false), "") << invalid.name;
  }
  EXPECT_EQ(seen, form.size());
}

}  // namespace
}  // namespace memprof::feedback
