// loaded_units.cc - the loaded units: descriptors, dense ids, counters.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/program/loaded_units.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "runtime/backend/event/batch.h"
#include "runtime/backend/event/column_writer.h"

namespace memprof::backend {

namespace {

// 2^32 words are more than an index in the sparse table can name.
constexpr std::size_t k_arena_words = std::size_t{1} << 32;

// No `default': the compiler complains of an entry that has no event.
EventKind kind_of(mprt_op op) {
  switch (op) {
    case MPRT_OP_LOAD: return EventKind::load;
    case MPRT_OP_STORE: return EventKind::store;
    case MPRT_OP_EXTERNAL_STORE: return EventKind::external_store;
    case MPRT_OP_LOCAL_BIRTH: return EventKind::local_birth;
    case MPRT_OP_ENTER: return EventKind::loop_enter;
    case MPRT_OP_ITERATION: return EventKind::loop_iteration;
    case MPRT_OP_EXIT: return EventKind::loop_exit;
    case MPRT_OP_VALUE: return EventKind::value;
    case MPRT_OP_FUNCTION_ENTER: return EventKind::function_enter;
    case MPRT_OP_FUNCTION_EXIT: return EventKind::function_exit;
    case MPRT_OP_POINTER: return EventKind::pointer;
    case MPRT_OP_EXTERNAL_CALL: return EventKind::external_call;
  }
  return EventKind::local_birth;  // UnitImage has refused every other number
}

// How many of the ENTRIES of a block are values.
unsigned values_of(const std::uint64_t* raw, unsigned entries) {
  unsigned values = 0;
  for (unsigned i = 0; i < entries; i++)
    values += MPRT_ENTRY_OP(raw[i * MPRT_BLOCK_ENTRY_WORDS]) == MPRT_OP_VALUE;
  return values;
}

CompiledKind kind_of_descriptor(unsigned kind) {
  switch (kind) {
    case MPRT_DESC_RANGE: return CompiledKind::range;
    case MPRT_DESC_RESUME: return CompiledKind::loop_resume;
    case MPRT_DESC_TALLY: return CompiledKind::tally;
    case MPRT_DESC_RUN: return CompiledKind::run;
    case MPRT_DESC_NEST: return CompiledKind::nest;
    default: return CompiledKind::block;
  }
}

}  // namespace

LoadedUnits::LoadedUnits()
    : most_sites_(
          std::min<std::size_t>(k_max_sites, most_array_bytes() / sizeof(Columns::State) - 1)),
      arena_(k_arena_words), store_(std::size_t{k_max_sites} + 1),
      types_(std::size_t{k_max_sites} + 1), functions_(std::size_t{k_max_sites} + 1) {}

CompiledDesc* LoadedUnits::add_descriptor(std::size_t entry_bytes) {
  const std::size_t words = (sizeof(CompiledDesc) + entry_bytes) / 8;
  if (words > arena_.capacity() - arena_used_) throw std::bad_alloc();
  descriptors_.push_back(static_cast<std::uint32_t>(arena_used_));
  auto* desc = reinterpret_cast<CompiledDesc*>(&arena_[arena_used_]);
  arena_used_ += words;
  return desc;
}

void LoadedUnits::compile(const Unit& unit, const UnitImage::DescTable& table) {
  static_assert(sizeof(CompiledDesc) % 8 == 0 && sizeof(BlockEntry) % 8 == 0 &&
                sizeof(RangeEntry) % 8 == 0 && sizeof(ColumnEntry) % 8 == 0 &&
                sizeof(NestEntry) % 8 == 0);
  for (std::size_t at = 0; at < table.words.size();
       at += padded_descriptor_words(table.words[at])) {
    const std::uint64_t header = table.words[at];
    const std::uint64_t address = table.address + at * 8;
    const std::uint64_t* raw = &table.words[at + 1];
    switch (MPRT_DESC_KIND(header)) {
      case MPRT_DESC_COVERED:
        add_covered_sites(unit, raw, MPRT_DESC_ENTRIES(header));
        continue;
      case MPRT_DESC_NEST: compile_nest(unit, header, raw); break;
      case MPRT_DESC_RANGE: compile_range(unit, header, address, raw); break;
      default: compile_block(unit, header, address, raw);
    }
    index_.at(address) = descriptors_.back();
  }
}

// A descriptor with HEADER, ENTRIES entries and VALUES values; nothing of it is
// written but what the header says.
CompiledDesc* LoadedUnits::new_descriptor(const Unit& unit, std::uint64_t header,
                                          std::size_t entry_bytes, unsigned entries,
                                          unsigned values) {
  CompiledDesc* const desc = add_descriptor(entry_bytes);
  const std::uint32_t loop = MPRT_DESC_LOOP(header);
  *desc = {};
  desc->counts = &counts_.emplace_back();
  desc->loop = loop == MPRT_NO_LOOP ? 0 : unit.first_loop + loop;
  desc->entries = static_cast<std::uint16_t>(entries);
  desc->values = static_cast<std::uint8_t>(values);
  desc->words = static_cast<std::uint8_t>(MPRT_DESC_RECORD_WORDS(header));
  desc->kind = kind_of_descriptor(MPRT_DESC_KIND(header));
  desc->iteration = (header & MPRT_DESC_ITERATION) != 0;
  desc->common = static_cast<std::uint8_t>(common_of(header));
  return desc;
}

// The word of a record in which an address with BASE begins, and what to add to it. Word 0 is the
// header, which all records of a descriptor have in common: an absolute address is that plus
// a constant.
LoadedUnits::AddressFrom LoadedUnits::address_from(const std::uint64_t* raw,
                                                   std::uint64_t record_header) {
  const unsigned base = MPRT_ENTRY_BASE(raw[0]);
  if (base == MPRT_BASE_ABSOLUTE) return {0, raw[1] - record_header};
  return {static_cast<std::uint8_t>(base), raw[1]};
}

void LoadedUnits::compile_range(const Unit& unit, std::uint64_t header, std::uint64_t address,
                                const std::uint64_t* raw) {
  const unsigned entries = MPRT_DESC_ENTRIES(header);
  CompiledDesc* const desc =
      new_descriptor(unit, header, entries * sizeof(RangeEntry), entries, 0);
  auto* ranges = const_cast<RangeEntry*>(desc->range_entries());
  for (unsigned i = 0; i < entries; i++, raw += MPRT_RANGE_ENTRY_WORDS) {
    const auto [word, offset] = address_from(raw, address | desc->words);
    const SiteId site = unit.first_site + MPRT_ENTRY_SITE(raw[0]);
    for (unsigned j = 0; j < i; j++) desc->repeated_site |= ranges[j].site == site;
    ranges[i] = {offset, static_cast<std::int64_t>(raw[2]), MPRT_ENTRY_WIDTH(raw[0]),
                 MPRT_INDEX_MODULUS(raw[3]), site, word,
                 static_cast<std::uint8_t>(MPRT_ENTRY_LENGTH_WORD(raw[0])),
                 static_cast<std::uint8_t>(MPRT_STEP_WORD(raw[3])),
                 static_cast<std::uint8_t>(MPRT_STEP_MINUS(raw[3])),
                 static_cast<std::uint8_t>(MPRT_INDEX_WORD(raw[3])), store_p(site)};
  }
  if (!IterationBlocks::possible(*desc)) return;
  iteration_blocks_.emplace_back(*desc);
  desc->iteration_blocks = static_cast<std::uint32_t>(iteration_blocks_.size());
}

// A block, a run of blocks, a tally, or what a thread resumes.
void LoadedUnits::compile_block(const Unit& unit, std::uint64_t header, std::uint64_t address,
                                const std::uint64_t* raw) {
  const unsigned entries = MPRT_DESC_ENTRIES(header), values = values_of(raw, entries);
  const unsigned common = common_of(header);
  CompiledDesc* const desc = new_descriptor(
      unit, header,
      (entries - values) * (sizeof(BlockEntry) + sizeof(ColumnEntry)) +
          values * sizeof(ValueEntry) + common * sizeof(std::int64_t),
      entries - values, values);
  const std::uint64_t record_header = address | desc->words;
  auto* block = const_cast<BlockEntry*>(desc->block_entries());
  auto* value = const_cast<ValueEntry*>(desc->value_entries());
  unsigned n = 0;  // entries that are no values
  for (unsigned i = 0; i < entries; i++, raw += MPRT_BLOCK_ENTRY_WORDS) {
    const auto [word, offset] = address_from(raw, record_header);
    const SiteId site = unit.first_site + MPRT_ENTRY_SITE(raw[0]);
    if (MPRT_ENTRY_OP(raw[0]) == MPRT_OP_VALUE) {
      for (const ValueEntry* v = desc->value_entries(); v < value; v++)
        desc->repeated_site |= v->site == site;
      *value++ = {offset, site, word, static_cast<std::uint8_t>(MPRT_ENTRY_WIDTH(raw[0])),
                  static_cast<std::uint8_t>(n - 1)};
      continue;
    }
    if (desc->kind == CompiledKind::run)
      for (unsigned j = 0; j < n; j++) desc->repeated_site |= block[j].site == site;
    block[n++] = block_entry(unit, *desc, raw[0], word, offset);
  }
  write_columns(*desc);
  if (desc->kind == CompiledKind::block) desc->block_header = record_header;
  std::copy_n(raw, common, const_cast<std::int64_t*>(desc->run_steps()));
}

// The entry W of a block, which is no value. The block becomes a mixed one if it has no static
// width or is neither an access nor an event of a loop.
BlockEntry LoadedUnits::block_entry(const Unit& unit, CompiledDesc& desc, std::uint64_t w,
                                    std::uint8_t word, std::uint64_t offset) const {
  const auto op = static_cast<mprt_op>(MPRT_ENTRY_OP(w));
  const auto length = static_cast<std::uint8_t>(MPRT_ENTRY_LENGTH_WORD(w));
  std::uint64_t width = MPRT_ENTRY_WIDTH(w);
  const bool event = op >= MPRT_OP_ENTER && op <= MPRT_OP_EXIT;
  const bool function = op >= MPRT_OP_FUNCTION_ENTER && op <= MPRT_OP_POINTER;
  if (op == MPRT_OP_LOCAL_BIRTH && !length && !width) {
    const mprt_local& local = unit.image.local_rows()[MPRT_ENTRY_SITE(w)];
    width = local.bytes_low | std::uint64_t{local.bytes_high} << 32;
  }
  const bool small_local = op == MPRT_OP_LOCAL_BIRTH && desc.kind == CompiledKind::block &&
                           width < k_long_width;
  desc.locals |= small_local;
  if (desc.kind != CompiledKind::tally &&
      (length || (op > MPRT_OP_STORE && !event && !small_local) || (!event && width == 0)))
    desc.kind = CompiledKind::mixed;
  return {offset, width,
          event                 ? unit.first_loop + MPRT_ENTRY_SITE(w)
          : function            ? unit.first_function + MPRT_ENTRY_SITE(w)
          : op <= MPRT_OP_STORE ? unit.first_site + MPRT_ENTRY_SITE(w)
          : op == MPRT_OP_EXTERNAL_CALL ? unit.first_callee + MPRT_ENTRY_SITE(w)
                                : k_no_site,
          word, length, kind_of(op)};
}

void LoadedUnits::compile_nest(const Unit& unit, std::uint64_t header,
                               const std::uint64_t* raw) {
  const unsigned entries = MPRT_DESC_ENTRIES(header);
  CompiledDesc* const desc = add_descriptor(entries * sizeof(NestEntry));
  const std::uint32_t loop = MPRT_DESC_LOOP(header);
  *desc = {};
  desc->counts = &counts_.emplace_back();
  desc->loop = loop == MPRT_NO_LOOP ? 0 : unit.first_loop + loop;
  desc->words = static_cast<std::uint8_t>(MPRT_DESC_RECORD_WORDS(header));
  desc->kind = CompiledKind::nest;
  desc->common = static_cast<std::uint8_t>(entries);
  auto* moves = const_cast<NestEntry*>(desc->nest_entries());
  for (unsigned i = 0; i < entries; i++, raw += MPRT_BLOCK_ENTRY_WORDS)
    moves[i] = {static_cast<std::int64_t>(raw[1]),
                static_cast<std::uint8_t>(MPRT_MOVE_WORD(raw[0])),
                static_cast<std::uint8_t>(MPRT_MOVE_STEP_WORD(raw[0]))};
}

void LoadedUnits::add_covered_sites(const Unit& unit, const std::uint64_t* raw,
                                 unsigned entries) {
  for (unsigned i = 0; i < entries; i++, raw += MPRT_BLOCK_ENTRY_WORDS) {
    const bool variable = MPRT_ENTRY_BASE(raw[0]) == MPRT_BASE_ABSOLUTE;
    covered_sites_.try_emplace(unit.first_site + MPRT_ENTRY_SITE(raw[0]),
                            CoveredSite{unit.first_site + MPRT_ENTRY_WIDTH(raw[0]),
                                      variable ? raw[1] : 0, 0});
  }
}

// The unit that goes on counting for this image, or a new one.
Unit* LoadedUnits::adopt(UnitImage image) {
  for (const auto& unit : units_)
    if (!unit->loaded && unit->image.path == image.path &&
        unit->image.blob == image.blob) {
      unit->image = std::move(image);
      unit->loaded = true;
      return unit.get();
    }
  const std::size_t sites = image.sites().size();
  const std::size_t loops = image.loops().size();
  if (next_site_ + sites > most_sites_ || next_loop_ + loops > 0x7fffffff)
    return nullptr;
  auto unit = std::make_unique<Unit>();
  unit->first_site = next_site_;
  unit->first_loop = next_loop_;
  unit->first_function = next_function_;
  unit->first_callee = external_calls_.add_unit(image);
  next_function_ += static_cast<FunctionId>(image.functions().size());
  next_site_ += static_cast<SiteId>(sites);
  next_loop_ += static_cast<LoopId>(loops);
  unit->image = std::move(image);
  tallied_.resize(next_site_);
  // The unit's sites name few records, each by one offset.
  std::unordered_map<std::uint64_t, std::uint32_t> records;
  for (std::size_t i = 0; i < sites; i++) {
    const mprt_site& site = unit->image.sites()[i];
    std::uint32_t& record = records[std::uint64_t{site.type} << 32 | site.record_bytes];
    if (record == 0) record = record_number(unit->image.text(site.type), site.record_bytes);
    store_[unit->first_site + i] = static_cast<std::uint8_t>(
        (site.kind == MPRT_OP_STORE ? k_store : 0) | (site.flags & k_kept_flags));
    types_[unit->first_site + i] = {site.scalars, record, site.first_byte, site.bytes};
    functions_[unit->first_site + i] = unit->first_function + site.function;
  }
  unit->number = units_.size();
  units_.push_back(std::move(unit));
  return units_.back().get();
}

// 0: it has no name.
std::uint32_t LoadedUnits::record_number(const std::string& name, std::uint32_t bytes) {
  if (name.empty()) return 0;
  const auto next = static_cast<std::uint32_t>(records_.size() + 1);
  return records_.try_emplace({name, bytes}, next).first->second;
}

const Unit* LoadedUnits::load(UnitImage image) {
  unload(image.address);
  Unit* unit = adopt(std::move(image));
  if (!unit) return nullptr;
  loaded_[unit->image.address] = unit;
  entries_.loaded(unit->first_function, unit->image.functions().size());
  for (const auto& table : unit->image.desc_tables) compile(*unit, table);
  const std::uint64_t first = unit->image.alloc_sites;
  const std::uint64_t count = unit->image.alloc_rows().size();
  if (count) {
    alloc_ranges_.erase(alloc_ranges_.lower_bound(first),
                        alloc_ranges_.lower_bound(first + count));
    alloc_ranges_[first] = unit;
  }
  return unit;
}

const Unit* LoadedUnits::unload(std::uint64_t address) {
  const auto it = loaded_.find(address);
  if (it == loaded_.end()) return nullptr;
  Unit* unit = it->second;
  unit->loaded = false;
  loaded_.erase(it);
  return unit;
}

bool LoadedUnits::note_entries(std::uint64_t address, std::uint64_t when, std::uint64_t row,
                               std::uint64_t counts) {
  const auto it = loaded_.find(address);
  if (it == loaded_.end()) return false;
  const std::size_t functions = it->second->image.functions().size();
  if (row >= functions) return false;
  entries_.note(it->second->first_function + static_cast<FunctionId>(row), functions - row, when, counts);
  return true;
}

AllocSite LoadedUnits::alloc_site(std::uint64_t address) const {
  auto it = alloc_ranges_.upper_bound(address);
  if (it == alloc_ranges_.begin()) return {nullptr, 0};
  --it;
  const std::uint64_t row = address - it->first;
  if (row >= it->second->image.alloc_rows().size()) return {nullptr, 0};
  return {it->second, static_cast<std::uint32_t>(row)};
}

const Unit* LoadedUnits::unit_of_site(SiteId site) const {
  auto it = std::upper_bound(
      units_.begin(), units_.end(), site,
      [](SiteId s, const auto& unit) { return s < unit->first_site; });
  return it == units_.begin() ? nullptr : std::prev(it)->get();
}

std::string LoadedUnits::function_name(FunctionId function) const {
  for (const auto& unit : units_)
    if (function - unit->first_function < unit->image.functions().size())
      return unit->image.text(
          unit->image.functions()[function - unit->first_function].name);
  return {};
}

// Calls EXECUTED(site, times) for what COUNTS of DESC represent.
template <typename F>
void LoadedUnits::for_executions(const CompiledDesc& desc, const DescriptorCounts& counts,
                                 const F& executed) {
  if (desc.kind == CompiledKind::range) {
    const RangeEntry* e = desc.range_entries();
    for (unsigned i = 0; i < desc.entries; i++)
      executed(e[i].site, counts.iterations - (e[i].minus ? counts.nonempty : 0));
  } else if (desc.kind != CompiledKind::tally) {
    const BlockEntry* e = desc.block_entries();
    for (unsigned i = 0; i < desc.entries; i++)
      if (e[i].execution()) executed(e[i].site, counts.records);
  }
}

std::vector<std::uint64_t> LoadedUnits::site_executions() const {
  std::vector<std::uint64_t> executions = tallied_;
  executions.resize(next_site_);
  for (std::uint32_t at : descriptors_) {
    const auto& desc = *reinterpret_cast<const CompiledDesc*>(&arena_[at]);
    for_executions(desc, *desc.counts,
                   [&](SiteId site, std::uint64_t n) { executions[site] += n; });
  }
  for (const auto& [site, covered] : covered_sites_)
    executions[site] += executions[covered.by];
  return executions;
}

void LoadedUnits::note_first_use(const CompiledDesc& desc) {
  desc.counts->noted = true;
  noted_.push_back(&desc);
}

void LoadedUnits::take_executions(std::vector<std::uint64_t>& counts,
                                  std::vector<SiteId>& changed) {
  counts.resize(next_site_);
  const auto executed = [&](SiteId site, std::uint64_t n) {
    if (n == 0) return;
    if (counts[site] == 0) changed.push_back(site);
    counts[site] += n;
  };
  for (const CompiledDesc* desc : noted_) {
    DescriptorCounts& now = *desc->counts;
    if (now.taken == 0) {
      taken_.emplace_back();
      now.taken = static_cast<std::uint32_t>(taken_.size());
    }
    DescriptorCounts& before = taken_[now.taken - 1];
    for_executions(*desc,
                   {now.records - before.records, now.iterations - before.iterations,
                    now.nonempty - before.nonempty},
                   executed);
    before = now;
    now.noted = false;
  }
  noted_.clear();
  if (any_tally_) {
    tallies_taken_.resize(next_site_);
    for (SiteId site = 1; site < next_site_; site++)
      executed(site, tallied_[site] - tallies_taken_[site]);
    tallies_taken_ = tallied_;
  }
  for (const auto& [site, covered] : covered_sites_) executed(site, counts[covered.by]);
}

std::vector<LoopCounts> LoadedUnits::loop_counts() const {
  std::vector<LoopCounts> counts(next_loop_);
  for (std::uint32_t at : descriptors_) {
    const auto& desc = *reinterpret_cast<const CompiledDesc*>(&arena_[at]);
    LoopCounts& loop = counts[desc.loop];
    if (desc.iteration) loop.iterations += desc.counts->records;
    if (desc.kind == CompiledKind::range || desc.kind == CompiledKind::nest) {
      loop.invocations += desc.counts->records;
      loop.iterations += desc.counts->iterations;
      continue;
    }
    const BlockEntry* e = desc.block_entries();
    for (unsigned i = 0; i < desc.entries; i++)
      if (e[i].kind == EventKind::loop_enter)
        counts[e[i].site].invocations += desc.counts->records;
      else if (e[i].kind == EventKind::loop_iteration)
        counts[e[i].site].iterations += desc.counts->records;
  }
  return counts;
}

}  // namespace memprof::backend
