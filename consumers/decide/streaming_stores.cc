// streaming_stores.cc - which stores bypass the caches.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Problem: a store to a line that no cache has fetches the line from memory first. Where the
// loop goes on to write all of it, what was fetched is of no use, and if nothing accesses the line
// again before it leaves the caches, neither is its place there.
//
//   for (i = 0; i < n; i++)            memory   read a line of a, write a line of a, read lines of b and c
//     a[i] = b[i] + k * c[i];          with streaming stores          write a line of a, read lines of b and c
//
// A streaming (non-temporal) store writes the line past the caches. No compiler can know when that
// pays: it takes the distance to the *next* access of what is stored. The table `reuse' has it.
//
// Gates, in this order; the first one that fails is the reason:
//
//   1. executions  bytes that the stores write, which must matter at all
//   2. code        what prevents it is named: a call, a stride that leaves bytes out, ...
//   3. known       a window has met the stores
//   4. lines       the stores write whole lines of which nothing else of the loop accesses any: as many lines leave a
//                  cache of 16 lines as are written
//   5. fetched     of half of the lines at least: they are not in the last level of the machine that is compiled for
//   6. reuse       at least 95 % of the lines leave a cache of that size before anything accesses them, at the lower end
//                  of the interval
//   7. entries     write 64 KB at least, since the loop ends with a fence
//   8. gain        1.05
//   9. saved       cycles of the whole run, which must be worth the code
//
// Gain. One processor moves lines to and from memory at a rate that hardly depends on which of the two it does. So for a
// loop that writes w bytes an iteration, of which f are fetched first, and moves r other bytes
//
//   gain = max (compute, (r + w + f) t) / max (compute, (r + w) t)       t: cycles of a byte
//
// Example: c[i] = a[i] has r = w = f: 3 / 2; a loop that reads three arrays and writes one: 5 / 4.
//
// The rebuild has both loops and takes this one where an entry writes as many bytes as the last level has, or half
// of what entries of the profile wrote if these were shorter: the number "at_least". So a small input keeps what it
// wrote in the caches.
//
// What it does not do: windows are of one thread, so a line that only another thread reads soon after counts as one that
// is not accessed again.
//
// Sources: the evidence is the forward reuse distance (Waldspurger et al., FAST 2015, for windows); the instruction is that
// of Intel's and AMD's optimisation manuals, "non-temporal stores".
#include "consumers/decide/streaming_stores.h"

#include <algorithm>
#include <optional>
#include <string>

#include "consumers/decide/text.h"
#include "consumers/decide/whole.h"
#include "feedback/reuse_curve.h"

namespace memprof::decide {
namespace {

// Lines of the least cache of the curve: what is accessed again within these is so by the loop itself.
constexpr double k_near_lines = 16;
// Part of the written lines of which nothing else of the loop is accessed.
constexpr double k_least_whole = 0.8;
constexpr double k_least_fetched = 0.5;
constexpr double k_line_bytes = 64;

struct Draft {
  StreamingFacts stores;
  std::optional<StreamingCode> code;
  double written_lines = 0;  // if whole lines are written
  double fetched = 0, reuse = 0, most_reuse = 0;  // shares of the lines
  double other_lines = 0;  // that pass memory for each line that is written
  double entry_bytes = 0, row_bytes = 0;
  double gain = 0, saved_cycles = 0;
  std::uint64_t at_least = 0;
  Gate gate;
};

double cycles_of(double compute, double bytes, const CostModel& model) {
  return std::max(compute, bytes / k_line_bytes * model.streamed_line_cycles);
}

void set_gain(Draft& draft, const CostModel& model) {
  const StreamingCode& code = *draft.code;
  const double compute = code.instructions / model.streaming_instructions_per_cycle;
  const double written = static_cast<double>(code.written), read = draft.other_lines * written;
  const double fetched = model.streaming_evidence ? draft.fetched : 1;
  const double plain = cycles_of(compute, read + (1 + fetched) * written, model);
  const double streaming = cycles_of(compute, read + written, model);
  draft.gain = streaming > 0 ? plain / streaming : 0;
  draft.saved_cycles =
      written > 0 ? (plain - streaming) * draft.stores.bytes / written : 0;
}

Draft start(const StreamingFacts& stores, const StreamingLoop& loop, const StreamingCode* code,
            const CostModel& model) {
  Draft draft;
  draft.stores = stores;
  if (code) draft.code = *code;
  draft.written_lines = stores.bytes / k_line_bytes;
  const auto share = [](double part, double all) { return all > 0 ? std::clamp(part / all, 0.0, 1.0) : 0; };
  draft.fetched = share(stores.fetched, draft.written_lines);
  draft.reuse = 1 - share(stores.leaving, stores.lines);
  draft.most_reuse = 1 - share(stores.leaving_least, stores.lines);
  if (draft.written_lines > 0) draft.other_lines = loop.other_lines / draft.written_lines;
  const auto per_entry = [&](std::uint64_t entries) {
    return stores.bytes / static_cast<double>(std::max<std::uint64_t>(entries, 1));
  };
  draft.entry_bytes = per_entry(loop.entries);
  draft.row_bytes = per_entry(loop.inner_entries);
  draft.at_least = whole(model.min_streaming_bytes);
  if (model.streaming_evidence)
    draft.at_least =
        std::max(draft.at_least, whole(std::min(static_cast<double>(model.llc_bytes), draft.entry_bytes / 2)));
  if (code) set_gain(draft, model);
  return draft;
}

// The gates. Each that compares numbers leaves them in DRAFT.
Reason reason_of(Draft& draft, const CostModel& model) {
  const auto below = [&](const char* name, double value, double least) {
    draft.gate = {name, value, least};
    return value < least;
  };
  const auto above = [&](const char* name, double value, double most) {
    draft.gate = {name, value, most, true};
    return value > most;
  };
  if (below("bytes", draft.stores.bytes, model.min_streaming_bytes)) return Reason::few_executions;
  draft.gate = {};
  if (draft.code && draft.code->obstacle) return Reason::code_shape;
  if (model.streaming_evidence) {
    if (below("windows", draft.stores.known && draft.stores.lines >= 1, 1)) return Reason::unknown_memory;
    if (below("lines", draft.stores.lines, k_least_whole * draft.written_lines)) return Reason::line_local;
    if (below("fetched", draft.fetched, k_least_fetched)) return Reason::hits_cache;
  }
  if (above("reuse", draft.most_reuse, model.max_streaming_reuse)) return Reason::reused;
  if (below("entry_bytes", draft.entry_bytes, model.min_streaming_bytes)) return Reason::short_loop;
  draft.gate = {};
  if (!draft.code) return Reason::needs_code;
  if (below("gain", draft.gain, model.min_streaming_gain)) return Reason::no_gain;
  if (below("saved_cycles", draft.saved_cycles * model.input_scale, model.min_saved_cycles)) return Reason::few_executions;
  return Reason::taken;
}

std::string reuse_text(const Draft& draft) {
  return range_text(draft.reuse, std::max(draft.reuse, draft.most_reuse)) +
         " of the lines are accessed again in the last level";
}

std::string evidence(const Draft& draft) {
  return bytes_text(whole(draft.stores.bytes)) + " written, " + bytes_text(whole(draft.entry_bytes)) +
         " per entry, " + reuse_text(draft);
}

std::string refusal_text(const Draft& draft, Reason reason) {
  switch (reason) {
    case Reason::few_executions:
      return bytes_text(whole(draft.stores.bytes)) + " are too few" +
             (draft.gain > 0 ? format(": they save %.0f cycles", draft.saved_cycles) : std::string());
    case Reason::unknown_memory: return "no window met the store";
    case Reason::line_local:
      return format("%.0f lines are left", draft.stores.lines) +
             format(" where %.0f are written: the loop accesses them again", draft.written_lines);
    case Reason::hits_cache: return format("%.0f %% of the lines are in the last level already", 100 * (1 - draft.fetched));
    case Reason::reused: return reuse_text(draft);
    case Reason::short_loop:
      return bytes_text(whole(draft.entry_bytes)) + " per entry are too few";
    case Reason::no_gain: return format("%.2fx as fast", draft.gain);
    default: return draft.code && draft.code->obstacle ? draft.code->obstacle : "";
  }
}

}  // namespace

StoreIndex::StoreIndex(const feedback::Profile& profile, const CostModel& model) {
  for (const feedback::Module& module : profile.modules)
    for (const feedback::Function& function : module.functions)
      for (const feedback::Site& site : function.sites) {
        Lines& lines = sites_[site.id];
        lines.store = site.kind == feedback::Access::store;
        lines.bytes = static_cast<double>(site.executions) * static_cast<double>(site.width);
      }
  const double llc = static_cast<double>(model.llc_bytes) / k_line_bytes;
  for (const feedback::Reuse& row : profile.reuse) {
    Lines& lines = sites_[row.site];
    lines.fetched += feedback::misses_at(row.lines, llc);
    if (row.leaving.empty()) continue;
    lines.known = true;
    lines.lines += feedback::misses_at(row.leaving, k_near_lines);
    lines.leaving += feedback::misses_at(row.leaving, llc);
    lines.leaving_least += feedback::misses_at(row.leaving_least, llc);
  }
}

StreamingFacts StoreIndex::facts(std::span<const feedback::Id> sites) const {
  StreamingFacts sum;
  sum.known = !sites.empty();
  for (const feedback::Id site : sites) {
    const auto at = sites_.find(site);
    const Lines store = at == sites_.end() ? Lines() : at->second;
    sum.bytes += store.bytes;
    sum.fetched += store.fetched;
    sum.lines += store.lines;
    sum.leaving += store.leaving;
    sum.leaving_least += store.leaving_least;
    sum.known = sum.known && store.known;
  }
  return sum;
}

// What is stored and fetched for that is written back as well.
double StoreIndex::lines(std::span<const feedback::Id> sites) const {
  double sum = 0;
  for (const feedback::Id site : sites)
    if (const auto at = sites_.find(site); at != sites_.end()) sum += at->second.fetched * (at->second.store ? 2 : 1);
  return sum;
}

Decision decide_streaming_stores(const Candidate& candidate, const StreamingFacts& stores, const StreamingLoop& loop,
                                 const StreamingCode* code, const CostModel& model) {
  Draft draft = start(stores, loop, code, model);
  const Reason reason = reason_of(draft, model);
  std::string text = reason == Reason::taken
                         ? "streaming stores where an entry writes " + bytes_text(draft.at_least) + ": " +
                               evidence(draft) + format(", at most %.2fx as fast", draft.gain)
                     : reason == Reason::needs_code ? evidence(draft)
                                                    : refusal_text(draft, reason);
  Decision decision = conclude(candidate, reason, text);
  decision.gain = draft.gain;
  if (decision.refused()) decision.gate = draft.gate;
  decision.numbers = {{"bytes", whole(stores.bytes)},
                      {"entry_bytes", draft.entry_bytes},
                      {"lines", draft.stores.lines},
                      {"fetched", draft.fetched},
                      {"reuse", draft.reuse},
                      {"most_reuse", draft.most_reuse},
                      {"row_bytes", draft.row_bytes},
                      {"at_least", draft.at_least}};
  if (code && draft.gain > 0) decision.numbers.push_back({"saved_cycles", draft.saved_cycles});
  return decision;
}

}  // namespace memprof::decide
