// records.h - walking over a stretch of the stream without trusting it.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/wire/record.h"

namespace memprof::backend {

struct ControlShape {
  const char* name;
  unsigned words;  // 0: any number
};

// By enum mprt_control.
inline constexpr std::array<ControlShape, 22> k_control_shapes = {{
    {"", 0},
    {"CHUNK_END", 1},
    {"UNIT_LOAD", 2},
    {"DATA", 3},
    {"UNIT_UNLOAD", 2},
    {"BIRTH", 7},
    {"DEATH", 3},
    {"REALLOC_REQUEST", 3},
    {"REALLOC_RESULT", 8},
    {"TICKET", 2},
    {"THREAD_START", 5},
    {"THREAD_END", 2},
    {"MARKER", 3},
    {"PROGRAM_END", 3},
    {"SIGNAL_ENTER", 3},
    {"SIGNAL_EXIT", 1},
    {"LOST", 2},
    {"UNIT_READY", 2},
    {"SNAPSHOT", 2},
    {"LOOP_SAMPLE", 0},
    {"WRITTEN", 3},
    {"ENTRIES", 5},
}};

// Of the record P. In memory shared with the program it is read once.
inline std::uint64_t read_header(const std::uint64_t* p) {
  return *static_cast<const volatile std::uint64_t*>(p);
}
inline bool control_p(std::uint64_t header) {
  return header < MPRT_CONTROL_LIMIT;
}

// Words of the record at P, with the bytes that follow a DATA record; 0 if
// there is no whole, well-formed record in [P, END). Reads P[0] once.
inline std::size_t whole_record(const std::uint64_t* p,
                                const std::uint64_t* end) {
  if (p >= end) return 0;
  const std::uint64_t header = read_header(p);
  const std::size_t words = header & MPRT_LENGTH_MASK;
  const std::size_t room = static_cast<std::size_t>(end - p);
  if (words == 0 || words > room) return 0;
  if (!control_p(header)) return words;
  const unsigned kind = MPRT_CONTROL_KIND(header);
  if (kind == 0 || kind >= k_control_shapes.size()) return 0;
  if (k_control_shapes[kind].words != 0 && k_control_shapes[kind].words != words) return 0;
  if (kind != MPRT_DATA) return words;
  const std::uint64_t bytes = static_cast<const volatile std::uint64_t*>(p)[2];
  if (bytes > (room - words) * 8) return 0;
  return words + (bytes + 7) / 8;
}

// The word of a control record that holds its ticket, or 0.
inline unsigned ticket_word(unsigned control) {
  switch (control) {
    case MPRT_BIRTH: return 6;
    case MPRT_DEATH: return 2;
    case MPRT_REALLOC_REQUEST: return 2;
    case MPRT_REALLOC_RESULT: return 7;
    case MPRT_TICKET: return 1;
    case MPRT_THREAD_START: return 2;
    case MPRT_THREAD_END: return 1;
    default: return 0;
  }
}

}  // namespace memprof::backend
