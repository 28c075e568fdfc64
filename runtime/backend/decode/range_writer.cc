// range_writer.cc - ranges that are one event, of one row or of several.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/decode/range_writer.h"

#include <algorithm>
#include <span>

#include "runtime/backend/event/range_rows.h"
#include "runtime/backend/stream/nest_records.h"
#include "runtime/backend/stream/records.h"

namespace memprof::backend {

bool wraps_p(const RangeEntry& entry, const RangeAccess& access, __int128 first) {
  if (!entry.modulus || access.count == 0) return false;
  const __int128 last = first + static_cast<__int128>(access.step) * (access.count - 1);
  return std::min(first, last) < 0 || std::max(first, last) >= entry.modulus;
}

RangeAccess range_access(const RangeEntry& e, const std::uint64_t* p) {
  RangeAccess access{};
  access.address = e.address(p);
  access.step = e.step_word ? static_cast<std::int64_t>(p[e.step_word]) : e.step;
  access.count = p[1] > e.minus ? p[1] - e.minus : 0;
  access.width = e.length_word ? p[e.length_word] : e.width;
  access.site = e.site;
  access.store = e.store;
  return access;
}

void RangeWriter::emit(const Range& range) {
  Batch& batch = out_.batch();
  const auto index = static_cast<std::uint32_t>(batch.ranges.size());
  batch.ranges.push_back(range);
  out_.emit_loop(EventKind::range, index);
  for (std::uint32_t i = range.first; i < range.first + range.size; i++) {
    batch.accesses[i].range = index;
    resolver_.put_range(i);
  }
  out_.limit_accesses();
}

const CompiledDesc* RangeWriter::inner_desc(std::uint64_t header) {
  const CompiledDesc* const desc = header != 0 ? units_.find(header) : nullptr;
  const bool fits =
      desc && (desc->kind == CompiledKind::range || desc->kind == CompiledKind::nest) &&
      desc->words == (header & MPRT_LENGTH_MASK);
  return fits ? desc : nullptr;
}

// Of ranges of DESC with COUNT > 0 iterations, at most.
std::uint64_t RangeWriter::most_rows(const CompiledDesc& desc, std::uint64_t count) {
  return k_max_in_rows / std::max<std::uint64_t>(desc.entries, 1) / count;
}

// Emits ROWS executions of the range DESC, of which P and NEXT are the records of the first two;
// each is an iteration of AROUND, and all of them all of it or some that are INSIDE. False:
// modules would not have them in closed form, and nothing was done.
bool RangeWriter::emit_rows(const CompiledDesc& desc, const std::uint64_t* p,
                        const std::uint64_t* next, std::uint64_t rows, LoopId around, bool inside) {
  const std::uint64_t count = p[1];
  Batch& batch = out_.batch();
  const auto first = static_cast<std::uint32_t>(batch.accesses.size());
  const bool short_rows = count <= IterationBlocks::k_max_iterations;
  bool fits = next[1] == count && !desc.repeated_site &&
              (!short_rows || desc.iteration_blocks);
  for (const RangeEntry& e : std::span(desc.range_entries(), desc.entries)) {
    if (!fits) break;
    RangeAccess a = range_access(e, p);
    const RangeAccess second = range_access(e, next);
    a.rows = rows;
    a.row_step = static_cast<std::int64_t>(second.address - a.address);
    // Between the indices of the first row and the last one lie those of the others.
    const __int128 index = e.index(p), step = __int128{e.index(next)} - index;
    fits = !e.minus && second.step == a.step && second.width == a.width &&
           !wraps_p(e, a, index) && !wraps_p(e, a, index + step * (rows - 1)) &&
           resolver_.find_object(a) == ObjectResolver::Fit::whole;
    batch.accesses.push_back(a);
  }
  if (!fits || (short_rows && !iterations_apart(std::span(batch.accesses).subspan(first)))) {
    batch.accesses.resize(first);
    return false;
  }
  units_.note_use(desc);
  desc.counts->records += rows;
  desc.counts->iterations += rows * count;
  desc.counts->nonempty += rows;
  emit({count, out_.time(), desc.loop, first, desc.entries, out_.thread(), rows, around, inside});
  return true;
}

// It is one event if its inner record is a range of which nothing but addresses moves.
bool RangeWriter::nest(const CompiledDesc& desc, const std::uint64_t* p) {
  const std::uint64_t rows = p[1];
  const NestRecords first(desc, p);
  const CompiledDesc* const inner = inner_desc(first.words()[0]);
  if (rows < 2 || !inner || inner->kind != CompiledKind::range) return false;
  const std::uint64_t count = first.words()[1];
  if (count == 0 || rows > most_rows(*inner, count)) return false;
  NestRecords next = first;
  next.advance();
  return next.words()[0] == first.words()[0] &&
         emit_rows(*inner, first.words(), next.words(), rows, desc.loop, false);
}

// The loop of which a record with HEADER starts an iteration, and says nothing else; or null.
const CompiledDesc* RangeWriter::mere_iteration(std::uint64_t header) {
  const CompiledDesc* const desc =
      control_p(header) || (header & MPRT_LENGTH_MASK) != 1 ? nullptr : units_.find(header);
  const bool mere = desc && desc->kind == CompiledKind::block && desc->iteration &&
                    desc->entries == 0 && desc->words == 1;
  return mere ? desc : nullptr;
}

// Each record of the range lies as many bytes after the one before it, in an iteration of its own
// of a loop around, or in the same one.
std::size_t RangeWriter::join(const CompiledDesc& desc, const std::uint64_t* before,
                            const std::uint64_t* p, const std::uint64_t* end) {
  const std::uint64_t header = before[0], count = before[1];
  if (unjoined_ != 0) {
    unjoined_--;
    return 0;
  }
  if (count == 0 || count > k_longest_joined || counts_.bursts != 0) return 0;
  const std::size_t words = desc.words, gap = p < end && *p != header, size = gap + words;
  const auto left = static_cast<std::size_t>(end - p);
  if (left < 2 * size || p[gap] != header || p[gap + 1] != count) return 0;
  const CompiledDesc* const around = gap != 0 ? mere_iteration(*p) : nullptr;
  if (gap != 0 && !around) return 0;
  // Each word moves as it does from BEFORE to the first one.
  const auto row_p = [&](const std::uint64_t* q) {
    bool same = *q == *p;
    for (std::size_t i = 0; i < words && same; i++)
      same = q[gap + i] - (q - size)[gap + i] == p[gap + i] - before[i];
    return same;
  };
  std::size_t rows = 1;
  if (row_p(p + size)) {
    const std::size_t most = std::min<std::size_t>(left / size, most_rows(desc, count));
    while (rows < most && row_p(p + rows * size)) rows++;
  }
  if (rows > 1 && rows * count * desc.entries >= k_fewest_joined &&
      emit_rows(desc, p + gap, p + size + gap, rows, around ? around->loop : 0, true)) {
    if (around) {
      units_.note_use(*around);
      around->counts->records += rows;
    }
    return rows * size;
  }
  unjoined_ = rows;
  return 0;
}

}  // namespace memprof::backend
