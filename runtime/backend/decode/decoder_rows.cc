// decoder_rows.cc - from records to batches: ranges of one shape, as one of several rows.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What modules do in closed form costs about the same for all rows as for one. Rows come from
//
//   nests      which say so themselves: rows()
//   records    that follow each other, of loops whose iterations the compiler could not count in
//              front of them: joined()
//
//     for (start = 0; start < n; start += 2 * half)      iteration | range count 2, x
//       for (k = 0; k < half; k++)                       iteration | range count 2, x + 64
//         swap (x[start + k], x[start + k + half]);      iteration | range count 2, x + 128
//
//     becomes   iteration | range count 2, x | range of rows 2, count 2, x + 64, row step 64
//
// Short rows are worth it only if their iterations are apart (range_rows.h). Otherwise modules
// would look at each row by itself, which takes longer than its blocks do (iteration_blocks.h).
#include <algorithm>
#include <span>

#include "runtime/backend/decode/decoder.h"
#include "runtime/backend/event/range_rows.h"
#include "runtime/backend/stream/records.h"

namespace memprof::backend {

// Of ranges of DESC with COUNT > 0 iterations, at most.
std::uint64_t Decoder::most_rows(const CompiledDesc& desc, std::uint64_t count) {
  return k_max_in_rows / std::max<std::uint64_t>(desc.entries, 1) / count;
}

// Emits ROWS executions of the range DESC, of which P and NEXT are the records of the first two;
// each is an iteration of AROUND, and all of them all of it or some that are INSIDE. False:
// modules would not have them in closed form, and nothing was done.
bool Decoder::emit_rows(const CompiledDesc& desc, const std::uint64_t* p,
                        const std::uint64_t* next, std::uint64_t rows, LoopId around, bool inside) {
  const std::uint64_t count = p[1];
  const auto first = static_cast<std::uint32_t>(batch_->accesses.size());
  const bool short_rows = count <= IterationBlocks::k_max_iterations;
  bool fits = next[1] == count && !desc.repeated_site &&
              (!short_rows || (takes_rows_ && desc.iteration_blocks));
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
           range_object(a) == Fit::whole;
    batch_->accesses.push_back(a);
  }
  if (!fits || (short_rows && !iterations_apart(std::span(batch_->accesses).subspan(first)))) {
    batch_->accesses.resize(first);
    return false;
  }
  units_.note_use(desc);
  desc.counts->records += rows;
  desc.counts->iterations += rows * count;
  desc.counts->nonempty += rows;
  emit_range({count, time_, desc.loop, first, desc.entries, thread_, rows, around, inside});
  return true;
}

// Whether the record P of a nest, which is whole, is one event: its inner record is a range,
// of which nothing but addresses moves.
bool Decoder::rows(const CompiledDesc& desc, const std::uint64_t* p) {
  const std::uint64_t rows = p[1];
  const NestRecords nest(desc, p);
  const CompiledDesc* const inner = inner_desc(nest.words()[0]);
  if (rows < 2 || !inner || inner->kind != CompiledKind::range) return false;
  const std::uint64_t count = nest.words()[1];
  if (count == 0 || rows > most_rows(*inner, count)) return false;
  NestRecords next = nest;
  next.advance();
  return next.words()[0] == nest.words()[0] &&
         emit_rows(*inner, nest.words(), next.words(), rows, desc.loop, false);
}

// The loop of which a record with HEADER starts an iteration, and says nothing else; or null.
const CompiledDesc* Decoder::mere_iteration(std::uint64_t header) {
  const CompiledDesc* const desc =
      control_p(header) || (header & MPRT_LENGTH_MASK) != 1 ? nullptr : units_.find(header);
  const bool mere = desc && desc->kind == CompiledKind::block && desc->iteration &&
                    desc->entries == 0 && desc->words == 1;
  return mere ? desc : nullptr;
}

// The records from P on may go on as the range DESC did whose record BEFORE is in front of them:
// each as many bytes behind it, in an iteration of its own of a loop around, or in the same one.
// Emits them as one range; how many words they take.
std::size_t Decoder::joined(const CompiledDesc& desc, const std::uint64_t* before,
                            const std::uint64_t* p, const std::uint64_t* end) {
  const std::uint64_t header = before[0], count = before[1];
  if (unjoined_ != 0) {
    unjoined_--;
    return 0;
  }
  if (count == 0 || count > k_longest_joined || !takes_rows_ || counts_.bursts != 0) return 0;
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
