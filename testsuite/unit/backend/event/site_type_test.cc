// site_type_test.cc - which stores the language lets a load read.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/site_type.h"

#include <gtest/gtest.h>

#include "runtime/wire/site_table.h"

namespace memprof::backend {
namespace {

constexpr std::uint32_t k_int = MPRT_SCALAR_INTEGER << 2, k_long = MPRT_SCALAR_INTEGER << 3,
                        k_double = MPRT_SCALAR_FLOAT << 3, k_pointer = MPRT_SCALAR_POINTER;

void expect(bool may, const SiteType& a, const SiteType& b) {
  EXPECT_EQ(may_alias(a, b), may);
  EXPECT_EQ(may_alias(b, a), may);
}

TEST(SiteType, ScalarsAreKeptApart) {
  expect(true, {k_int}, {k_int});
  expect(false, {k_int}, {k_long});
  expect(false, {k_long}, {k_double});
  expect(false, {k_pointer}, {k_long});
  expect(true, {k_pointer | k_long}, {k_long});  // a record, or a union
  expect(true, {}, {k_int});               // characters, copies
  expect(true, {}, {});
}

TEST(SiteType, SoAreFieldsOfARecord) {
  expect(true, {0, 5, 8, 8}, {0, 5, 8, 8});
  expect(false, {0, 5, 8, 8}, {0, 5, 16, 8});
  expect(true, {0, 5, 8, 8}, {0, 5, 12, 8});   // an array, or a container of bits
  expect(true, {0, 5, 8, 8}, {0, 6, 16, 8});   // of another one
  expect(true, {0, 5, 8, 8}, {0, 5, 0, 0});    // not known where
  expect(true, {0, 0, 8, 8}, {0, 0, 16, 8});   // in no record
  expect(false, {k_int, 5, 8, 8}, {k_pointer, 5, 8, 8});
  expect(true, {0, 5, 0xfffffff8, 8}, {0, 5, 0xfffffff0, 9});
}

}  // namespace
}  // namespace memprof::backend
