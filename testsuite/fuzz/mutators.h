// mutators.h - small changes of an input that keep its structure.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "testsuite/fuzz/target.h"

namespace memprof::fuzz {

// One to three changes of a JSON text, after which it still is one: a value becomes another number,
// another kind of value or that of another place (so an id leads elsewhere); a member or row is lost, doubled or
// moved; a member gets another name.  What is no JSON gets other bytes.
void mutate_json(std::string& text, Random& random);

// Each line is JSON by itself, as in a file of remarks: one line changes, is lost, doubled or moved.
void mutate_lines(std::string& text, Random& random);

// Bytes are changed, lost, inserted and copied.
void mutate_bytes(std::string& text, Random& random);

// A word of eight bytes from FIRST on becomes another number, or that of another place.
void mutate_words(std::string& text, std::size_t first, Random& random);

}  // namespace memprof::fuzz
