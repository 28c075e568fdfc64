// unit_image.cc - the tables of one translation unit, copied and checked.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/program/unit_image.h"

#include "runtime/backend/machine/machine.h"

#include <algorithm>
#include <cstring>

namespace memprof::backend {

namespace {

// No translation unit is near these; they bound what a corrupt stream can make
// us allocate.
constexpr std::uint64_t k_max_module_bytes = std::uint64_t{1} << 31;
// Pieces at addresses below this carry the path of the unit's file.
constexpr std::uint64_t k_path_limit = 65536;

// Byte offset of the section that follows COUNTS rows of the sizes before it.
struct Layout {
  std::uint64_t functions, loops, sites, alloc_sites, globals, locals, types,
      fields, obstacles, callees, frames, calls, strings, end;
  explicit Layout(const mprt_blob& b)
      : functions(sizeof(mprt_blob)),
        loops(functions + std::uint64_t{b.functions} * sizeof(mprt_function)),
        sites(loops + std::uint64_t{b.loops} * sizeof(mprt_loop)),
        alloc_sites(sites + std::uint64_t{b.sites} * sizeof(mprt_site)),
        globals(alloc_sites +
                std::uint64_t{b.alloc_sites} * sizeof(mprt_alloc_site)),
        locals(globals + std::uint64_t{b.globals} * sizeof(mprt_global)),
        types(locals + std::uint64_t{b.locals} * sizeof(mprt_local)),
        fields(types + std::uint64_t{b.types} * sizeof(mprt_type)),
        obstacles(fields + std::uint64_t{b.fields} * sizeof(mprt_field)),
        callees(obstacles + std::uint64_t{b.obstacles} * sizeof(mprt_obstacle)),
        frames(callees + std::uint64_t{b.callees} * sizeof(mprt_callee)),
        calls(frames + std::uint64_t{b.frames} * sizeof(mprt_inlined)),
        strings(calls + std::uint64_t{b.calls} * sizeof(mprt_header_call)),
        end(strings + b.strings) {}
};

template <typename Row>
std::span<const Row> rows(const UnitImage& image, std::uint64_t offset,
                          std::uint32_t count) {
  const char* base = reinterpret_cast<const char*>(image.blob.data());
  return {reinterpret_cast<const Row*>(base + offset), count};
}

// Collects the first fault.
class Checker {
 public:
  explicit Checker(const UnitImage& image) : image_(image) {}

  bool header(std::uint64_t blob_bytes);
  void rows();
  void descriptors(const UnitImage::DescTable& table);
  const std::string& fault() const { return fault_; }

 private:
  void check(bool good, const char* what) {
    if (!good && fault_.empty()) fault_ = what;
  }
  template <typename... Offset>
  void texts(Offset... offset) {
    const std::uint32_t bytes = image_.header().strings;
    check(((offset < bytes) && ...), "a text lies outside the string pool");
  }
  void loop_parents();
  void frames(const mprt_function& f);
  // BEFORE is the first word of the entry before it, or that of no entry.
  void entry(std::uint64_t header, const std::uint64_t* words, std::uint64_t before);

  const UnitImage& image_;
  std::string fault_;
};

bool Checker::header(std::uint64_t blob_bytes) {
  if (blob_bytes < sizeof(mprt_blob)) {
    check(false, "the site table is shorter than its header");
    return false;
  }
  const mprt_blob& b = image_.header();
  check(b.magic == MPRT_BLOB_MAGIC, "the site table has a wrong magic number");
  check(b.abi == MPRT_ABI, "the site table was made by another version");
  check(b.sites <= MPRT_MAX_SITES, "too many sites");
  check(Layout(b).end <= blob_bytes, "the site table is truncated");
  check(b.strings >= 1, "the site table has no string pool");
  if (!fault_.empty()) return false;
  const char* pool =
      reinterpret_cast<const char*>(image_.blob.data()) + Layout(b).strings;
  check(pool[0] == 0 && pool[b.strings - 1] == 0,
        "the string pool does not begin and end with a NUL");
  return fault_.empty();
}

// Each frame of the function F comes after the one around it; those of its loops and sites are F's.
void Checker::frames(const mprt_function& f) {
  for (std::uint32_t i = 0; i < f.frames; i++) {
    const mprt_inlined& frame = image_.frames()[f.first_frame + i];
    texts(frame.name, frame.file);
    check(frame.frame <= i, "an inlined call comes before the one around it");
  }
  const auto known = [&](std::uint32_t frame) {
    check(frame <= f.frames, "a row names no inlined call of its function");
  };
  for (std::uint32_t i = 0; i < f.loops; i++) known(image_.loops()[f.first_loop + i].frame);
  for (std::uint32_t i = 0; i < f.sites; i++) known(image_.sites()[f.first_site + i].frame);
}

// Each loop's chain of parents ends, inside its function.
void Checker::loop_parents() {
  const auto loops = image_.loops();
  for (const mprt_loop& loop : loops) {
    texts(loop.file);
    std::uint32_t steps = 0;
    for (std::uint32_t p = loop.parent; p != MPRT_NONE; p = loops[p].parent) {
      check(p < loops.size() && loops[p].function == loop.function &&
                ++steps <= image_.functions()[loop.function].loops,
            "the parents of a loop are not a chain of its function");
      if (!fault_.empty()) return;
    }
  }
}

void Checker::rows() {
  const mprt_blob& b = image_.header();
  texts(b.file, b.compiler, b.output_dir, b.module_names, b.options);
  std::uint64_t next_loop = 0, next_site = 0, next_frame = 0;
  for (const mprt_function& f : image_.functions()) {
    texts(f.file, f.name, f.linkage_name, f.line_file);
    check((!f.loops || f.first_loop == next_loop) &&
              (!f.sites || f.first_site == next_site) &&
              (!f.frames || f.first_frame == next_frame),
          "the rows of a function are not consecutive");
    next_loop += f.loops;
    next_site += f.sites;
    next_frame += f.frames;
    check(next_loop <= b.loops && next_site <= b.sites && next_frame <= b.frames,
          "a function has rows outside its table");
  }
  check(next_loop == b.loops && next_site == b.sites && next_frame == b.frames,
        "a row belongs to no function");
  if (!fault_.empty()) return;
  for (std::uint32_t f = 0; f < b.functions; f++) {
    const mprt_function& fn = image_.functions()[f];
    for (std::uint32_t i = 0; i < fn.loops; i++)
      check(image_.loops()[fn.first_loop + i].function == f,
            "a loop names another function");
    for (std::uint32_t i = 0; i < fn.sites; i++)
      check(image_.sites()[fn.first_site + i].function == f,
            "a site names another function");
  }
  if (!fault_.empty()) return;
  for (const mprt_function& f : image_.functions()) frames(f);
  std::uint32_t last_caller = 0;
  for (const mprt_header_call& c : image_.header_calls()) {
    texts(c.callee, c.file);
    check(c.function < b.functions, "a call has no function");
    check(c.function >= last_caller, "the calls are not in the order of their functions");
    last_caller = c.function;
  }
  loop_parents();
  for (const mprt_site& s : image_.sites()) {
    texts(s.file, s.type, s.field, s.expression, s.header);
    check(s.kind == MPRT_OP_LOAD || s.kind == MPRT_OP_STORE,
          "a site is neither a load nor a store");
    check(s.loop == MPRT_NONE || (s.loop < b.loops &&
                                  image_.loops()[s.loop].function == s.function),
          "a site names a loop of another function");
  }
  for (const mprt_alloc_site& a : image_.alloc_rows()) {
    texts(a.file, a.allocator, a.type, a.wrapper);
    check(a.function < b.functions, "an allocation site has no function");
  }
  for (const mprt_global& g : image_.global_rows())
    texts(g.name, g.file, g.type);
  for (const mprt_local& l : image_.local_rows()) {
    texts(l.name, l.type);
    check(l.function < b.functions, "a local variable has no function");
  }
  for (const mprt_type& t : image_.types()) {
    texts(t.name, t.file);
    check(std::uint64_t{t.first_field} + t.fields <= b.fields,
          "a type has fields outside its table");
  }
  for (const mprt_field& f : image_.fields()) texts(f.name, f.declaration);
  for (const mprt_callee& c : image_.callees()) texts(c.name);
  for (const mprt_obstacle& o : image_.obstacles()) {
    texts(o.kind, o.detail, o.file);
    check(o.type < b.types, "an obstacle names no type");
  }
}

void Checker::entry(std::uint64_t header, const std::uint64_t* words, std::uint64_t before) {
  const unsigned desc_kind = MPRT_DESC_KIND(header);
  const unsigned record_words = MPRT_DESC_RECORD_WORDS(header);
  if (desc_kind == MPRT_DESC_NEST) {
    check(MPRT_MOVE_WORD(words[0]) > 0 &&
              MPRT_MOVE_WORD(words[0]) + MPRT_NEST_INNER < record_words &&
              MPRT_MOVE_STEP_WORD(words[0]) < record_words,
          "a nest moves a word outside the record");
    return;
  }
  const bool range = desc_kind == MPRT_DESC_RANGE;
  const std::uint64_t w = words[0];
  const unsigned base = MPRT_ENTRY_BASE(w), op = MPRT_ENTRY_OP(w);
  const std::uint32_t site = MPRT_ENTRY_SITE(w);
  const bool loop = op >= MPRT_OP_ENTER && op <= MPRT_OP_EXIT;
  const bool function = op >= MPRT_OP_FUNCTION_ENTER && op <= MPRT_OP_POINTER;
  const unsigned first_base = range ? 2 : loop || function ? 0 : 1;
  if (desc_kind == MPRT_DESC_COVERED) {
    check(op <= MPRT_OP_STORE && site < image_.sites().size() &&
              image_.sites()[site].kind == op &&
              MPRT_ENTRY_WIDTH(w) < image_.sites().size() && MPRT_ENTRY_WIDTH(w) != site,
          "a covered site names no site");
    return;
  }
  check(base == MPRT_BASE_ABSOLUTE ||
            (base >= first_base && base < record_words),
        "the base of an entry lies outside the record");
  check(desc_kind != MPRT_DESC_TALLY || (op <= MPRT_OP_STORE && MPRT_ENTRY_LENGTH_WORD(w) != 0),
        "an entry that was counted has no count");
  check(MPRT_ENTRY_LENGTH_WORD(w) < record_words,
        "the length of an entry lies outside the record");
  if (op == MPRT_OP_LOAD || op == MPRT_OP_STORE)
    check(site < image_.sites().size() && image_.sites()[site].kind == op,
          "an entry names a site of another kind");
  else if (op == MPRT_OP_LOCAL_BIRTH)
    check(!range && site < image_.local_rows().size(),
          "an entry names no local variable");
  else if (loop)
    check(!range && site < image_.loops().size() && base != MPRT_BASE_ABSOLUTE,
          "an entry names no loop");
  else if (function)
    check(!range && site < image_.functions().size() &&
              (op == MPRT_OP_POINTER || base != MPRT_BASE_ABSOLUTE),
          "an entry names no function");
  else if (op == MPRT_OP_VALUE)
    check(!range && MPRT_ENTRY_OP(before) <= MPRT_OP_STORE && MPRT_ENTRY_SITE(before) == site &&
              MPRT_ENTRY_LENGTH_WORD(before) == 0 && MPRT_ENTRY_WIDTH(w) <= 8 &&
              MPRT_ENTRY_WIDTH(w) == MPRT_ENTRY_WIDTH(before),
          "a value does not follow its access");
  else if (op == MPRT_OP_EXTERNAL_CALL)
    check(!range && site < image_.callees().size(), "an entry names no callee");
  else
    check(!range && op == MPRT_OP_EXTERNAL_STORE, "an entry has a wrong op");
  if (MPRT_DESC_KIND(header) == MPRT_DESC_RUN)
    check(op <= MPRT_OP_STORE && MPRT_ENTRY_LENGTH_WORD(w) == 0 && MPRT_ENTRY_WIDTH(w) != 0,
          "a run has an entry that is no access of fixed width");
  if (range)
    check(MPRT_STEP_WORD(words[3]) < record_words &&
              MPRT_INDEX_WORD(words[3]) < record_words,
          "the step of an entry lies outside the record");
}

void Checker::descriptors(const UnitImage::DescTable& table) {
  check(table.address % MPRT_DESC_ALIGN == 0 &&
            table.address >= MPRT_CONTROL_LIMIT &&
            table.address + table.words.size() * 8 < (std::uint64_t{1} << k_address_bits),
        "a descriptor table has a wrong address");
  for (std::size_t at = 0; at < table.words.size() && fault_.empty();) {
    const std::uint64_t header = table.words[at];
    const unsigned kind = MPRT_DESC_KIND(header);
    const unsigned words = MPRT_DESC_RECORD_WORDS(header);
    const unsigned entries = MPRT_DESC_ENTRIES(header);
    const std::uint32_t loop = MPRT_DESC_LOOP(header);
    const bool iteration = header & MPRT_DESC_ITERATION;
    check(kind <= MPRT_DESC_NEST, "a descriptor has an unknown kind");
    check(kind != MPRT_DESC_RUN || words > 1 + MPRT_DESC_COMMON(header),
          "a run has no words of its own");
    check(kind != MPRT_DESC_NEST || entries < MPRT_MAX_RECORD_WORDS,
          "a nest moves too many words");
    check(words >= (kind == MPRT_DESC_NEST                                     ? 4u
                    : kind == MPRT_DESC_RANGE || kind == MPRT_DESC_RESUME ? 2u
                                                                          : 1u),
          "a descriptor's record is too short");
    check(kind != MPRT_DESC_RESUME || (entries == 0 && words == 2),
          "a loop event has entries");
    check(loop == MPRT_NO_LOOP ? kind != MPRT_DESC_RANGE && !iteration
                               : loop < image_.loops().size(),
          "a descriptor names no loop");
    check(at + descriptor_words(header) <= table.words.size(),
          "a descriptor table is truncated");
    if (!fault_.empty()) return;
    const std::size_t per_entry = kind == MPRT_DESC_RANGE
                                      ? MPRT_RANGE_ENTRY_WORDS
                                      : MPRT_BLOCK_ENTRY_WORDS;
    std::uint64_t before = MPRT_ENTRY(0, 0, 0, MPRT_OP_VALUE, 0);
    for (unsigned i = 0; i < entries; i++) {
      const std::uint64_t* words_of_entry = &table.words[at + 1 + i * per_entry];
      entry(header, words_of_entry, before);
      before = *words_of_entry;
    }
    at += padded_descriptor_words(header);
  }
}

}  // namespace

std::span<const mprt_function> UnitImage::functions() const {
  return rows<mprt_function>(*this, Layout(header()).functions,
                             header().functions);
}
std::span<const mprt_loop> UnitImage::loops() const {
  return rows<mprt_loop>(*this, Layout(header()).loops, header().loops);
}
std::span<const mprt_site> UnitImage::sites() const {
  return rows<mprt_site>(*this, Layout(header()).sites, header().sites);
}
std::span<const mprt_alloc_site> UnitImage::alloc_rows() const {
  return rows<mprt_alloc_site>(*this, Layout(header()).alloc_sites,
                               header().alloc_sites);
}
std::span<const mprt_global> UnitImage::global_rows() const {
  return rows<mprt_global>(*this, Layout(header()).globals, header().globals);
}
std::span<const mprt_local> UnitImage::local_rows() const {
  return rows<mprt_local>(*this, Layout(header()).locals, header().locals);
}
std::span<const mprt_type> UnitImage::types() const {
  return rows<mprt_type>(*this, Layout(header()).types, header().types);
}
std::span<const mprt_field> UnitImage::fields() const {
  return rows<mprt_field>(*this, Layout(header()).fields, header().fields);
}
std::span<const mprt_inlined> UnitImage::frames() const {
  return rows<mprt_inlined>(*this, Layout(header()).frames, header().frames);
}
std::span<const mprt_header_call> UnitImage::header_calls() const {
  return rows<mprt_header_call>(*this, Layout(header()).calls, header().calls);
}
std::span<const mprt_callee> UnitImage::callees() const {
  return rows<mprt_callee>(*this, Layout(header()).callees, header().callees);
}
std::span<const mprt_obstacle> UnitImage::obstacles() const {
  return rows<mprt_obstacle>(*this, Layout(header()).obstacles, header().obstacles);
}
// Rows are checked when they are read; the test here covers a row that the checks leave out.
const char* UnitImage::text(std::uint32_t offset) const {
  if (offset >= header().strings) return "";
  return reinterpret_cast<const char*>(blob.data()) + Layout(header()).strings + offset;
}

bool UnitAssembler::add(std::uint64_t address, const void* bytes,
                          std::uint64_t size) {
  total_ += size;
  if (total_ > k_max_module_bytes) return false;
  if (size) pieces_[address].assign(static_cast<const char*>(bytes), size);
  return true;
}

bool UnitAssembler::copy(std::uint64_t address, void* to,
                           std::uint64_t size) const {
  char* out = static_cast<char*>(to);
  while (size) {
    auto piece = pieces_.upper_bound(address);
    if (piece == pieces_.begin()) return false;
    --piece;
    const std::uint64_t skip = address - piece->first;
    if (skip >= piece->second.size()) return false;
    const std::uint64_t n = std::min(size, piece->second.size() - skip);
    std::memcpy(out, piece->second.data() + skip, n);
    out += n, address += n, size -= n;
  }
  return true;
}

feedback::Result<UnitImage> UnitAssembler::finish() const {
  const auto fail = [this](const std::string& what) {
    feedback::Error error;
    error.kind = feedback::Error::Kind::corrupt;
    error.file = "unit at " + std::to_string(address_);
    error.what = what;
    return error;
  };
  UnitImage image;
  image.address = address_;
  for (const auto& [address, bytes] : pieces_)
    if (address < k_path_limit && address == image.path.size())
      image.path += bytes;
  if (const auto nul = image.path.find('\0'); nul != std::string::npos)
    image.path.resize(nul);

  mprt_unit unit;
  if (!copy(address_, &unit, sizeof unit))
    return fail("its description did not arrive");
  if (unit.abi != MPRT_ABI)
    return fail("it was built for another version of the runtime");
  // What was not sent cannot be copied: total_ bounds every size.
  if (unit.blob_bytes > total_ ||
      unit.desc_table_count > total_ / sizeof(mprt_desc_table) ||
      unit.global_count > total_ / 8)
    return fail("its tables are larger than what arrived");
  const auto address_of = [](const void* p) {
    return reinterpret_cast<std::uint64_t>(p);
  };
  image.blob.resize((unit.blob_bytes + 7) / 8);
  std::vector<mprt_desc_table> tables(unit.desc_table_count);
  image.globals.resize(unit.global_count);
  if (!copy(address_of(unit.blob), image.blob.data(), unit.blob_bytes) ||
      !copy(address_of(unit.desc_tables), tables.data(),
            tables.size() * sizeof(mprt_desc_table)) ||
      !copy(address_of(unit.globals), image.globals.data(),
            image.globals.size() * 8))
    return fail("a table did not arrive");
  image.alloc_sites = address_of(unit.alloc_sites);

  Checker checker(image);
  if (!checker.header(unit.blob_bytes)) return fail(checker.fault());
  if (image.header().globals != unit.global_count ||
      image.header().alloc_sites != unit.alloc_site_count)
    return fail("its tables do not agree about their sizes");
  checker.rows();
  if (!checker.fault().empty()) return fail(checker.fault());
  for (const mprt_desc_table& t : tables) {
    if (t.count > total_ / 8) return fail("a descriptor table did not arrive");
    UnitImage::DescTable table{address_of(t.words),
                                 std::vector<std::uint64_t>(t.count)};
    if (!copy(table.address, table.words.data(), t.count * 8))
      return fail("a descriptor table did not arrive");
    checker.descriptors(table);
    image.desc_tables.push_back(std::move(table));
  }
  if (!checker.fault().empty()) return fail(checker.fault());
  return image;
}

}  // namespace memprof::backend
