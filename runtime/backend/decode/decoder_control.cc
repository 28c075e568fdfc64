// decoder_control.cc - control records: objects, modules, threads, the end.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A realloc is two records, because the old object may die, and its memory be
// handed to another thread, before the new one is known. REALLOC_REQUEST only
// notes which object is meant. REALLOC_RESULT kills it, if it still lives and
// the call did not fail, and makes the new one.
//
// Globals are born with their module, which is no birth for the modules: stores to
// a global may precede the registration of its module.
#include <algorithm>
#include <utility>

#include "runtime/backend/base/fault.h"
#include "runtime/backend/decode/decoder.h"
#include "runtime/backend/stream/records.h"

namespace memprof::backend {

void Decoder::died(const Object& object) {
  if (!between_bursts()) object_event(EventKind::death, object, object.size());
}

void Decoder::object_event(EventKind kind, const Object& object,
                           std::uint64_t bytes) {
  const auto target = static_cast<std::uint32_t>(batch_->targets.size());
  batch_->targets.push_back(
      {object.base, bytes, object.group, object.serial, thread_});
  emit_wide(kind, object.base, target, bytes);
}

void Decoder::birth(std::uint64_t address, std::uint64_t bytes,
                    GroupId group) {
  const Object* object = objects_.birth(address, bytes, group);
  for (const Object& old : objects_.evicted()) died(old);
  if (!object) {
    counts_.corrupt++;
    return;
  }
  if (!between_bursts()) object_event(EventKind::birth, *object, bytes);
}

void Decoder::death(std::uint64_t address) {
  if (g_fault == Fault::object_reuse) return;
  if (const auto object = objects_.death(address))
    died(*object);
}

GroupId Decoder::group_of_birth(std::uint64_t site, std::uint64_t caller,
                                std::uint64_t allocator) {
  if (allocator > MPRT_CUSTOM) allocator = MPRT_MALLOC;
  const GroupId* const known =
      site ? site_groups_.find(site) : caller_groups_.find(caller << 3 | allocator);
  return known ? *known : new_group(site, caller, allocator);
}

GroupId Decoder::new_group(std::uint64_t site, std::uint64_t caller, std::uint64_t allocator) {
  static const char* const names[] = {"malloc",   "calloc", "realloc",
                                      "memalign", "mmap",   "custom"};
  feedback::Group group;
  group.kind = allocator == MPRT_MMAP ? feedback::GroupKind::mapped
                                      : feedback::GroupKind::heap;
  if (site) {
    const AllocSite where = units_.alloc_site(site);
    if (where.unit) {
      const UnitImage& image = where.unit->image;
      const mprt_alloc_site& row = image.alloc_rows()[where.row];
      const mprt_function& fn = image.functions()[row.function];
      group.file = image.text(row.file ? row.file : fn.file);
      group.line = row.line;
      group.function = image.text(fn.name);
      group.allocator = image.text(row.allocator);
      group.type = image.text(row.type);
      const GroupId id = groups_.intern(std::move(group));
      origins_[id] = {site, caller, allocator};
      return site_groups_.add(site, id);
    }
  }
  if (name_code) group.function = name_code(caller);
  group.allocator = names[allocator];
  const GroupId id = groups_.intern(std::move(group));
  origins_[id] = {0, caller, allocator};
  return caller_groups_.add(caller << 3 | allocator, id);
}

std::vector<mprt_live_object> Decoder::live_objects() const {
  std::vector<mprt_live_object> live;
  objects_.for_each([&](const Object& object) {
    if (const auto it = origins_.find(object.group); it != origins_.end())
      live.push_back({object.base, object.size(), it->second.site,
                      it->second.caller, it->second.allocator});
  });
  std::sort(live.begin(), live.end(), [](const auto& a, const auto& b) {
    return a.address < b.address;
  });
  return live;
}

void Decoder::realloc_result(StreamRing& ring, const std::uint64_t* p) {
  const std::uint64_t old_address = p[1], new_address = p[2], bytes = p[3];
  const auto asked = std::exchange(ring.reallocating, {});
  if (!new_address) return;
  const Object* old = objects_.begins_at(old_address);
  if (old && asked.address == old_address &&
      old->group == asked.group && old->serial == asked.serial)
    death(old_address);
  birth(new_address, bytes,
        group_of_birth(p[4], p[5], p[6]));
}

void Decoder::thread_start(StreamRing& ring, const std::uint64_t* p) {
  // One that ends twice, the second time with the program, is one all the same.
  numbers_.insert(ring.thread);
  counts_.threads = numbers_.size();
  const std::uint64_t low = p[3], end = p[4];
  if (low >= end || end - low > k_max_width) return;
  feedback::Group group;
  group.kind = feedback::GroupKind::stack;
  group.function = "thread " + std::to_string(ring.thread);
  birth(low, end - low, groups_.intern(std::move(group)));
  ring.stack = low;
}

void Decoder::globals_born(const Unit& unit) {
  const auto rows = unit.image.global_rows();
  for (std::size_t i = 0; i < rows.size(); i++) {
    const std::uint64_t address = unit.image.globals[i];
    const std::uint64_t bytes =
        rows[i].bytes_low | std::uint64_t{rows[i].bytes_high} << 32;
    if (!address || !bytes || bytes > k_max_width) continue;
    // Another unit may have named the same variable already (common symbols,
    // inline variables, copy relocations).
    const Object* there = objects_.find(address);
    if (there && groups_.kind(there->group) == feedback::GroupKind::global &&
        address + bytes <= there->end())
      continue;
    feedback::Group group;
    group.kind = feedback::GroupKind::global;
    group.file = unit.image.text(rows[i].file);
    group.line = rows[i].line;
    group.function = unit.image.text(rows[i].name);
    group.type = unit.image.text(rows[i].type);
    const Object* object = objects_.birth(address, bytes, groups_.intern(std::move(group)));
    for (const Object& old : objects_.evicted()) died(old);
    if (object)
      object_event(EventKind::global_birth, *object, bytes);
    else
      counts_.corrupt++;
  }
}

void Decoder::globals_died(const Unit& unit) {
  if (unit.image.path == executable) return;
  for (const std::uint64_t address : unit.image.globals) {
    const Object* object = objects_.find(address);
    if (object && object->base == address &&
        groups_.kind(object->group) == feedback::GroupKind::global)
      death(address);
  }
}

// Of convoys above number KNOWN the unit is new; if it comes again, it has none.
void Decoder::note_convoys(const Unit& unit, std::uint32_t known) {
  const auto end = unit.first_site + static_cast<SiteId>(unit.image.sites().size());
  for (SiteId site = unit.first_site; site < end; site++) {
    const std::uint32_t number = units_.convoys().number_led_by(site);
    if (number > known)
      columns_[site].companions =
          static_cast<std::uint32_t>(units_.convoys()[number].followers().size());
    else if (number != 0)
      dissolve(number);
  }
}

// A variable of another unit may be named later.
void Decoder::note_companions(const Unit& unit) {
  const auto& all = units_.companions();
  const auto first = all.lower_bound(unit.first_site);
  const auto last = all.lower_bound(
      unit.first_site + static_cast<SiteId>(unit.image.sites().size()));
  for (auto it = first; it != last; ++it) columns_[it->second.leader].companions = 0;
  for (auto it = first; it != last; ++it)
    if (!it->second.address)
      columns_[it->second.leader].companions++;
    else if (!it->second.group)
      homeless_.push_back(it->first);
  std::erase_if(homeless_, [&](SiteId site) {
    const Object* object = objects_.find(all.at(site).address);
    if (object) units_.set_group(site, object->group);
    return object != nullptr;
  });
}

void Decoder::unit_record(StreamRing& ring, const std::uint64_t* p,
                            std::size_t words, Batch& batch) {
  const Filling filling(*this, batch);
  unit_control(ring, p, words);
}

void Decoder::unit_control(StreamRing& ring, const std::uint64_t* p,
                             std::size_t words) {
  switch (MPRT_CONTROL_KIND(p[0])) {
    case MPRT_MODULE_LOAD:
      ring.unit = std::make_unique<UnitAssembler>(p[1]);
      return;
    case MPRT_DATA: {
      const std::uint64_t bytes = std::min<std::uint64_t>(p[2], (words - 3) * 8);
      if (!ring.unit || !ring.unit->add(p[1], p + 3, bytes))
        counts_.corrupt++;
      return;
    }
    case MPRT_MODULE_READY: {
      if (!ring.unit) {
        counts_.corrupt++;
        return;
      }
      auto image = ring.unit->finish();
      ring.unit.reset();
      const std::uint32_t known = units_.convoys().size();
      const Unit* unit = image ? units_.load(std::move(*image)) : nullptr;
      loads_++;
      forget_groups();
      if (unit) {
        note_mode(*unit);
        globals_born(*unit);
        note_companions(*unit);
        note_convoys(*unit, known);
      } else {
        counts_.corrupt++;
      }
      return;
    }
    case MPRT_MODULE_UNLOAD:
      if (const Unit* unit = units_.unload(p[1])) globals_died(*unit);
      forget_groups();
      return;
    default:
      return;
  }
}

// Where units of another mode come in, records are no longer those of bursts only.
void Decoder::note_mode(const Unit& unit) {
  const bool sample = unit.image.header().mode == MPRT_MODE_SAMPLE;
  if (sampled_ && !sample) loop_event(EventKind::gap, 0);
  sampled_ = sample && (sampled_ || units_.all().size() == 1);
}

// The thread's next records have nothing to do with those before.
Stop Decoder::gap(const StreamRing& ring) {
  set_thread(ring.thread);
  loop_event(EventKind::gap, 0);
  batch_->gaps.push_back(ring.thread);
  return Stop::batch_full;
}

Stop Decoder::marker(StreamRing& ring, std::uint64_t tag, std::uint64_t value) {
  switch (tag) {
    case MPRT_EARLY_BEGIN:
    case MPRT_FIRST_BEGIN:
      counts_.between_bursts += value;
      ring.early = 1 + (tag == MPRT_EARLY_BEGIN ? value / MPRT_EARLY_PLACES : 0);
      if (!ring.burst_open) break;
      ring.burst_open = false;
      batch_->times = counts_.times();
      return gap(ring);
    case MPRT_EARLY_END:
      counts_.between_bursts += value;
      ring.early = 0;
      set_thread(ring.thread);
      loop_event(EventKind::thread, thread_);
      if (batch_->early.size() > k_batch_events) return Stop::batch_full;
      break;
    case MPRT_BURST_BEGIN:
      ring.burst_open = true;
      open_bursts_ += !std::exchange(ring.in_burst, true);
      if (burst_begins) burst_begins();
      counts_.bursts++;
      counts_.between_bursts += value;
      counts_.burst_began = counts_.places();
      batch_->times = counts_.times();
      return gap(ring);
    case MPRT_GAP: return gap(ring);
    case MPRT_BURST_END:
      counts_.in_bursts += value;
      end_burst(ring);
      break;
    case MPRT_BURST_REST: counts_.between_bursts += value; break;
    default: break;
  }
  return Stop::exhausted;
}

Stop Decoder::control(StreamRing& ring, const std::uint64_t* p,
                      std::size_t words) {
  const unsigned kind = MPRT_CONTROL_KIND(p[0]);
  if (const unsigned at = ticket_word(kind)) {
    const std::uint64_t ticket = p[at];
    if (ticket > passed_ticket_ + 1) {
      ring.wanted_ticket = ticket;
      return Stop::ticket;
    }
    if (ticket == passed_ticket_ + 1) passed_ticket_ = ticket;
    ring.wanted_ticket = 0;
  }
  switch (kind) {
    case MPRT_CHUNK_END:
      return Stop::chunk_end;
    case MPRT_MODULE_LOAD:
    case MPRT_DATA:
    case MPRT_MODULE_READY:
    case MPRT_MODULE_UNLOAD:
      unit_control(ring, p, words);
      break;
    case MPRT_BIRTH:
      set_thread(ring.thread);
      birth(p[1], p[2], group_of_birth(p[3], p[4], p[5]));
      break;
    case MPRT_DEATH:
      set_thread(ring.thread);
      death(p[1]);
      break;
    case MPRT_REALLOC_REQUEST:
      ring.reallocating = {};
      if (const Object* object = objects_.begins_at(p[1]))
        ring.reallocating = {p[1], object->group, object->serial};
      break;
    case MPRT_REALLOC_RESULT:
      set_thread(ring.thread);
      realloc_result(ring, p);
      break;
    case MPRT_THREAD_START:
      thread_start(ring, p);
      break;
    case MPRT_THREAD_END:
      set_thread(ring.thread);
      end_burst(ring);
      if (ring.stack) death(std::exchange(ring.stack, 0));
      loop_event(EventKind::thread_end, 0);
      batch_->ended_threads.push_back(ring.thread);
      break;
    case MPRT_PROGRAM_END:
      counts_.ended = true;
      counts_.ended_early = p[1] == MPRT_END_OFF;
      counts_.unwanted = p[1] == MPRT_END_RESET;
      break;
    case MPRT_SIGNAL_ENTER:
      ring.in_handler = true;
      return Stop::signal;
    case MPRT_SIGNAL_EXIT:
      ring.in_handler = false;
      return Stop::signal;
    case MPRT_MARKER:
      return marker(ring, p[1], p[2]);
    case MPRT_LOOP_SAMPLE:
      if (words > 2) witness(p[1], p + 2, words - 2);
      break;
    case MPRT_SNAPSHOT:
      if (snapshot) snapshot(static_cast<std::uint32_t>(p[1]));
      break;
    case MPRT_LOST:
      counts_.lost += p[1];
      break;
    default:
      break;
  }
  return Stop::exhausted;
}

}  // namespace memprof::backend
