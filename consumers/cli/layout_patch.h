// layout_patch.h - the declaration of a record in its source, in the proposed order, as a patch.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pure: the lines of the source -> a unified diff.
//
//    struct order {                        struct order {
//      char name[120];  /* for people */     int price;
//      int price;                       ->   struct order *next;
//      struct order *next;                   char name[120];  /* for people */
//    };                                    };
//
// A field moves with the comments before it and on its line; fields of one declaration (int a, b;) and bit-fields that
// share their bytes stay together, and what is no field (a function, a type) comes after the fields.
#pragma once

#include <string>
#include <vector>

#include "consumers/decide/record_order.h"
#include "feedback/model.h"
#include "feedback/result.h"

namespace memprof::cli {

struct PatchedSource {
  std::string path;                // for the head of the patch
  std::vector<std::string> lines;  // without their ends
};

// The patch of TYPE, which is defined in SOURCE, to ORDER; "" if that changes nothing. An error says why the
// declaration cannot be changed by a program: it is not there (an old profile), or has directives (#if) or labels
// (public:) inside.
feedback::Result<std::string> layout_patch(const PatchedSource& source, const feedback::RecordType& type,
                                           const decide::RecordOrder& order);

// A unified diff with three lines of context; "" if OLD and NEW are equal.
std::string unified_diff(const std::string& path, const std::vector<std::string>& old,
                         const std::vector<std::string>& changed);

}  // namespace memprof::cli
