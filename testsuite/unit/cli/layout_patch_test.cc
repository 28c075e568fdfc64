// layout_patch_test.cc - patches of declarations.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/layout_patch.h"

#include <gtest/gtest.h>

namespace memprof::cli {
namespace {

feedback::RecordType type_of(const std::vector<std::string>& names, std::uint32_t line = 1) {
  feedback::RecordType type;
  type.name = "struct order";
  type.line = line;
  for (const std::string& name : names) {
    feedback::Field field;
    field.name = name;
    type.fields.push_back(field);
  }
  return type;
}

decide::RecordOrder order_of(const std::vector<std::size_t>& fields) {
  decide::RecordOrder order;
  for (const std::size_t f : fields) order.fields.push_back({f, 0, 0, 0});
  return order;
}

std::string patch(const std::vector<std::string>& lines, const std::vector<std::string>& names,
                  const std::vector<std::size_t>& order) {
  auto result = layout_patch({"a.h", lines}, type_of(names), order_of(order));
  return result ? *result : "error: " + result.error().what;
}

TEST(LayoutPatch, MovesFieldsWithTheirComments) {
  EXPECT_EQ(patch({"struct order {", "  char name[120];  /* for people; */", "  // in cents", "  int price;",
                   "  struct order *next;", "};"},
                  {"name", "price", "next"}, {1, 2, 0}),
            "--- a/a.h\n+++ b/a.h\n@@ -1,6 +1,6 @@\n struct order {\n-  char name[120];  /* for people; */\n"
            "   // in cents\n   int price;\n   struct order *next;\n+  char name[120];  /* for people; */\n };\n");
}

TEST(LayoutPatch, KeepsDeclarationsAndBitFieldsTogether) {
  EXPECT_EQ(patch({"struct order {", "  char c;", "  int a, b;", "  unsigned x : 3;", "  unsigned y : 5;", "  int (*f) (int a);", "};"},
                  {"c", "a", "b", "x", "y", "f"}, {5, 3, 2, 1, 0}),
            "--- a/a.h\n+++ b/a.h\n@@ -1,7 +1,7 @@\n struct order {\n-  char c;\n-  int a, b;\n+  int (*f) (int a);\n"
            "   unsigned x : 3;\n   unsigned y : 5;\n-  int (*f) (int a);\n+  int a, b;\n+  char c;\n };\n");
}

TEST(LayoutPatch, SaysNothingWhenNothingChanges) {
  EXPECT_EQ(patch({"struct order { int a; int b; };"}, {"a", "b"}, {0, 1}), "");
}

TEST(LayoutPatch, LeavesAloneWhatItDoesNotUnderstand) {
  const std::string before = "error: struct order: ";
  EXPECT_EQ(patch({"struct order {", "#if X", "  int a;", "#endif", "  int b;", "};"}, {"a", "b"}, {1, 0}),
            before + "directives (#if) stand inside; change it by hand");
  EXPECT_EQ(patch({"class order {", "  int a;", "public:", "  int b;", "};"}, {"a", "b"}, {1, 0}),
            before + "labels such as public: stand inside; change it by hand");
  EXPECT_EQ(patch({"struct order { int a; int z; };"}, {"a", "b"}, {1, 0}),
            before + "its fields are not those of the profile; change it by hand");
  EXPECT_EQ(patch({"int x;"}, {"a"}, {0}), before + "no definition begins there; change it by hand");
  EXPECT_EQ(patch({}, {"a"}, {0}), before + "the source has no such line; change it by hand");
}

TEST(LayoutPatch, PutsFunctionsAfterFields) {
  EXPECT_EQ(patch({"struct order {", "  long sum () const { return a; }", "  int a;", "  struct { int k; } in;", "};"}, {"a", "in"}, {1, 0}),
            "--- a/a.h\n+++ b/a.h\n@@ -1,5 +1,5 @@\n struct order {\n-  long sum () const { return a; }\n-  int a;\n   struct { int k; } in;\n"
            "+  int a;\n+  long sum () const { return a; }\n };\n");
}

}  // namespace
}  // namespace memprof::cli
