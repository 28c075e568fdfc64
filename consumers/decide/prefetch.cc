// prefetch.cc - which loads get a prefetch, and how far ahead.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Problem: a load whose address depends on another load (a[b[i]], p->next)
// waits a full memory latency, and no hardware prefetcher sees it coming.  The
// same instructions are a loss where the data are in L2 anyway, or where the
// processor overlaps independent loads by itself.  So each candidate has to
// pass these gates, in this order; the first one that fails is the reason:
//
//   1. executions      it must run often enough to matter at all
//   2. span            what it ranges over exceeds L2: a small table in a large
//                      struct does not; and where the cache module looked at
//                      it, its model misses L2 often enough, on the machine and with
//                      the inputs that are assumed (machine.h)
//   3. lines           it does not stay on one line
//   4. code            an affine address is left to the hardware, unless it is
//                      strided; something that cannot be moved ahead is named
//   5. indirect, strided: performed in most iterations;
//      linked: nodes are visited in the order of their addresses (stride)
//   6. distance        d = ceil(latency / cycles of an iteration), bounded as
//                      below, must still hide a worthwhile part of the latency
//   7. indirect, strided: the gain over what the processor overlaps by itself
//   5 to 7 of a search: performed in most iterations, enough steps and no more than a
//      search takes, the gain
//
// Without the code, gates 1 to 3 refuse what they refuse with it; about all other loads
// the profile alone says nothing certain, because the shape of the address, the cost of
// an iteration and what waits for the value are facts of the code.
//
// Strided: the hardware foresees streams of neighbouring lines. A loop that steps over
// records and takes one line of several from each is none (the fields of a record that
// was reordered, a column of a matrix): Zen 5 takes as long for one line
// of every four as for all of them. Such a prefetch costs two instructions, so that it
// need not be careful: the model's misses are enough for gate 2, and the latency is that
// of memory, whatever the span of the training run.
//
// Gain.  By itself the processor keeps the misses of `overlap' iterations under
// way: those that fit its window, and even then not as many as there are buffers,
// because loads leave the window in order: the last misses of a window wait for
// its first.  An iteration then takes latency / overlap.  But where it waits for
// the value (a branch on it that was mispredicted), nothing after it has started,
// and a whole latency is added, however well the iterations between two such
// overlap.  Prefetches go on through all of that.  The buffers remain, and
// prefetches beyond the end of an entry fill them, too, with lines that are not
// needed:
//
//   without  max(compute, chain * latency / overlap) + waits * chain * latency
//   with     max(compute + prefetch, (chain + wasted) * latency / buffers,
//                (chain - 1) * latency / overlap)
//            + waits * latency * (chain - covered * hidden)
//
// chain is 2 if another load needs the value for its address, else 1; covered
// and wasted are the shares of the iterations whose access is looked ahead to,
// and of those that look beyond the end; hidden is the part of the latency that
// the distance hides.  Where the cache module looked at the load, that is for the
// share of the iterations that miss L2, and the others take compute and compute +
// prefetch.  This is the most that can be gained: other accesses may miss, too.
//
// Where the loop walks a list in each iteration, list_gain.cc says what a prefetch of the
// pointer to the first node gains, of that node and of the second one.
//
// What a search gains: search_gain.cc.
//
// The first address of a loop (rows of a sparse matrix, say) is a load of its
// own here: it is executed once per entry, its loop is the outer one, and its
// strides are those that are not the dominant one.
//
// A load in a function that a loop calls, with an address that follows from the arguments,
// is one of that loop: an iteration is as long as its own code and the call's.
//
// Nodes of a linked structure whose allocation call gets an arena are as far apart as
// they will be there (load_index.cc).
//
// Bounds of d.  Looking d ahead in a loop of n iterations covers n - d of them
// and hides d / D of the latency, D being the ideal distance: for D > n / 2
// that is best at d = n / 2.  The bound does not hold where the next entry of
// the loop goes on where this one ends (rows of a matrix in CSR form): there
// the index load advances by one constant stride through nearly all of its
// executions.  For nodes visited with one stride by a share s of all steps,
// d steps in a row do so with chance s^d.
//
// Larger inputs.  A training input is mostly smaller than those that follow.  What is refused
// because the cache holds it is asked about again with inputs 2, 4, ... 64 times as large; the
// first that passes all gates is the limit: the prefetch is performed where the rebuilt
// program has made a block of that factor times the size of the profile's largest one
// (watched_blocks.h).  One branch remains where it has not.
//
// Example: pagerank trained with 2^16 vertices: contributions of 262 KB, L2 of 1 MB, 80 %
// miss L1.  With 8 times as many 2.1 MB, of which 0.8 * (1 - 1 / 2.1) = 42 % miss L2, and
// the loop gets 1.2 times as fast; that is too little for what no profile saw. With 16 times as
// many 61 % do, 1.37 times: performed from blocks of 4.2 MB on.
//
// Example: bfs, 1e7 executions of vertex[neighbour[e]], span 268 MB, 16
// instructions an iteration, 28 iterations an entry, one in 28 finds a new
// vertex: D = 450 / 8 = 57, at most 28 / 2: distance 14.  Half of the iterations are
// covered, half compute addresses that are not needed.  Without: 450 / 8 + 450 / 28 = 72 cycles;
// with: 450 / 12 * 1.5 + 450 / 28 * 0.88 = 70: refused (as measured: 0.93).  Where rows
// follow each other, nothing would be wasted.
//
// Example: the same program makes its graph, degree[from[e]]++ and degree[to[e]]++
// for each edge, span 8.4 MB, 18 instructions; 42 % miss L2.  Where they do, 300 / 8
// = 38 cycles become 25, elsewhere 9 become 12.5: 21 become 18, taken (measured:
// 1.34 by both).
#include "consumers/decide/prefetch.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "consumers/decide/list_gain.h"
#include "consumers/decide/load_view.h"
#include "consumers/decide/machine.h"
#include "consumers/decide/prefetch_draft.h"
#include "consumers/decide/search_gain.h"
#include "consumers/decide/text.h"
#include "consumers/decide/whole.h"

namespace memprof::decide {
namespace {

// Nodes of a linked structure; fewer objects with a stride are arrays.
constexpr std::uint64_t k_min_nodes = 64;
// Look-ahead loads that leave the page of the current one are not performed;
// up to this part of the page, at least three in four are.
constexpr double k_page_part = 0.25;
// The largest factor between the inputs that are looked at and those of the profile.
constexpr unsigned k_most_times = 64;
// What the loop must then gain by the model: more than where the profile saw the misses.
constexpr double k_unseen_gain = 1.3;
// The same of a list, whose model leaves out less.
constexpr double k_unseen_list_gain = 1.06;
// What a prefetch must gain by the model for the program to try it.
constexpr double k_trial_gain = 1.02;
// Of a search whose steps the profile does not count: elements of 8 bytes.
constexpr double k_digits_of_element = 3;

using Draft = PrefetchDraft;

Shape guess_shape(const LoadFacts& load, const CostModel& model) {
  if (!load.stride_known) return Shape::unknown;
  if (load.stride_share < model.strong_share) return Shape::indirect;
  return load.objects >= k_min_nodes ? Shape::linked : Shape::affine;
}

// GATE: what was compared, if it was numbers.
Draft refuse(Draft draft, Reason reason, Gate gate = {}) {
  draft.reason = reason;
  draft.gate = std::move(gate);
  draft.distance = 0;
  return draft;
}

// Cycles that it hides, and how many it must.
Gate hidden(const Draft& draft, const CostModel& model) {
  return {"hidden_cycles", static_cast<double>(draft.distance) * draft.iteration_cycles,
          model.min_hidden * draft.latency_cycles};
}

// The next entry of the loop continues where this one ends.
bool continues_across_entries(const PrefetchCode& code, const LoadFacts* index,
                              double trip_count) {
  return index && index->stride_known && index->stride == code.index_step &&
         (1 - index->stride_share) * trip_count < 0.5;
}

// How many times faster the loop gets, see above; MISSES: share of the iterations
// that miss, BEYOND: of those that look beyond the end, INSTRUCTIONS: of a prefetch.
void set_gain(Draft& draft, const PrefetchCode& code, double misses, double beyond,
              double instructions, const CostModel& model) {
  const double latency = draft.latency_cycles;
  const double buffers = model.overlapping_misses;
  const double window = model.window_instructions / std::max(1.0, code.instructions);
  const double compute = code.instructions / model.instructions_per_cycle;
  const double extra = instructions / model.instructions_per_cycle;
  const double chain = code.chained ? 2 : 1;
  draft.waits = code.waits;
  draft.overlap = std::clamp(window, 1.0, model.window_misses);
  const double stall = code.waits * chain * latency;
  const double flow = std::max(compute, chain * latency / draft.overlap);
  const double busy = std::max({compute + extra, (chain + beyond) * latency / buffers,
                                (chain - 1) * latency / draft.overlap});
  const double hidden = std::min(1.0, draft.distance * draft.iteration_cycles / latency);
  const double spared = code.waits * latency * (1 - beyond) * hidden;
  const auto mean = [misses](double missing, double others) {
    return misses * missing + (1 - misses) * others;
  };
  const double without = mean(flow + stall, compute);
  const double with = mean(busy + stall - spared, compute + extra);
  draft.gain = without / with;
  draft.saved_cycles = without - with;
}

// How far ahead an indirect or strided access of a loop can be prefetched, and whether
// that is bounded by the iterations of an entry.
double bound_of_distance(const Draft& draft, const PrefetchCode& code, const LoadFacts* index,
                         const CostModel& model, bool* by_trips) {
  double bound = model.max_distance;
  if (code.index_step)
    bound = std::min(bound, k_page_part * model.page_bytes /
                                std::abs(static_cast<double>(code.index_step)));
  *by_trips = !continues_across_entries(code, index, draft.trip_count);
  return *by_trips ? std::min(bound, draft.trip_count / 2) : bound;
}

// How many iterations it looks ahead, at most BOUND.
std::uint64_t distance_ahead(const Draft& draft, const PrefetchCode& code, const OtherLoads& others,
                             double bound, const CostModel& model) {
  double latency = draft.latency_cycles;
  // What the address takes must have come by then, prefetched no earlier than its own latency.
  if (code.start_asked && others.start) latency = std::min(latency, latency_of(*others.start, model));
  const auto distance =
      whole(std::min(std::ceil(latency / draft.iteration_cycles), bound));
  return code.staged ? (distance + 1) / 2 : distance;
}

// Gates 5 to 7 of an indirect or a strided access.
Draft decide_ahead(Draft draft, const LoadFacts& load, const PrefetchCode& code,
                   const OtherLoads& others, const CostModel& model) {
  if (!load.invocations || !load.iterations) {
    draft.obstacle = "not in a loop that the profile knows";
    return refuse(draft, Reason::code_shape);
  }
  draft.share = static_cast<double>(load.executions) / load.iterations;
  if (draft.share < model.min_execution_ratio)
    return refuse(draft, Reason::conditional, {"execution_share", draft.share, model.min_execution_ratio});
  bool by_trips = true;
  const double bound = bound_of_distance(draft, code, others.index, model, &by_trips);
  if (by_trips && draft.trip_count < model.min_trip_count)
    return refuse(draft, Reason::short_loop, {"trip_count", draft.trip_count, model.min_trip_count});
  if (bound < 1) {
    draft.obstacle = "the index advances by more than a page part";
    return refuse(draft, Reason::code_shape, {"distance", bound, 1});
  }
  draft.distance = distance_ahead(draft, code, others, bound, model);
  if (const Gate gate = hidden(draft, model); gate.value < gate.limit)
    return refuse(draft, Reason::short_loop, gate);
  const double beyond = by_trips ? static_cast<double>(draft.distance) / draft.trip_count : 0;
  const bool list = code.list != ListPart::none;
  if (list)
    set_list_gain(draft, load, code, others, beyond, model);
  else
    set_gain(draft, code, draft.misses, beyond,
             draft.shape == Shape::strided ? model.strided_instructions : model.prefetch_instructions, model);
  draft.saved_cycles *= static_cast<double>(load.iterations);
  const double least = list ? model.min_list_gain : model.min_gain;
  return draft.gain >= least ? draft : refuse(draft, Reason::overlapped, {"gain", draft.gain, least});
}

// Gates 5 to 7 of a search.
Draft decide_search(Draft draft, const LoadFacts& load, const PrefetchCode& code, const CostModel& model) {
  if (!load.invocations || !load.iterations) {
    draft.obstacle = "not in a loop that the profile knows";
    return refuse(draft, Reason::code_shape);
  }
  draft.share = static_cast<double>(load.executions) / load.iterations;
  if (draft.share < model.min_execution_ratio)
    return refuse(draft, Reason::conditional, {"execution_share", draft.share, model.min_execution_ratio});
  const double digits = std::log2(2 + static_cast<double>(draft.span));
  if (code.in_two_loops) draft.trip_count = digits - k_digits_of_element;
  if (draft.trip_count < model.min_trip_count)
    return refuse(draft, Reason::short_loop, {"trip_count", draft.trip_count, model.min_trip_count});
  const double most = model.max_search_steps * digits;
  if (draft.trip_count > most) {
    draft.obstacle = format("%.1f steps are too many for a search in ", draft.trip_count) +
                     bytes_text(draft.span);
    return refuse(draft, Reason::code_shape, {"trip_count", draft.trip_count, most, true});
  }
  draft.distance = 1;
  set_search_gain(draft, load, code, model);
  draft.saved_cycles *= static_cast<double>(load.iterations);
  if (draft.gain >= model.min_search_gain) return draft;
  return refuse(draft, Reason::overlapped, {"gain", draft.gain, model.min_search_gain});
}

// Gates 5 and 6 of a linked structure.
Draft decide_linked(Draft draft, const LoadFacts& load, const CostModel& model) {
  draft.share = load.stride_share;
  draft.in_arena = load.arena_stride != 0;
  draft.stride = draft.in_arena ? load.arena_stride : load.stride;
  if (!load.stride_known || load.stride_share < model.strong_share || load.stride == 0)
    return refuse(draft, Reason::unstable_stride,
                  {"stride_share", load.stride ? load.stride_share : 0, model.strong_share});
  if (load.objects < k_min_nodes)
    return refuse(draft, Reason::regular, {"objects", static_cast<double>(load.objects),
                                           static_cast<double>(k_min_nodes)});
  const double on_path = load.stride_share >= 1
                             ? model.max_distance
                             : std::log(model.min_on_path) / std::log(load.stride_share);
  const double bound = std::min(static_cast<double>(model.max_distance), std::floor(on_path));
  draft.distance = whole(
      std::min(std::ceil(draft.latency_cycles / draft.iteration_cycles), bound));
  const double ahead =
      std::abs(static_cast<double>(draft.stride)) * static_cast<double>(draft.distance);
  if (const double line = model.line_bytes; ahead < line)
    return refuse(draft, Reason::unstable_stride, {"bytes_ahead", ahead, line});
  if (const Gate gate = hidden(draft, model); gate.value < gate.limit)
    return refuse(draft, Reason::unstable_stride, gate);
  return draft;
}

// What is known before any gate; CODE may be null.
Draft start(const LoadFacts& load, const PrefetchCode* code, const CostModel& model) {
  Draft draft;
  draft.shape = code ? code->shape : guess_shape(load, model);
  draft.executions = load.executions;
  draft.error = load.error;
  draft.scale = model.input_scale;
  draft.span = whole(static_cast<double>(load.span) * draft.scale);
  draft.l2 = model.l2_bytes;
  const double factor = load.l2_misses ? std::min(1.0, model.l2_factor) : model.l2_factor;
  draft.cache = whole(factor * static_cast<double>(model.l2_bytes));
  draft.misses = miss_share(load, model);
  LoadFacts most = load;
  if (load.l2_misses) most.l2_misses = std::min(load.executions, *load.l2_misses + load.l2_interval);
  draft.misses_most = miss_share(most, model);
  if (load.invocations)
    draft.trip_count = static_cast<double>(load.iterations) / load.invocations;
  draft.latency_cycles = draft.shape == Shape::strided ? model.memory_latency : latency_of(load, model);
  if (!code) return draft;
  draft.iteration_cycles = std::max(1.0, code->instructions / model.instructions_per_cycle);
  draft.entry = code->entry;
  draft.call = code->call;
  draft.second = code->list == ListPart::second;
  // What the address takes has a prefetch of its own, which does not look further.
  if (code->entry && !code->staged) draft.iteration_cycles /= model.skew;
  return draft;
}

// Gates 1 to 3.  MAY_BE_STRIDED: misses in the model are enough for gate 2.
Draft decide_by_profile(Draft draft, const LoadFacts& load, bool may_be_strided,
                        const CostModel& model) {
  const auto below = [&draft](Reason reason, const char* name, auto value, auto limit) {
    return refuse(draft, reason, {name, static_cast<double>(value), static_cast<double>(limit)});
  };
  if (load.executions < model.min_executions)
    return below(Reason::few_executions, "executions", load.executions, model.min_executions);
  if (draft.span == 0 && draft.cache > 0) return below(Reason::unknown_memory, "span", 0, 1);
  if (draft.span < draft.cache && !(may_be_strided && load.l2_misses))
    return below(Reason::fits_cache, "span", draft.span, draft.cache);
  if (load.l2_misses) {
    draft.share = draft.misses;
    if (draft.share < model.min_l2_misses)
      return below(Reason::hits_cache, "miss_share", draft.share, model.min_l2_misses);
  }
  draft.share = load.line_local;
  if (load.stride_known && load.line_local > model.max_line_local)
    return refuse(draft, Reason::line_local, {"line_local", load.line_local, model.max_line_local, true});
  draft.reason = Reason::taken;
  return draft;
}

Draft decide_with_code(const LoadFacts& measured, const PrefetchCode& code,
                       const OtherLoads& others, const CostModel& model) {
  LoadFacts load = measured;
  const bool follow = code.entry && entries_follow(measured);
  if (code.entry) {
    load = code.list == ListPart::second ? of_second_nodes(measured, model.line_bytes)
                                         : of_entries(measured, model.line_bytes);
    load.invocations = code.outer_invocations;
    load.iterations = code.outer_iterations;
  }
  if (code.call) load = of_calls(measured, code);
  Draft draft = decide_by_profile(start(load, &code, model), load,
                                  code.shape == Shape::strided, model);
  if (draft.reason != Reason::taken) return draft;
  if (code.obstacle) {
    draft.obstacle = code.obstacle;
    return refuse(draft, Reason::code_shape);
  }
  if (code.covered) return refuse(draft, Reason::covered);
  if (follow)
    return refuse(draft, Reason::regular, {"entry_jumps", jumps_per_entry(measured), k_entry_jumps});
  draft.share = load.stride_share;
  if (draft.shape == Shape::affine) {
    draft.stride = load.stride;
    return refuse(draft, Reason::regular);
  }
  if (draft.shape == Shape::linked) return decide_linked(draft, load, model);
  if (draft.shape == Shape::search) return decide_search(draft, load, code, model);
  if (draft.shape == Shape::strided) draft.stride = code.step;
  return decide_ahead(draft, load, code, others, model);
}

// Whether it may be that the inputs of the profile were too small for what was refused.
bool may_grow(const Draft& refused, const LoadFacts& load) {
  return (refused.reason == Reason::fits_cache || refused.reason == Reason::hits_cache ||
          refused.reason == Reason::overlapped) &&
         load.block_bytes && (refused.shape == Shape::indirect || refused.shape == Shape::strided);
}

// What is decided with the first inputs that let all gates pass: FROM, 2 * FROM, ... times as large as those
// MODEL is about. Null: with none of them.
std::optional<Draft> taken_with_inputs(unsigned from, const LoadFacts& load, const PrefetchCode& code,
                                       const OtherLoads& others, const CostModel& model) {
  for (unsigned times = from; times <= k_most_times; times *= 2) {
    CostModel larger = model;
    larger.input_scale *= times;
    Draft draft = decide_with_code(load, code, others, larger);
    if (draft.reason != Reason::taken) continue;
    if (times > 1) draft.saved_cycles = 0;  // with the inputs of the profile
    return draft;
  }
  return std::nullopt;
}

// Where the program measures the prefetch, everything that might gain is tried.
Draft decide_trial(const LoadFacts& load, const PrefetchCode& code, const OtherLoads& others,
                   const CostModel& model) {
  Draft here = decide_with_code(load, code, others, model);
  here.trial = here.reason == Reason::taken;
  if (here.trial) return here;
  CostModel open = model;
  open.min_gain = open.min_list_gain = open.min_search_gain = k_trial_gain;
  std::optional<Draft> there = taken_with_inputs(1, load, code, others, open);
  if (!there) return here;
  there->trial = there->unsure = true;
  return *there;
}

// The same for all inputs, or for those that are large enough.
Draft decide_for_inputs(const LoadFacts& load, const PrefetchCode& code,
                        const OtherLoads& others, const CostModel& model) {
  if (code.trial) return decide_trial(load, code, others, model);
  const Draft here = decide_with_code(load, code, others, model);
  if (!may_grow(here, load)) return here;
  CostModel unseen = model;
  unseen.min_gain = std::max(model.min_gain, k_unseen_gain);
  unseen.min_list_gain = std::max(model.min_list_gain, k_unseen_list_gain);
  std::optional<Draft> there = taken_with_inputs(2, load, code, others, unseen);
  if (!there) return here;
  there->at_least = whole(static_cast<double>(load.block_bytes) * there->scale);
  there->watched = load.watched;
  return *there;
}

// What no code can change: refused by gates 1 to 3 however the code
// may use the load: in each iteration, with strides, or with its first address in each
// entry of its loop.
Draft decide_without_code(const LoadFacts& load, const CostModel& model) {
  const Draft draft = decide_by_profile(start(load, nullptr, model), load, false, model);
  const auto passes = [&](const LoadFacts& facts, bool strided) {
    return decide_by_profile(start(facts, nullptr, model), facts, strided, model).reason ==
           Reason::taken;
  };
  const bool strided = load.stride_known && std::abs(load.stride) >= model.min_strided_bytes;
  const bool open = draft.reason == Reason::taken || (strided && passes(load, true)) ||
                    (load.invocations && !entries_follow(load) && passes(of_entries(load, model.line_bytes), false));
  return open ? refuse(draft, Reason::needs_code) : draft;
}

Decision conclude(const Candidate& candidate, const Draft& draft, const std::string& why) {
  Decision decision = conclude(candidate, Transformation::prefetch, draft.reason, why);
  decision.gain = draft.gain;
  if (decision.refused()) decision.gate = draft.gate;
  decision.shape = draft.shape;
  decision.numbers = {{"distance", draft.distance},
                      {"stride", draft.stride},
                      {"executions", draft.executions},
                      {"span", draft.span},
                      {"trip_count", draft.trip_count}};
  const auto also = [&](const char* name, double value) {
    if (value > 0) decision.numbers.push_back({name, value});
  };
  also("entry", draft.entry);
  also("call", draft.call);
  also("second", draft.second);
  if (draft.misses < 1) also("miss_share", draft.misses);
  also("l2_bytes", static_cast<double>(draft.l2));
  also("input_scale", draft.scale);
  also("latency", draft.latency_cycles);
  also("iteration_cycles", draft.iteration_cycles);
  also("overlap", draft.overlap);
  also("waits", draft.waits);
  also("saved_cycles", draft.saved_cycles);
  also("at_least", static_cast<double>(draft.at_least));
  also("trial", draft.trial);
  also("unsure", draft.unsure);
  decision.watched = draft.watched;
  return decision;
}

}  // namespace

Decision decide_prefetch(const Candidate& candidate, const LoadFacts& load,
                         const PrefetchCode* code, const OtherLoads& others,
                         const CostModel& model) {
  const Draft draft = code ? decide_for_inputs(load, *code, others, model)
                           : decide_without_code(load, model);
  return conclude(candidate, draft,
                  draft.reason == Reason::taken        ? taken_text(draft)
                  : draft.reason == Reason::needs_code ? open_text(draft, load)
                                                       : refusal_text(draft));
}

}  // namespace memprof::decide
