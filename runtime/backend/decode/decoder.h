// decoder.h - from records to batches of object-relative events.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The decoder walks over a stretch of one ring and appends to a batch what the
// records stand for (batch.h). It knows nothing about the order of rings: it
// stops where somebody else must decide, and the sequencer does.
//
// The hot path is a block whose accesses have static widths: it stays one event,
// and per access there is one addition, one compare with the object that the
// site hit last, and an item of the batch; everything that a descriptor implies
// is counted once per record (loaded_units.h). Objects that are not worth_caching() are not
// kept per site: looking them up costs as much as finding out that the next access hits
// another one. Small ones become so when a site finds one again and again
// (ObjectManager::found_again).
//
// A range stays one event when each of its accesses lies in one object for the
// whole loop, or all of it in none. Otherwise it is expanded, in pieces that fit
// into batches: decode() goes on with it before it reads another record. One of few
// iterations is written out as blocks at once (iteration_blocks.h). A nest is written
// out as its ranges in the same way. A run stays its blocks, but of its sites those that stay
// with their objects are done one after the other (put_columns).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/backend/base/flat_map.h"
#include "runtime/backend/base/per_site.h"
#include "runtime/backend/event/batch.h"
#include "runtime/backend/event/columns.h"
#include "runtime/backend/event/loop_samples.h"
#include "runtime/backend/program/group_table.h"
#include "runtime/backend/program/loaded_units.h"
#include "runtime/backend/program/object_manager.h"
#include "runtime/backend/stream/nest_records.h"
#include "runtime/backend/stream/run_records.h"
#include "runtime/backend/stream/stream.h"

namespace memprof::backend {

// Why decode() came back.
enum class Stop {
  exhausted,   // the whole stretch is used
  batch_full,
  ticket,      // ring.wanted_ticket has not been reached
  chunk_end,   // behind a CHUNK_END
  signal,      // behind a SIGNAL_ENTER or SIGNAL_EXIT
  unknown,     // before a record of a module that is not loaded
  corrupt      // before something that is no record
};

struct StreamCounts {
  std::uint64_t lost = 0;        // LOST records and records of no module
  std::uint64_t corrupt = 0;     // records, or stretches, that made no sense
  std::uint64_t threads = 0;
  bool ended = false;            // PROGRAM_END was seen
  // Sample mode; the last two in places where a burst may begin.
  std::uint64_t bursts = 0, in_bursts = 0, between_bursts = 0;
  std::uint64_t burst_began = 0;  // so many places had passed when the last one did
  bool ended_early = false;      // ... because the runtime went off
  bool unwanted = false;         // ... and the program wants no profile

  // A program that was killed has not said how long its last burst was.
  std::uint64_t seen() const { return std::max<std::uint64_t>(in_bursts, 1); }
  std::uint64_t places() const { return in_bursts + between_bursts; }
  // How often what bursts saw has happened.
  std::uint64_t times() const {
    return bursts == 0 ? 1 : (seen() + between_bursts + seen() / 2) / seen();
  }
};

class Decoder {
 public:
  // Events per batch, and words of blocks; a record may overshoot it by what it stands for.
  // Where a program executes so many sites that their columns are short, so that each costs
  // modules a look at its state for few items, batches are up to k_largest times as large.
  static constexpr std::size_t k_batch_events = 2048;
  static constexpr std::size_t k_batch_words = 8192;
  static constexpr std::size_t k_largest = 8;
  // Accesses per batch, with those of ranges: see Item::time.
  static constexpr std::uint64_t k_batch_time = std::uint64_t{1} << 31;
  // What one site record can stand for, and some more.
  static constexpr std::size_t k_overshoot = MPRT_MAX_ENTRIES + 257;
  static constexpr std::size_t k_word_overshoot =
      std::max(IterationBlocks::k_max_iterations * MPRT_MAX_RECORD_WORDS,
               RunRecords::k_max_words);

  Decoder();

  // Uses records of [*P, END), of RING, until something stops it.
  Stop decode(StreamRing& ring, const std::uint64_t** p,
              const std::uint64_t* end, Batch& batch);
  // Takes part of a stretch that is being parked: module records only.
  void unit_record(StreamRing& ring, const std::uint64_t* p,
                     std::size_t words, Batch& batch);
  // Goes on writing out ranges and nests; false if the batch is full before their end.
  bool finish_expansion(Batch& batch);
  // Call it before a batch is read.
  void finish(Batch& batch) {
    const std::size_t events = batch.events.size();
    looks_ahead_ = retargets_ * k_few_retargets > events && objects_.live() > k_few_objects;
    wanders_ = looks_ahead_ || retargets_ * k_wandering > events;
    retargets_ = 0;
    choose_size(batch);
    columns_.finish(batch, [this](Column& column, Columns::State& s) {
      credit(s);
      column.convoy = units_.convoys().led_by(column.site);
    });
  }
  // One without events has no time yet: it may be that of its last use.
  bool full(const Batch& batch) const {
    return batch.events.size() >= batch_events_ || batch.words.size() >= batch_words() ||
           batch.accesses.size() >= batch_events_ ||
           (!batch.events.empty() && time_ - batch.time >= k_batch_time) || !batch.gaps.empty();
  }

  // Tickets 1 .. passed_ticket() have been passed.
  std::uint64_t passed_ticket() const { return passed_ticket_; }
  // Passes all tickets below TICKET without having seen them.
  void skip_to_ticket(std::uint64_t ticket) { passed_ticket_ = ticket - 1; }
  // No module reads the columns of the batches to come: there are none, and nobody asks
  // which object an access goes to.
  void leave_out_columns();
  // Ranges that follow each other are not joined, and nests of short ones are written out.
  void leave_short_rows() { takes_rows_ = false; }
  // From now on records of unknown modules are counted as lost.
  void skip_unknown() { skip_unknown_ = true; }
  void count_corrupt() { counts_.corrupt++; }

  const StreamCounts& counts() const { return counts_; }
  PerSite<Witnessed>& witnessed() { return witnessed_; }
  std::uint64_t time() const { return time_; }
  const LoadedUnits& units() const { return units_; }
  LoadedUnits& units() { return units_; }
  const ObjectManager& objects() const { return objects_; }
  GroupTable& groups() { return groups_; }
  // A change means that a module was loaded: parked records may be known now.
  std::uint64_t loads() const { return loads_; }

  // How to name the code at a return address (group.function); and which file
  // is the program's executable, whose globals outlive its destructors.
  std::function<std::string(std::uint64_t)> name_code;
  std::string executable;
  // A burst begins: what was decoded so far is that of the ones before.
  std::function<void()> burst_begins;
  // The program is about to fork and waits for live_objects().
  std::function<void(std::uint32_t token)> snapshot;
  std::vector<mprt_live_object> live_objects() const;

 private:
  // How far ahead of the decoder the stream is fetched; measured best: 2 KB.
  static constexpr std::size_t k_prefetch_words = 256;
  // Events per retarget with which blocks wander, and with which it is worth while to look ahead;
  // how many objects the caches have room for anyway.
  static constexpr std::size_t k_wandering = 2, k_few_retargets = 8, k_few_objects = 8192;
  static constexpr std::uint64_t k_user_end = std::uint64_t{1} << k_address_bits;
  // A longer access, range or loop than any real one; bounds what a corrupt
  // stream can make the modules do.
  static constexpr std::uint64_t k_max_width = std::uint64_t{1} << 36;
  static constexpr std::uint64_t k_max_early = 64;
  static constexpr std::uint64_t k_max_count = std::uint64_t{1} << 48;
  static constexpr std::uint64_t k_max_expanded = std::uint64_t{1} << 32;
  static constexpr std::size_t k_shortest_part = 4;  // of a run
  static constexpr std::size_t k_max_nests = 4;  // in each other
  static constexpr std::uint64_t k_max_in_rows = 1 << 28;  // accesses of a range of several rows
  // Iterations of a row that is joined with others, and accesses of what they become.
  static constexpr std::uint64_t k_longest_joined = 65536, k_fewest_joined = 512;

  // The index of an access of a range; modulus 0: it has none.
  struct Wrap {
    std::uint64_t index, modulus;
  };
  struct Expansion {  // a range that is being written out
    std::vector<RangeAccess> accesses;
    std::vector<Wrap> wraps;  // of the accesses
    std::uint64_t k = 0, count = 0;
    std::uint64_t left = 0;  // iterations, and the exit
    LoopId loop = 0;
    std::uint32_t thread = 0;
  };

  // The batch that is being filled: `next_' is where its next event goes, and
  // `next_word_' its next word.
  class Filling {
   public:
    Filling(Decoder& decoder, Batch& batch) : decoder_(decoder) {
      decoder_.open(batch);
    }
    ~Filling() { decoder_.close(); }

   private:
    Decoder& decoder_;
  };
  void open(Batch& batch);
  void choose_size(const Batch& batch);
  std::size_t batch_words() const {
    return batch_events_ / k_batch_events * k_batch_words;
  }
  void close();
  std::size_t filled() const {
    return static_cast<std::size_t>(next_ - batch_->events.data());
  }
  std::size_t filled_words() const {
    return static_cast<std::size_t>(next_word_ - batch_->words.data());
  }
  bool full() const {
    return next_ >= event_limit_ || next_word_ >= word_limit_ || time_ >= time_limit_;
  }
  [[gnu::always_inline]] void emit(const Event& event) {
    if (next_ == room_end_) [[unlikely]] grow();
    *next_++ = event;
  }
  // The same, for an event of any width.
  void emit_wide(EventKind kind, std::uint64_t address, std::uint32_t index,
                 std::uint64_t width) {
    batch_->note_width(filled(), width);
    emit({address, {index}, Batch::short_width(width), kind});
  }
  void grow();
  // As many accesses of ranges as events may be in a batch, too.
  void limit_accesses() {
    if (batch_->accesses.size() >= batch_events_) event_limit_ = next_;
  }

  void prefetch_objects(const std::uint64_t* p, std::size_t words,
                        const std::uint64_t* end) const;
  // What the executions of blocks have in columns.
  enum class Items {
    none,      // there are no columns
    steady,
    wandering  // most go to another object than the last one of their site
  };
  // The block records from P on that follow each other, as long as the batch is not full: where
  // they end. The first one is whole, and has HEADER and DESC.
  template <Items items>
  const std::uint64_t* blocks(const CompiledDesc* desc, std::uint64_t header,
                              const std::uint64_t* p, const std::uint64_t* end);
  struct Place;
  const CompiledDesc* find_block(std::uint64_t header);
  void block(const CompiledDesc& desc, const std::uint64_t* p);
  const ColumnEntry* put_items(const CompiledDesc& desc, const std::uint64_t* p,
                               std::uint32_t time, std::uint32_t epoch);
  const ColumnEntry* put_each(const CompiledDesc& desc, const std::uint64_t* p,
                              const ColumnEntry* c, std::uint32_t time, std::uint32_t epoch);
  [[gnu::always_inline]] void emit_block(const CompiledDesc& desc, const std::uint64_t* p);
  // Those of SERIES, whose words are there.
  void emit_blocks(const BlockSeries& series);
  // A block whose words begin with number FIRST of the batch.
  static Event block_event(const CompiledDesc& desc, std::size_t first) {
    return {reinterpret_cast<std::uint64_t>(&desc), {static_cast<std::uint32_t>(first)}, 0,
            EventKind::block};
  }
  void rest_of_block(const CompiledDesc& desc, const std::uint64_t* p, const ColumnEntry* c);
  void odd_block(const CompiledDesc& desc, const std::uint64_t* p, const ColumnEntry* done);
  static std::uint32_t beyond(const CompiledDesc& desc, const std::uint64_t* p);
  static bool in_memory_p(const BlockSeries& series);
  void block_alone(const CompiledDesc& desc, const std::uint64_t* p);
  void write_out(const CompiledDesc& desc, const std::uint64_t* p);
  bool put(SiteId site, std::uint64_t address, std::uint64_t width, std::uint32_t time);
  void put_nothing(SiteId site, std::uint64_t address, std::uint32_t time);
  void dissolve(std::uint32_t convoy);
  void mixed_block(const CompiledDesc& desc, const std::uint64_t* p);
  void mixed_entries(const CompiledDesc& desc, const BlockEntry* e, const std::uint64_t* p);
  void value_of(const CompiledDesc& desc, const BlockEntry* e, const std::uint64_t* p);
  void access(SiteId site, std::uint64_t address, std::uint64_t width,
              EventKind kind);
  void short_range(const CompiledDesc& desc, const std::uint64_t* p);
  void one_iteration(const CompiledDesc& desc, const std::uint64_t* p);
  void range(const CompiledDesc& desc, const std::uint64_t* p);
  void nest(const CompiledDesc& desc, const std::uint64_t* p);
  const CompiledDesc* inner_desc(std::uint64_t header);
  // Several rows: decoder_rows.cc.
  static std::uint64_t most_rows(const CompiledDesc& desc, std::uint64_t count);
  bool emit_rows(const CompiledDesc& desc, const std::uint64_t* p, const std::uint64_t* next,
                 std::uint64_t rows, LoopId around, bool inside);
  bool rows(const CompiledDesc& desc, const std::uint64_t* p);
  const CompiledDesc* mere_iteration(std::uint64_t header);
  std::size_t joined(const CompiledDesc& desc, const std::uint64_t* before,
                     const std::uint64_t* p, const std::uint64_t* end);
  void emit_range(const Range& range);
  void next_of_nest();
  static RangeAccess range_access(const RangeEntry& entry, const std::uint64_t* p);
  void early_record(const CompiledDesc& desc, const std::uint64_t* p, std::uint64_t header,
                    std::uint64_t one_in);
  void early_store(RangeAccess access, std::uint64_t one_in);
  static RangeAccess block_access(const BlockEntry& entry, const std::uint64_t* p);
  void witness_access(RangeAccess access, std::uint64_t times, bool wraps);
  void witness(std::uint64_t times, const std::uint64_t* p, std::size_t words);
  void range_item(std::uint32_t number);
  void put_range_item(std::uint32_t number, Columns::State& s, std::uint32_t time);
  void tally(const CompiledDesc& desc, const std::uint64_t* p);
  void run(const CompiledDesc& desc, const std::uint64_t* p, std::uint64_t header);
  bool put_columns(const BlockSeries& run);
  void put_part(const BlockSeries& run, const ColumnEntry& c, Columns::State& s);
  enum class Fit { whole, parts, nonsense };
  Fit range_object(RangeAccess& access);
  bool in_one_object(RangeAccess& access);
  static bool wraps_p(const RangeEntry& entry, const RangeAccess& access, __int128 first);
  void start_expansion(std::size_t first, std::uint64_t count, const CompiledDesc& desc,
                       const std::uint64_t* p);
  void expand();
  void beyond(SiteId site, std::uint64_t address, EventKind kind);
  void nothing(SiteId site, std::uint64_t address, EventKind kind);
  // An event of a loop, a range or a thread.
  void loop_event(EventKind kind, std::uint32_t index, std::uint64_t frame = 0) {
    emit({frame, {index}, 0, kind});
  }
  void loop_event(const BlockEntry& e, const std::uint64_t* p) {
    loop_event(e.kind, e.site, e.frame(p));
  }
  // The events that follow are of THREAD.
  void set_thread(std::uint32_t thread) {
    if (thread == thread_) return;
    thread_ = thread;
    new_epoch();
    loop_event(EventKind::thread, thread);
  }
  // The site goes on with what lies at ADDRESS.
  void retarget(SiteId site, Columns::State& s, std::uint64_t address, std::uint64_t width);
  void retarget(SiteId site, Columns::State& s, Object& object, std::uint64_t width,
                std::uint64_t low, std::uint64_t extent);
  void keep(Columns::State& s, Object& object, std::uint64_t low, std::uint64_t extent);
  // It keeps no range of OBJECT, which was its last target or not.
  void keep_none(Columns::State& s, Object& object, bool again) {
    s.size = 0;
    s.base = again ? s.base + 1 : 0;
    if (again) objects_.found_again(object, s.base);
  }
  bool retarget(const ColumnEntry& entry, Columns::State& s, std::uint64_t address);
  bool retarget(const Convoy& convoy, Columns::State& s, std::uint64_t address);
  bool goes_with_recent(const ColumnEntry& entry, Columns::State& s, std::uint64_t address);
  void no_target(SiteId site, Columns::State& s, std::uint64_t width);
  // Its group learns of the items of the site that it does not know of.
  void credit(Columns::State& s) {
    const std::uint32_t n = columns_.items(s);
    groups_[s.group].accesses += std::uint64_t{n - s.credited} * (1 + s.companions);
    s.credited = n;
  }
  // Forget the targets of all sites.
  void new_epoch() {
    epochs_++;
    note_objects();
  }
  // Some objects may have been born or have died.
  void note_objects() {
    epoch_ = epochs_ + objects_.epoch();
    recent_ = {};
  }
  std::uint32_t batch_time() const {
    return static_cast<std::uint32_t>(time_ - batch_->time);
  }

  Stop gap(const StreamRing& ring);
  Stop marker(StreamRing& ring, std::uint64_t tag, std::uint64_t value);
  Stop control(StreamRing& ring, const std::uint64_t* p, std::size_t words);
  void birth(std::uint64_t address, std::uint64_t bytes, GroupId group);
  void death(std::uint64_t address);
  void died(const Object& object);
  void object_event(EventKind kind, const Object& object, std::uint64_t bytes);
  // Of births and deaths then no module learns anything: what it knew of memory is forgotten
  // when a burst begins.
  bool between_bursts() const { return sampled_ && open_bursts_ == 0; }
  void end_burst(StreamRing& ring) {
    open_bursts_ -= std::exchange(ring.in_burst, false);
  }
  void forget_groups() {
    site_groups_ = {};
    caller_groups_ = {};
  }
  void unit_control(StreamRing& ring, const std::uint64_t* p,
                      std::size_t words);
  GroupId group_of_birth(std::uint64_t site, std::uint64_t caller,
                         std::uint64_t allocator);
  GroupId new_group(std::uint64_t site, std::uint64_t caller, std::uint64_t allocator);
  void realloc_result(StreamRing& ring, const std::uint64_t* p);
  void thread_start(StreamRing& ring, const std::uint64_t* p);
  void globals_born(const Unit& unit);
  void note_companions(const Unit& unit);
  void note_convoys(const Unit& unit, std::uint32_t known);
  void globals_died(const Unit& unit);
  void note_mode(const Unit& unit);

  LoadedUnits units_;
  GroupTable groups_;
  ObjectManager objects_;
  Columns columns_;
  bool keeps_columns_ = true;
  bool takes_rows_ = true;
  std::uint32_t epochs_ = 0, epoch_ = 0;  // of what columns_ knows of targets
  // The small object that was looked up last, and its target in the batch: who walks over
  // nodes mostly accesses each several times.
  struct Recent {
    std::uint64_t base = 0, size = 0, width = 0;
    Object* object = nullptr;
    GroupId group = 0;
    std::uint32_t target = 0;
  } recent_;
  std::size_t retargets_ = 0;             // since the last batch
  bool wanders_ = false;                  // there were many in it
  bool looks_ahead_ = false;              // ... and there are many objects
  using GroupsByAddress = FlatMap<std::uint64_t, GroupId>;
  GroupsByAddress site_groups_, caller_groups_;
  std::uint32_t open_bursts_ = 0;  // of all threads
  bool sampled_ = false;           // all units that are loaded are
  std::vector<SiteId> homeless_;  // companions whose variable nobody has named yet
  // By group: the words of a birth that leads to it.
  struct Origin {
    std::uint64_t site, caller, allocator;
  };
  std::unordered_map<GroupId, Origin> origins_;
  Expansion expansion_;
  std::vector<NestRecords> nests_;  // that are being written out, outer ones first
  std::uint32_t nest_thread_ = 0;
  std::size_t unjoined_ = 0;  // ranges to come that are no rows of those before them
  Batch* batch_ = nullptr;
  Event* next_ = nullptr;
  Event* room_end_ = nullptr;
  // The batch is full when one of these is reached.
  const Event* event_limit_ = nullptr;
  std::size_t batch_events_ = k_batch_events;
  const std::uint64_t* word_limit_ = nullptr;
  std::uint64_t time_limit_ = 0;
  std::uint64_t* next_word_ = nullptr;
  std::uint32_t thread_ = 0;  // of the last event
  StreamCounts counts_;
  std::unordered_set<std::uint32_t> numbers_;  // of threads that have started
  PerSite<Witnessed> witnessed_;
  std::uint64_t time_ = 0;
  std::uint64_t passed_ticket_ = 0;
  std::uint64_t loads_ = 0;
  bool skip_unknown_ = false;
};

}  // namespace memprof::backend
