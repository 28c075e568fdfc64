// stream_builder.h - hand-made units and streams for the backend's tests.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// TestModule is a translation unit as the plugin would describe it, at made-up
// addresses; Words is a stretch of stream. Nothing here checks anything, so
// that tests can build what is wrong, too.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "runtime/wire/record.h"
#include "runtime/wire/ring.h"
#include "runtime/wire/site_table.h"

namespace memprof::backend::testing {

class Words {
 public:
  std::vector<std::uint64_t> words;

  Words& add(std::initializer_list<std::uint64_t> more) {
    words.insert(words.end(), more);
    return *this;
  }
  Words& append(const Words& other) {
    words.insert(words.end(), other.words.begin(), other.words.end());
    return *this;
  }
  template <typename... W>
  Words& control(mprt_control kind, W... w) {
    return add({MPRT_CONTROL_HEADER(kind, sizeof...(w) + 1),
                static_cast<std::uint64_t>(w)...});
  }
  // A site record: DESCRIPTOR is its address.
  template <typename... W>
  Words& record(std::uint64_t descriptor, W... w) {
    return add({descriptor | (sizeof...(w) + 1),
                static_cast<std::uint64_t>(w)...});
  }
  Words& data(std::uint64_t address, const void* bytes, std::size_t n) {
    control(MPRT_DATA, address, n);
    const std::size_t at = words.size();
    words.resize(at + (n + 7) / 8);
    if (n) std::memcpy(words.data() + at, bytes, n);
    return *this;
  }
  Words& birth(std::uint64_t address, std::uint64_t bytes, std::uint64_t site,
               std::uint64_t ticket = 0, mprt_allocator a = MPRT_MALLOC,
               std::uint64_t caller = 0x1234) {
    return control(MPRT_BIRTH, address, bytes, site, caller, a, ticket);
  }
  Words& death(std::uint64_t address, std::uint64_t ticket = 0) {
    return control(MPRT_DEATH, address, ticket);
  }
  Words& realloc(std::uint64_t from, std::uint64_t to, std::uint64_t bytes,
                 std::uint64_t site) {
    control(MPRT_REALLOC_REQUEST, from, 0);
    return control(MPRT_REALLOC_RESULT, from, to, bytes, site, 0x1234,
                   MPRT_REALLOC, 0);
  }
  Words& thread_start(unsigned thread, std::uint64_t ticket = 0,
                      std::uint64_t low = 0, std::uint64_t end = 0) {
    return control(MPRT_THREAD_START, thread, ticket, low, end);
  }
};

struct BlockAccess {
  std::uint32_t site;
  unsigned base;  // record word, or MPRT_BASE_ABSOLUTE
  std::uint64_t offset;
  unsigned length_word = 0;
  mprt_op op = MPRT_OP_LOAD;
  std::uint32_t width = 0;
};

struct RangeStep {
  std::uint32_t site;
  unsigned base;
  std::uint64_t offset;
  std::int64_t step;
  unsigned step_word = 0, minus = 0;
  mprt_op op = MPRT_OP_LOAD;
  std::uint32_t width = 8;
  unsigned index_word = 0;
  std::uint64_t modulus = 0;
  unsigned length_word = 0;
};

class TestModule {
 public:
  explicit TestModule(std::uint64_t at = 0x500000,
                      std::string file = "a.c", std::string path = "/bin/prog")
      : address(at), path_(std::move(path)), pool_(1, '\0') {
    blob.file = text(file);
    blob.compiler = text("GNU C17 12.2.0");
    file_ = blob.file;
  }

  std::uint64_t address;
  mprt_blob blob{};
  std::vector<mprt_function> functions;
  std::vector<mprt_loop> loops;
  std::vector<mprt_site> sites;
  std::vector<mprt_inlined> frames;
  std::vector<mprt_alloc_site> allocs;
  std::vector<mprt_global> globals;
  std::vector<mprt_local> locals;
  std::vector<std::uint64_t> global_addresses;
  std::vector<std::uint64_t> descriptors;  // one table

  std::uint32_t text(const std::string& s) {
    if (s.empty()) return 0;
    const auto at = static_cast<std::uint32_t>(pool_.size());
    pool_ += s;
    pool_ += '\0';
    return at;
  }

  TestModule& function(const std::string& name, std::uint32_t flags = 0,
                       std::uint32_t checksum = 77) {
    functions.push_back({file_, text(name), text(name), 10, checksum, flags,
                         count(loops), 0, count(sites), 0, 0, count(frames), 0});
    return *this;
  }
  std::uint32_t loop(std::uint32_t parent = MPRT_NONE) {
    loops.push_back({count(functions) - 1, parent, 0, 11, 3, 0});
    functions.back().loops++;
    return count(loops) - 1;
  }
  std::uint32_t site(mprt_op kind, std::uint32_t width,
                     std::uint32_t loop = MPRT_NONE, std::uint32_t line = 12) {
    sites.push_back({count(functions) - 1, static_cast<std::uint32_t>(kind), 0,
                     line, 5, width, loop, 0, 0, text("p->next"), 0, 0, 0, 0, 0, 0, 0});
    functions.back().sites++;
    return count(sites) - 1;
  }
  // A call of NAME in LINE, inlined into the last function.
  std::uint32_t frame(const std::string& name, std::uint32_t line, std::uint32_t around = 0) {
    frames.push_back({around, text(name), 0, line, 3});
    return ++functions.back().frames;
  }
  // The value that represents the allocation site in BIRTH.
  std::uint64_t alloc(std::uint32_t line, const std::string& type = "") {
    allocs.push_back({count(functions) - 1, 0, line, 1, text("malloc"),
                      text(type), 0});
    return alloc_base() + allocs.size() - 1;
  }
  void global(const std::string& name, std::uint64_t at, std::uint64_t bytes) {
    globals.push_back({text(name), file_, 1, 0,
                       static_cast<std::uint32_t>(bytes),
                       static_cast<std::uint32_t>(bytes >> 32)});
    global_addresses.push_back(at);
  }
  std::uint32_t local(const std::string& name, std::uint64_t bytes) {
    locals.push_back({count(functions) - 1, text(name), 1, 0,
                      static_cast<std::uint32_t>(bytes),
                      static_cast<std::uint32_t>(bytes >> 32)});
    return count(locals) - 1;
  }

  // Each returns the address of a descriptor.
  std::uint64_t block(unsigned words, const std::vector<BlockAccess>& accesses,
                      std::uint32_t in_loop = MPRT_NO_LOOP,
                      bool iteration = false) {
    const std::uint64_t at = begin(
        MPRT_DESC(MPRT_DESC_BLOCK, iteration ? MPRT_DESC_ITERATION : 0, accesses.size(),
                  words, in_loop));
    for (const BlockAccess& a : accesses) {
      const std::uint32_t width =
          a.width || a.op > MPRT_OP_STORE ? a.width : sites[a.site].width;
      const auto op = a.op > MPRT_OP_STORE
                          ? static_cast<std::uint32_t>(a.op)
                          : sites[a.site].kind;
      descriptors.push_back(
          MPRT_ENTRY(a.site, a.base, a.length_word, op, width));
      descriptors.push_back(a.offset);
    }
    return end(at);
  }
  // Executions of such a block, whose first words advance by STEPS.
  std::uint64_t run(unsigned words, const std::vector<std::int64_t>& steps,
                    const std::vector<BlockAccess>& accesses, std::uint32_t in_loop,
                    bool iteration = true) {
    const std::uint64_t at = begin(
        MPRT_DESC(MPRT_DESC_RUN, iteration ? MPRT_DESC_ITERATION : 0, accesses.size(), words,
                  in_loop) |
        MPRT_DESC_COMMON_FIELD(steps.size()));
    for (const BlockAccess& a : accesses) {
      descriptors.push_back(MPRT_ENTRY(a.site, a.base, a.length_word, sites[a.site].kind,
                                       a.width ? a.width : sites[a.site].width));
      descriptors.push_back(a.offset);
    }
    for (const std::int64_t step : steps) descriptors.push_back(static_cast<std::uint64_t>(step));
    return end(at);
  }
  std::uint64_t range(unsigned words, std::uint32_t in_loop,
                      const std::vector<RangeStep>& accesses) {
    const std::uint64_t at =
        begin(MPRT_DESC(MPRT_DESC_RANGE, 0, accesses.size(), words, in_loop));
    for (const RangeStep& a : accesses) {
      descriptors.push_back(
          MPRT_ENTRY(a.site, a.base, a.length_word, sites[a.site].kind, a.width));
      descriptors.push_back(a.offset);
      descriptors.push_back(static_cast<std::uint64_t>(a.step));
      descriptors.push_back(MPRT_STEP(a.step_word, a.minus) |
                            MPRT_INDEX(a.index_word, a.modulus));
    }
    return end(at);
  }
  // Executions of an inner record, of which so many words move: {word, step word, step}.
  struct Move {
    unsigned word, step_word;
    std::int64_t step;
  };
  std::uint64_t nest(unsigned words, std::uint32_t in_loop, const std::vector<Move>& moves) {
    const std::uint64_t at = begin(MPRT_DESC(MPRT_DESC_NEST, 0, moves.size(), words, in_loop));
    for (const Move& m : moves) {
      descriptors.push_back(MPRT_MOVE(m.word, m.step_word));
      descriptors.push_back(static_cast<std::uint64_t>(m.step));
    }
    return end(at);
  }
  // Accesses that were counted: `length_word' is how often.
  std::uint64_t tally(unsigned words, const std::vector<BlockAccess>& accesses) {
    const std::uint64_t at = block(words, accesses);
    std::uint64_t& header = descriptors[(at - desc_base()) / 8];
    header = (header & ~std::uint64_t{15}) | MPRT_DESC_TALLY;
    return at;
  }
  // SITE is executed as often as LEADER, in its objects or in the VARIABLE.
  void covered(std::uint32_t site, std::uint32_t leader, std::uint64_t variable = 0) {
    const std::uint64_t at =
        begin(MPRT_DESC(MPRT_DESC_COVERED, 0, 1, 1, MPRT_NO_LOOP));
    descriptors.push_back(MPRT_ENTRY(site, variable ? MPRT_BASE_ABSOLUTE : 0, 0,
                                     sites[site].kind, leader));
    descriptors.push_back(variable);
    end(at);
  }
  std::uint64_t enter(std::uint32_t in_loop) {
    return block(1, {{in_loop, 0, 0, 0, MPRT_OP_ENTER, 0}});
  }
  std::uint64_t enter_frame(std::uint32_t in_loop) {
    return block(2, {{in_loop, 1, 0, 0, MPRT_OP_ENTER, 0}});
  }
  std::uint64_t resume(std::uint32_t in_loop) {
    return end(begin(MPRT_DESC(MPRT_DESC_RESUME, 0, 0, 2, in_loop)));
  }
  std::uint64_t exit(std::uint32_t in_loop) {
    return block(1, {{in_loop, 0, 0, 0, MPRT_OP_EXIT, 0}});
  }

  std::uint64_t desc_base() const { return address + 0x10000; }
  std::uint64_t alloc_base() const { return address + 0x8000; }

  std::string blob_bytes() {
    blob.magic = MPRT_BLOB_MAGIC;
    blob.abi = MPRT_ABI;
    blob.functions = count(functions);
    blob.loops = count(loops);
    blob.sites = count(sites);
    blob.alloc_sites = count(allocs);
    blob.globals = count(globals);
    blob.locals = count(locals);
    blob.frames = count(frames);
    blob.strings = static_cast<std::uint32_t>(pool_.size());
    std::string bytes(reinterpret_cast<const char*>(&blob), sizeof blob);
    rows(bytes, functions), rows(bytes, loops), rows(bytes, sites);
    rows(bytes, allocs), rows(bytes, globals), rows(bytes, locals);
    rows(bytes, frames);
    return bytes + pool_;
  }
  mprt_unit header(std::size_t blob_size) const {
    const auto at = [](std::uint64_t a) { return reinterpret_cast<void*>(a); };
    mprt_unit m{};
    m.abi = MPRT_ABI;
    m.blob = at(address + 0x100000);
    m.blob_bytes = blob_size;
    m.desc_tables = static_cast<const mprt_desc_table*>(at(address + 0x1000));
    m.desc_table_count = descriptors.empty() ? 0 : 1;
    m.globals = static_cast<const void* const*>(at(address + 0x2000));
    m.global_count = globals.size();
    m.alloc_sites = static_cast<const unsigned char*>(at(alloc_base()));
    m.alloc_site_count = allocs.size();
    return m;
  }
  // UNIT_LOAD .. UNIT_READY.
  Words load() {
    const std::string bytes = blob_bytes();
    return load_with(bytes, header(bytes.size()));
  }
  Words load_with(const std::string& bytes, const mprt_unit& m) const {
    Words out;
    const mprt_desc_table table{
        reinterpret_cast<const std::uint64_t*>(desc_base()),
        descriptors.size()};
    out.control(MPRT_UNIT_LOAD, address);
    out.data(address, &m, sizeof m);
    // In two pieces, as long data comes.
    const std::size_t half = bytes.size() / 2 / 8 * 8;
    out.data(address + 0x100000, bytes.data(), half);
    out.data(address + 0x100000 + half, bytes.data() + half,
             bytes.size() - half);
    out.data(address + 0x1000, &table, sizeof table);
    out.data(desc_base(), descriptors.data(), descriptors.size() * 8);
    out.data(address + 0x2000, global_addresses.data(),
             global_addresses.size() * 8);
    out.data(0, path_.c_str(), path_.size() + 1);
    out.control(MPRT_UNIT_READY, address);
    return out;
  }

 private:
  template <typename T>
  static std::uint32_t count(const std::vector<T>& v) {
    return static_cast<std::uint32_t>(v.size());
  }
  template <typename T>
  static void rows(std::string& bytes, const std::vector<T>& v) {
    bytes.append(reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T));
  }
  std::uint64_t begin(std::uint64_t header) {
    const std::uint64_t at = desc_base() + descriptors.size() * 8;
    descriptors.push_back(header);
    return at;
  }
  std::uint64_t end(std::uint64_t at) {
    while (descriptors.size() % 8) descriptors.push_back(0);
    return at;
  }

  std::string path_;
  std::string pool_;
  std::uint32_t file_ = 0;
};

// One frame of a stream file.
struct TestFrame {
  std::uint32_t ring, thread, signal_of;
  Words words;
};

inline std::string stream_file_bytes(const std::vector<TestFrame>& frames,
                                     const mprt_shared& about) {
  const mprt_stream_header header{MPRT_STREAM_MAGIC, MPRT_ABI,
                                  sizeof(mprt_shared)};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(&about), sizeof about);
  for (const TestFrame& f : frames) {
    const auto& words = f.words.words;
    const mprt_frame frame{f.ring, f.thread, f.signal_of,
                           static_cast<std::uint32_t>(words.size() * 8)};
    bytes.append(reinterpret_cast<const char*>(&frame), sizeof frame);
    bytes.append(reinterpret_cast<const char*>(words.data()), words.size() * 8);
  }
  return bytes;
}

}  // namespace memprof::backend::testing
