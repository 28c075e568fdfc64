// unit_image.h - the tables of one translation unit, copied and checked.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A unit arrives in the stream as UNIT_LOAD, DATA records that carry pieces
// of the program's memory, and UNIT_READY (ring.h, "Unit load"). The
// assembler collects the pieces; finish() checks every count, row reference,
// text offset and descriptor, so that no other code needs to: what comes out can
// be indexed without another test, whatever the program sent.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "feedback/result.h"
#include "runtime/wire/record.h"
#include "runtime/wire/site_table.h"

namespace memprof::backend {

struct UnitImage {
  struct DescTable {
    std::uint64_t address = 0;
    std::vector<std::uint64_t> words;
  };

  std::uint64_t address = 0;  // of struct mprt_unit
  std::string path;           // of the executable or library
  std::vector<std::uint64_t> blob;
  std::vector<DescTable> desc_tables;
  std::vector<std::uint64_t> globals;  // addresses, rows of globals()
  std::uint64_t alloc_sites = 0;       // address of the byte of row 0

  const mprt_blob& header() const {
    return *reinterpret_cast<const mprt_blob*>(blob.data());
  }
  std::span<const mprt_function> functions() const;
  std::span<const mprt_loop> loops() const;
  std::span<const mprt_site> sites() const;
  std::span<const mprt_alloc_site> alloc_rows() const;
  std::span<const mprt_global> global_rows() const;
  std::span<const mprt_local> local_rows() const;
  std::span<const mprt_type> types() const;
  std::span<const mprt_field> fields() const;
  std::span<const mprt_obstacle> obstacles() const;
  std::span<const mprt_callee> callees() const;
  std::span<const mprt_inlined> frames() const;
  std::span<const mprt_header_call> header_calls() const;
  const char* text(std::uint32_t offset) const;
};

// What follows the entries of the descriptor with this header word, a word each: the steps of a
// run's common words.
inline unsigned common_of(std::uint64_t header) {
  return MPRT_DESC_KIND(header) == MPRT_DESC_RUN ? MPRT_DESC_COMMON(header) : 0;
}
// Words of the descriptor, without padding.
inline std::size_t descriptor_words(std::uint64_t header) {
  const std::size_t per_entry = MPRT_DESC_KIND(header) == MPRT_DESC_RANGE
                                    ? MPRT_RANGE_ENTRY_WORDS
                                    : MPRT_BLOCK_ENTRY_WORDS;
  return 1 + MPRT_DESC_ENTRIES(header) * per_entry + common_of(header);
}
inline std::size_t padded_descriptor_words(std::uint64_t header) {
  constexpr std::size_t unit = MPRT_DESC_ALIGN / 8;
  return (descriptor_words(header) + unit - 1) / unit * unit;
}

class UnitAssembler {
 public:
  explicit UnitAssembler(std::uint64_t address) : address_(address) {}

  std::uint64_t address() const { return address_; }
  // False when the unit has become larger than any real one.
  bool add(std::uint64_t address, const void* bytes, std::uint64_t size);
  feedback::Result<UnitImage> finish() const;

 private:
  bool copy(std::uint64_t address, void* to, std::uint64_t size) const;

  std::uint64_t address_;
  std::uint64_t total_ = 0;
  std::map<std::uint64_t, std::string> pieces_;  // by address
};

}  // namespace memprof::backend
