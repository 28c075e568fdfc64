// trace_writer.h - the formats of memprof trace.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Text: a line for each request, after a line that names the columns. `-': no known object.
//
//     # paddr rw time pid thread vaddr walk object
//     0x1010 r 4711 2304 0 0x55e01234f010 0 calloc at a.c:35 #0
//
// JSON: the same as an object in each line, without the line of columns; the object is null if none is known.
//
//     {"paddr":4112,"write":false,"time":4711,"pid":2304,"thread":0,"vaddr":94532331372560,"walk":0,"object":"calloc at a.c:35 #0"}
//
// Binary: after the eight bytes "MPTRACE1", records of 40 bytes, numbers little-endian.
//
//     bytes   request                          name of an object
//     0       paddr                            bytes of the name, which follow the record,
//                                              filled up with zeroes to a multiple of 8
//     8       vaddr                            0
//     16      time                             0
//     24      pid, 4 bytes                     0
//     28      thread, 4 bytes                  0
//     32      number of the object, 4 bytes    the number that it has from now on
//     36      1: write                         0
//     37      walk                             0
//     38      0                                1
//     39      0                                0
//
// Object 0 has no name: no known object.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "runtime/backend/profile/memory_trace.h"

namespace memprof::backend {

enum class TraceFormat { text, json, binary };

class TraceWriter {
 public:
  TraceWriter(std::FILE* out, TraceFormat format, std::uint32_t pid)
      : out_(out), format_(format), pid_(pid) {}

  void begin();
  // The number of the object NAME, which is new.
  std::uint32_t add_object(std::string name) {
    names_.push_back({std::move(name), false});
    return static_cast<std::uint32_t>(names_.size() - 1);
  }
  void write(const MemoryRequest& request);

 private:
  void write_json(const MemoryRequest& request);
  struct Name {
    std::string text;
    bool written;
  };
  void write_name(std::uint32_t object);

  std::FILE* out_;
  TraceFormat format_;
  std::uint32_t pid_;
  std::vector<Name> names_{{"-", true}};
};

}  // namespace memprof::backend
