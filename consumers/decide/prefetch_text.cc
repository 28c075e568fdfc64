// prefetch_text.cc - what a decision about a prefetch says of itself.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "consumers/decide/prefetch_draft.h"
#include "consumers/decide/text.h"

namespace memprof::decide {
namespace {

// How often the processor has to wait for the value.
std::string wait_text(double waits) {
  if (waits <= 0) return ", nothing waits for it";
  if (waits >= 1) return ", each iteration waits for it";
  return format(", one in %.0f iterations waits for it", 1 / waits);
}

std::string runs_text(const PrefetchDraft& draft) {
  const auto executions = static_cast<double>(draft.executions);
  return estimate_text(executions, draft.error * executions) + " executions";
}

std::string span_text(const PrefetchDraft& draft) { return "span " + bytes_text(draft.span); }

// What was assumed about where and with what the program will run.
std::string assumed_text(const PrefetchDraft& draft) {
  const std::string cache = ", L2 of " + bytes_text(draft.l2);
  return draft.scale == 1 ? cache : cache + format(", inputs %.0f times as large as in the profile", draft.scale);
}

}  // namespace

std::string taken_text(const PrefetchDraft& draft) {
  std::string line = std::string(name(draft.shape)) + " prefetch ";
  if (draft.shape != Shape::search) line += std::to_string(draft.distance) + " ";
  const double stride = static_cast<double>(draft.stride);
  if (draft.shape == Shape::search)
    line += format("of both next places: %.1f steps", draft.trip_count);
  else if (draft.shape == Shape::linked)
    line += format("nodes of %.0f", stride) +
            (draft.in_arena ? " bytes, as in their arena, ahead: stride share "
                            : " bytes ahead: stride share ") +
            format("%.2f", draft.share);
  else
    line += (draft.shape == Shape::strided ? format("iterations of %.0f bytes ahead: ", stride) : "iterations ahead: ") +
            (draft.call ? "in the calling loop, " : draft.second ? "the second node, " : "") +
            format("%.1f iterations per entry", draft.trip_count);
  line += ", " + runs_text(draft) + ", " + span_text(draft) + ", latency " +
          format("%.0f", draft.latency_cycles) +
          format(" / %.1f cycles per iteration", draft.iteration_cycles);
  if (draft.gain > 0)
    line += wait_text(draft.waits) +
            format(draft.shape == Shape::search ? ", at most %.2fx as fast" : ", at most %.1fx as fast", draft.gain);
  line += assumed_text(draft);
  if (draft.trial) line += draft.unsure ? "; on trial, off at first" : "; on trial";
  return draft.at_least ? line + "; where a block of its allocation call has " + bytes_text(draft.at_least)
                        : line;
}

// What the profile says about a load that the code decides on.
std::string open_text(const PrefetchDraft& draft, const LoadFacts& load) {
  std::string line;
  if (!load.stride_known)
    line = "its strides are not in the profile";
  else if (draft.shape == Shape::indirect)
    line = "no constant stride";
  else
    line = format("a stride of %.0f bytes", static_cast<double>(load.stride)) +
           format(" in %.0f %%", 100 * load.stride_share);
  line += ", " + runs_text(draft) + ", " + span_text(draft);
  if (load.l2_misses) line += ", " + range_text(draft.misses, draft.misses_most) + " miss L2 in the model";
  return line + (load.invocations ? format(", %.1f iterations per entry", draft.trip_count)
                                  : std::string(", in no loop"));
}

std::string refusal_text(const PrefetchDraft& draft) {
  switch (draft.reason) {
    case Reason::few_executions: return runs_text(draft) + " are too few";
    case Reason::unknown_memory: return "the profile does not know the objects accessed";
    case Reason::fits_cache:
      return span_text(draft) + " is less than " + bytes_text(draft.cache) +
             ", so the cache holds it" + assumed_text(draft);
    case Reason::hits_cache:
      return span_text(draft) +
             ", but " + range_text(draft.share, draft.misses_most) + " of the executions only miss L2 in the model" +
             assumed_text(draft);
    case Reason::line_local:
      return format("%.0f %% of the executions stay on the line of the one before", 100 * draft.share);
    case Reason::regular:
      return draft.entry ? "each entry of the loop goes on where the one before ended, which "
                           "the hardware prefetches"
                         : "constant stride, which the hardware prefetches";
    case Reason::covered: return "another prefetch of this loop asks for the line";
    case Reason::short_loop:
      return format("%.1f iterations per entry are too few to hide ", draft.trip_count) +
             format("%.0f cycles", draft.latency_cycles);
    case Reason::conditional:
      return format("performed in %.0f %% of the iterations only", 100 * draft.share);
    case Reason::overlapped:
      return format("the processor overlaps %.1f iterations itself", draft.overlap) +
             wait_text(draft.waits) + format(", at most %.2fx as fast with it", draft.gain);
    case Reason::unstable_stride:
      return format("the most frequent step between nodes (%.0f bytes) has a share of ",
                    static_cast<double>(draft.stride)) +
             format("%.2f only", draft.share);
    default: break;
  }
  return draft.obstacle.empty() ? "the code allows no look-ahead" : draft.obstacle;
}

}  // namespace memprof::decide
