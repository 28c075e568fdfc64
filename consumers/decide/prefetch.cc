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
//                      it, its model misses L2 often enough
//   3. lines           it does not stay on one line
//   4. code            an affine address is left to the hardware, unless it is
//                      strided; something that cannot be moved ahead is named
//   5. indirect, strided: performed in most iterations;
//      linked: nodes are visited in the order of their addresses (stride)
//   6. distance        d = ceil(latency / cycles of an iteration), bounded as
//                      below, must still hide a worthwhile part of the latency
//   7. indirect, strided: the gain over what the processor overlaps by itself
//
// Strided: the hardware foresees streams of neighbouring lines. A loop that steps over
// records and takes one line of several from each is none (the fields of a record that
// was reordered, see layout.cc, a column of a matrix): Zen 5 takes as long for one line
// of every four as for all of them. Such a prefetch costs two instructions, so that it
// need not be careful: the model's misses are enough for gate 2, and the latency is that
// of memory, whatever the span of the training run.
//
// Gain.  By itself the processor keeps the misses of `overlap' iterations under
// way: those that fit its window, and even then not as many as there are buffers,
// because loads leave the window in order: the last misses of a window wait for
// its first.  An iteration then takes latency / overlap.  But where it waits for
// the value (a branch on it that was mispredicted), nothing behind has started,
// and a whole latency is added, however well the iterations between two such
// overlap.  Prefetches go on through all of that.  The buffers remain, and
// prefetches beyond the end of an entry fill them, too, with lines that nobody
// needs:
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
// The first address of a loop (rows of a sparse matrix, say) is a load of its
// own here: it is executed once per entry, its loop is the outer one, and its
// strides are those that are not the dominant one.
//
// Nodes of a linked structure whose allocation call gets an arena lie closer there
// than malloc had put them: as many of the arena's objects ahead as it was from one
// node to the next in the order of their allocation.  Which that is, the LMADs of
// a load's object numbers say; a load that skips some nodes at its beginning has none
// that are worth keeping, and then another load of these nodes with the same
// stride in bytes says it.
//
// Bounds of d.  Looking d ahead in a loop of n iterations covers n - d of them
// and hides d / D of the latency, D being the ideal distance: for D > n / 2
// that is best at d = n / 2.  The bound does not hold where the next entry of
// the loop goes on where this one ends (rows of a matrix in CSR form): there
// the index load advances by one constant stride through nearly all of its
// executions.  For nodes visited with one stride by a share s of all steps,
// d steps in a row do so with chance s^d.
//
// Example: bfs, 1e7 executions of vertex[neighbour[e]], span 268 MB, 16
// instructions an iteration, 28 iterations an entry, one in 28 finds a new
// vertex: D = 450 / 8 = 57, at most 28 / 2: distance 14.  Half of the iterations are
// covered, half look at what nobody needs.  Without: 450 / 8 + 450 / 28 = 72 cycles;
// with: 450 / 12 * 1.5 + 450 / 28 * 0.88 = 70: refused (as measured: 0.93).  Where rows
// follow each other, nothing would be wasted.
//
// Example: the same program makes its graph, degree[from[e]]++ and degree[to[e]]++
// for each edge, span 8.4 MB, 18 instructions; 42 % miss L2.  Where they do, 300 / 8
// = 38 cycles become 25, elsewhere 9 become 12.5: 21 become 18, taken (measured:
// 1.34 by both).
#include "consumers/decide/prefetch.h"

#include "consumers/decide/huge_pages.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace memprof::decide {
namespace {

// A group takes part in a load's span when it gets this share of its accesses.
constexpr double k_group_share = 0.05;
// Nodes of a linked structure; fewer objects with a stride are arrays.
constexpr std::uint64_t k_min_nodes = 64;
// Objects of malloc are not nearer to each other.
constexpr std::int64_t k_least_object = 16;
// Share of the executions for which one group stands for all.
constexpr double k_main_share = 0.9;
// Look-ahead loads that leave the page of the current one are not performed;
// up to this part of the page, at least three in four are.
constexpr double k_page_part = 0.25;

std::string format(const char* text, double value) {
  char buffer[96];
  std::snprintf(buffer, sizeof buffer, text, value);
  return buffer;
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes >= 1000000) return format("%.1f MB", bytes / 1e6);
  if (bytes >= 1000) return format("%.1f KB", bytes / 1e3);
  return format("%.0f B", static_cast<double>(bytes));
}

Shape guess_shape(const LoadFacts& load, const CostModel& model) {
  if (!load.stride_known) return Shape::unknown;
  if (load.stride_share < model.strong_share) return Shape::indirect;
  return load.objects >= k_min_nodes ? Shape::linked : Shape::affine;
}

Advice refuse(Advice advice, Reason reason) {
  advice.reason = reason;
  advice.distance = 0;
  return advice;
}

// The next entry of the loop continues where this one ends.
bool continues_across_entries(const CodeFacts& code, double trip_count) {
  const LoadFacts* index = code.index;
  return index && index->stride_known && index->stride == code.index_step &&
         (1 - index->stride_share) * trip_count < 0.5;
}

// The facts about the first execution in each entry of the load's loop.
LoadFacts of_entries(LoadFacts load, const CodeFacts& code, double line) {
  const double step = std::abs(static_cast<double>(load.stride));
  const double stay = step < line ? load.stride_share * (1 - step / line) : 0;
  if (load.stride_share < 1)
    load.line_local = (load.line_local - stay) / (1 - load.stride_share);
  load.executions = std::min(load.executions, load.invocations);
  load.invocations = code.outer_invocations;
  load.iterations = code.outer_iterations;
  load.stride_share = 0;
  return load;
}

// Share of the executions that miss L2, if the profile knows.
double miss_share(const LoadFacts& load) {
  return load.l2_misses
             ? std::min(1.0, static_cast<double>(*load.l2_misses) / load.executions)
             : 1;
}

// How many times faster the loop gets, see above; MISSES: share of the iterations
// that miss, BEYOND: of those that look beyond the end, INSTRUCTIONS: of a prefetch.
void set_gain(Advice& advice, const CodeFacts& code, double misses, double beyond,
              double instructions, const CostModel& model) {
  const double latency = advice.latency_cycles;
  const double buffers = model.overlapping_misses;
  const double window =
      model.window_instructions / std::max(1.0, code.instructions);
  const double compute = code.instructions / model.instructions_per_cycle;
  const double extra = instructions / model.instructions_per_cycle;
  const double chain = code.chained ? 2 : 1;
  advice.waits = code.waits;
  advice.overlap = std::clamp(window, 1.0, model.window_misses);
  const double stall = code.waits * chain * latency;
  const double flow = std::max(compute, chain * latency / advice.overlap);
  const double busy = std::max({compute + extra,
                                (chain + beyond) * latency / buffers,
                                (chain - 1) * latency / advice.overlap});
  const double hidden =
      std::min(1.0, advice.distance * advice.iteration_cycles / latency);
  const double spared = code.waits * latency * (1 - beyond) * hidden;
  const auto mean = [misses](double missing, double others) {
    return misses * missing + (1 - misses) * others;
  };
  advice.gain = mean(flow + stall, compute) /
                mean(busy + stall - spared, compute + extra);
}

// Gates 5 to 7 of an indirect or a strided access.
Advice decide_ahead(Advice advice, const LoadFacts& load,
                    const std::optional<CodeFacts>& code, const CostModel& model) {
  const bool strided = advice.shape == Shape::strided;
  if (!load.invocations || !load.iterations) {
    advice.obstacle = "not in a loop that the profile knows";
    return refuse(advice, Reason::code_shape);
  }
  advice.share = static_cast<double>(load.executions) / load.iterations;
  if (advice.share < model.min_execution_ratio)
    return refuse(advice, Reason::conditional);
  double bound = model.max_distance;
  bool bounded_by_trips = true;
  if (code) {
    if (code->index_step) {
      const double steps = k_page_part * model.page_bytes /
                           std::abs(static_cast<double>(code->index_step));
      bound = std::min(bound, steps);
    }
    bounded_by_trips = !continues_across_entries(*code, advice.trip_count);
  }
  if (bounded_by_trips) {
    if (advice.trip_count < model.min_trip_count)
      return refuse(advice, Reason::short_loop);
    bound = std::min(bound, advice.trip_count / 2);
  }
  if (bound < 1) {
    advice.obstacle = "the index advances by more than a page part";
    return refuse(advice, Reason::code_shape);
  }
  advice.distance = static_cast<unsigned>(std::min(
      std::ceil(advice.latency_cycles / advice.iteration_cycles), bound));
  // What is loaded on the way must have come by then.
  if (code && code->staged) advice.distance = (advice.distance + 1) / 2;
  if (advice.distance * advice.iteration_cycles <
      model.min_hidden * advice.latency_cycles)
    return refuse(advice, Reason::short_loop);
  if (code) {
    const double beyond =
        bounded_by_trips ? advice.distance / advice.trip_count : 0;
    set_gain(advice, *code, miss_share(load), beyond,
             strided ? model.strided_instructions : model.prefetch_instructions, model);
    if (advice.gain < model.min_gain)
      return refuse(advice, Reason::overlapped);
  }
  return advice;
}

// Gates 5 and 6 of a linked structure.
Advice decide_linked(Advice advice, const LoadFacts& load,
                     const CostModel& model) {
  advice.share = load.stride_share;
  advice.in_arena = load.arena_stride != 0;
  advice.stride = advice.in_arena ? load.arena_stride : load.stride;
  if (!load.stride_known || load.stride_share < model.strong_share ||
      load.stride == 0)
    return refuse(advice, Reason::unstable_stride);
  if (load.objects < k_min_nodes) return refuse(advice, Reason::regular);
  const double on_path =
      load.stride_share >= 1
          ? model.max_distance
          : std::log(model.min_on_path) / std::log(load.stride_share);
  const double bound =
      std::min(static_cast<double>(model.max_distance), std::floor(on_path));
  advice.distance = static_cast<unsigned>(std::min(
      std::ceil(advice.latency_cycles / advice.iteration_cycles), bound));
  const double ahead = std::abs(static_cast<double>(advice.stride)) *
                       advice.distance;
  if (ahead < model.line_bytes ||
      advice.distance * advice.iteration_cycles <
          model.min_hidden * advice.latency_cycles)
    return refuse(advice, Reason::unstable_stride);
  return advice;
}

}  // namespace

Advice decide_prefetch(const LoadFacts& measured,
                       const std::optional<CodeFacts>& code,
                       const CostModel& model) {
  const LoadFacts load = code && code->entry
                             ? of_entries(measured, *code, model.line_bytes)
                             : measured;
  Advice advice;
  advice.code_seen = code.has_value();
  advice.shape = code ? code->shape : guess_shape(load, model);
  advice.executions = load.executions;
  advice.span = load.span;
  advice.cache = static_cast<std::uint64_t>(model.l2_factor * model.l2_bytes);
  if (load.invocations)
    advice.trip_count =
        static_cast<double>(load.iterations) / load.invocations;
  const bool strided = advice.shape == Shape::strided;
  advice.latency_cycles = strided || load.span > model.llc_bytes ? model.memory_latency
                                                                 : model.llc_latency;
  // Without code, 8 instructions: the body of a short search loop.
  const double instructions = code ? code->instructions : 8;
  advice.iteration_cycles =
      std::max(1.0, instructions / model.instructions_per_cycle);
  if (code && code->entry) advice.iteration_cycles /= model.skew;

  if (load.executions < model.min_executions)
    return refuse(advice, Reason::few_executions);
  if (load.span == 0 && advice.cache > 0)
    return refuse(advice, Reason::unknown_memory);
  if (load.span < advice.cache && !(strided && load.l2_misses))
    return refuse(advice, Reason::fits_cache);
  if (load.l2_misses) {
    advice.share = miss_share(load);
    if (advice.share < model.min_l2_misses) return refuse(advice, Reason::hits_cache);
  }
  advice.share = load.line_local;
  if (load.stride_known && load.line_local > model.max_line_local)
    return refuse(advice, Reason::line_local);
  if (code && !code->obstacle.empty()) {
    advice.obstacle = code->obstacle;
    return refuse(advice, Reason::code_shape);
  }
  advice.share = load.stride_share;
  if (advice.shape == Shape::affine) {
    advice.stride = load.stride;
    advice.undecided = !code && std::abs(load.stride) >= model.min_strided_bytes;
    return refuse(advice, Reason::regular);
  }

  advice.reason = Reason::taken;
  if (advice.shape == Shape::linked)
    return decide_linked(advice, load, model);
  if (strided) advice.stride = code->step;
  return decide_ahead(advice, load, code, model);
}

LoadIndex::LoadIndex(const feedback::Profile& profile, const CostModel& model)
    : line_bytes_(model.line_bytes) {
  for (const auto& row : profile.object_relative)
    object_relative_[{row.site, row.group}] = &row;
  for (const auto& row : profile.cache) l2_misses_[row.site] += row.l2;
  for (const auto& row : profile.strides) strides_[row.site] = &row;
  for (const auto& row : profile.points_to) points_to_[row.site] = &row;
  for (const auto& group : profile.groups) groups_[group.id] = &group;
  if (!model.arenas) return;
  const ArenaIndex arenas(profile, model);
  for (const auto& group : profile.groups) {
    const ObjectFacts* objects = arenas.find({group.file, group.line, group.function, group.type});
    if (objects && group.objects && group.bytes % group.objects == 0 &&
        decide_huge_pages(*objects, model).take())
      slab_bytes_[group.id] = slab_object_bytes(group.bytes / group.objects);
  }
  learn_steps();
}

void LoadIndex::learn_steps() {
  for (const auto& [site, row] : points_to_) {
    const feedback::Id group = arena_group(*row);
    const auto stride = strides_.find(site);
    if (group == feedback::k_none || stride == strides_.end()) continue;
    const feedback::Stride& moves = *stride->second;
    const std::int64_t objects = object_step(site, group);
    Step& known = steps_[group];
    const bool apart = moves.dominant >= k_least_object || moves.dominant <= -k_least_object;
    if (objects != 0 && apart && moves.share > 0.5 &&
        moves.executions > known.executions)
      known = {moves.dominant, objects, moves.executions};
  }
}

// The group in an arena that nearly all executions of ROW's site are in.
feedback::Id LoadIndex::arena_group(const feedback::PointsTo& row) const {
  std::uint64_t executions = 0;
  const feedback::PointsTo::Target* main = nullptr;
  for (const auto& target : row.groups) {
    executions += target.count;
    if (!main || target.count > main->count) main = &target;
  }
  const bool one = main && main->count >= k_main_share * executions;
  return one && slab_bytes_.contains(main->group) ? main->group : feedback::k_none;
}

// The most frequent step from object to object, if it is that of most steps which
// the LMADs hold; in an arena the objects of one size lie in that order.
std::int64_t LoadIndex::object_step(feedback::Id site, feedback::Id group) const {
  const auto objects = object_relative_.find({site, group});
  if (objects == object_relative_.end()) return 0;
  std::map<std::int64_t, std::uint64_t> steps;
  std::uint64_t all = 0;
  for (const auto& lmad : objects->second->o1.lmads) {
    steps[lmad.stride[0]] += lmad.count - 1;
    all += lmad.count - 1;
  }
  for (const auto& [step, count] : steps)
    if (2 * count > all) return step;
  return 0;
}

std::int64_t LoadIndex::arena_stride(const feedback::PointsTo& row) const {
  const feedback::Id group = arena_group(row);
  if (group == feedback::k_none) return 0;
  const auto size = static_cast<std::int64_t>(slab_bytes_.at(group));
  if (const std::int64_t step = object_step(row.site, group)) return step * size;
  const auto known = steps_.find(group);
  const auto stride = strides_.find(row.site);
  if (known == steps_.end() || known->second.bytes == 0 || stride == strides_.end() ||
      stride->second->dominant % known->second.bytes != 0)
    return 0;
  return stride->second->dominant / known->second.bytes * known->second.objects * size;
}

// How many values from the least to the greatest of a stream; 0: it is empty.
static std::uint64_t width(const feedback::LmadStream<1>& stream) {
  std::int64_t least = INT64_MAX, greatest = INT64_MIN;
  const auto include = [&](std::int64_t value) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  };
  for (const auto& lmad : stream.lmads) {
    include(lmad.start[0]);
    include(lmad.start[0] +
            lmad.stride[0] * static_cast<std::int64_t>(lmad.count - 1));
  }
  if (stream.overflow.count) {
    include(stream.overflow.min[0]);
    include(stream.overflow.max[0]);
  }
  return least > greatest ? 0 : static_cast<std::uint64_t>(greatest - least) + 1;
}

// The bytes of GROUP that SITE ranges over: in each object from the first to
// the last offset, in whole lines; never more than are alive at a time.
std::uint64_t LoadIndex::reach(const feedback::Site& site,
                               const feedback::Group& group) const {
  const auto at = object_relative_.find({site.id, group.id});
  if (at == object_relative_.end()) return group.span;
  const double offsets = static_cast<double>(width(at->second->v1));
  const double objects = static_cast<double>(width(at->second->o1));
  if (offsets == 0 || objects == 0) return group.span;
  const double line = static_cast<double>(line_bytes_);
  const double bytes = std::ceil((offsets - 1 + site.width) / line) * line;
  return bytes * objects < group.span
             ? static_cast<std::uint64_t>(bytes * objects)
             : group.span;
}

LoadFacts LoadIndex::facts(const feedback::Function& function,
                           const feedback::Site& site) const {
  LoadFacts facts;
  facts.executions = site.executions;
  if (auto at = l2_misses_.find(site.id); at != l2_misses_.end())
    facts.l2_misses = at->second;
  for (const auto& loop : function.loops)
    if (loop.id == site.loop) {
      facts.invocations = loop.invocations;
      facts.iterations = loop.iterations;
    }
  if (auto at = points_to_.find(site.id); at != points_to_.end())
    for (const auto& target : at->second->groups) {
      const auto group = groups_.find(target.group);
      if (group == groups_.end() ||
          target.count < k_group_share * site.executions)
        continue;
      // The top of a stack is in the cache, however large the stack may get.
      if (group->second->kind == feedback::GroupKind::stack) continue;
      facts.span += reach(site, *group->second);
      facts.objects += group->second->objects;
    }
  if (auto at = points_to_.find(site.id); at != points_to_.end())
    facts.arena_stride = arena_stride(*at->second);
  if (auto at = strides_.find(site.id); at != strides_.end()) {
    const feedback::Stride& row = *at->second;
    facts.stride_known = true;
    facts.stride = row.dominant;
    facts.stride_share = row.share;
    // A step of s bytes stays on the line with chance 1 - |s| / line.
    double stay = 0;
    for (const auto& entry : row.histogram) {
      const double step = std::abs(static_cast<double>(entry.stride));
      if (step < line_bytes_)
        stay += entry.count * (1 - step / line_bytes_);
    }
    if (row.executions) facts.line_local = stay / row.executions;
  }
  return facts;
}

const char* name(Shape shape) {
  switch (shape) {
    case Shape::unknown: break;
    case Shape::affine: return "affine";
    case Shape::strided: return "strided";
    case Shape::indirect: return "indirect";
    case Shape::linked: return "linked";
  }
  return "unknown";
}

const char* name(Reason reason) {
  switch (reason) {
    case Reason::taken: return "taken";
    case Reason::few_executions: return "few-executions";
    case Reason::unknown_memory: return "unknown-memory";
    case Reason::fits_cache: return "fits-cache";
    case Reason::hits_cache: return "hits-cache";
    case Reason::line_local: return "line-local";
    case Reason::regular: return "regular";
    case Reason::short_loop: return "short-loop";
    case Reason::conditional: return "conditional";
    case Reason::overlapped: return "overlapped";
    case Reason::unstable_stride: return "unstable-stride";
    case Reason::conflicts: return "conflicts";
    case Reason::may_conflict: return "may-conflict";
    case Reason::no_gain: return "no-gain";
    case Reason::code_shape: break;
  }
  return "code-shape";
}

// How often the processor has to wait for the value.
static std::string wait_text(double waits) {
  if (waits <= 0) return ", nothing waits for it";
  if (waits >= 1) return ", each iteration waits for it";
  return format(", one in %.0f iterations waits for it", 1 / waits);
}

std::string Advice::text() const {
  const std::string runs =
      format("%.0f executions", static_cast<double>(executions));
  const std::string against = "span " + bytes_text(span);
  const std::string refused = "no prefetch: ";
  switch (reason) {
    case Reason::taken: {
      std::string line = std::string(name(shape)) + " prefetch " +
                         std::to_string(distance) + " ";
      line += shape == Shape::linked
                  ? "nodes of " + format("%.0f", static_cast<double>(stride)) +
                        (in_arena ? " bytes, as in their arena, ahead: stride share "
                                  : " bytes ahead: stride share ") +
                        format("%.2f", share)
                  : "iterations " +
                        (shape == Shape::strided
                             ? format("of %.0f bytes ahead: ", static_cast<double>(stride))
                             : std::string("ahead: ")) +
                        format("%.1f iterations per entry", trip_count);
      return line + ", " + runs + ", " + against + ", latency " +
             format("%.0f", latency_cycles) + " / " +
             format("%.1f cycles per iteration", iteration_cycles) +
             (gain > 0 ? wait_text(waits) + format(", at most %.1fx as fast", gain)
                       : "");
    }
    case Reason::few_executions: return refused + runs + " are too few";
    case Reason::unknown_memory:
      return refused + "the profile does not know the objects accessed";
    case Reason::fits_cache:
      return refused + against + " is less than " + bytes_text(cache) +
             ", so the cache holds it";
    case Reason::hits_cache:
      return refused + against + format(", but %.1f %% of the executions only "
                                        "miss L2 in the model", 100 * share);
    case Reason::line_local:
      return refused + format("%.0f %% of the executions stay on the line of "
                              "the one before", 100 * share);
    case Reason::regular:
      if (undecided)
        return refused + format("constant stride of %.0f bytes, which may leave out "
                                "lines: the code decides",
                                static_cast<double>(stride));
      return refused + "constant stride, which the hardware prefetches";
    case Reason::short_loop:
      return refused + format("%.1f iterations per entry are too few to hide ",
                              trip_count) +
             format("%.0f cycles", latency_cycles);
    case Reason::conditional:
      return refused + format("performed in %.0f %% of the iterations only",
                              100 * share);
    case Reason::overlapped:
      return refused +
             format("the processor overlaps %.1f iterations itself", overlap) +
             wait_text(waits) + format(", at most %.2fx as fast with it", gain);
    case Reason::unstable_stride:
      return refused + format("the most frequent step between nodes (%.0f "
                              "bytes) has a share of ",
                              static_cast<double>(stride)) +
             format("%.2f only", share);
    case Reason::conflicts:
    case Reason::may_conflict:
    case Reason::no_gain:
    case Reason::code_shape: break;
  }
  return refused + (obstacle.empty() ? "the code allows no look-ahead"
                                     : obstacle);
}

}  // namespace memprof::decide
