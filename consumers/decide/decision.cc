// decision.cc - how a decision ends, and what it is called.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/decision.h"

#include <type_traits>

#include "consumers/decide/whole.h"

namespace memprof::decide {
namespace {

Place place_of(const Candidate& candidate) {
  return {candidate.file, candidate.line, candidate.column, candidate.function,
          candidate.expression};
}

const Number* find(const Decision& decision, std::string_view name) {
  for (const Number& number : decision.numbers)
    if (number.name == name) return &number;
  return nullptr;
}

// How a refusal of the transformation begins.
const char* refused(Transformation transformation) {
  switch (transformation) {
    case Transformation::branch_counts: return "no branch counts: ";
    case Transformation::co_allocation: return "no shared arena: ";
    case Transformation::field_order: return "not reordered: ";
    case Transformation::hot_functions: return "not a hot function: ";
    case Transformation::huge_pages: return "no huge pages: ";
    case Transformation::prefetch: return "no prefetch: ";
    case Transformation::streaming_stores: return "no streaming stores: ";
    case Transformation::versioning: return "not versioned: ";
  }
  return "";
}

}  // namespace

double Decision::number(std::string_view name) const {
  const Number* found = find(*this, name);
  if (!found) return 0;
  return std::visit([](auto value) { return static_cast<double>(value); }, found->value);
}

std::uint64_t Decision::count(std::string_view name, std::uint64_t otherwise) const {
  const Number* found = find(*this, name);
  if (!found) return otherwise;
  return std::visit(
      [](auto value) {
        if constexpr (std::is_same_v<decltype(value), double>)
          return whole(value);
        else
          return static_cast<std::uint64_t>(value);
      },
      found->value);
}

Decision conclude(const Candidate& candidate, Transformation what, Reason reason,
                  const std::string& why) {
  Decision decision;
  decision.transformation = candidate.transformation;
  decision.place = place_of(candidate);
  decision.reason = reason;
  if (decision.take() && candidate.veto) {
    decision.reason = Reason::vetoed;
    decision.text = std::string(refused(what)) + "vetoed by " + candidate.veto;
  } else if (decision.take()) {
    decision.text = why;
  } else {
    decision.text = (decision.open() ? "needs the code: " : refused(what)) + why;
  }
  return decision;
}

const char* name(Shape shape) {
  switch (shape) {
    case Shape::unknown: break;
    case Shape::affine: return "affine";
    case Shape::strided: return "strided";
    case Shape::indirect: return "indirect";
    case Shape::linked: return "linked";
    case Shape::search: return "search";
  }
  return "unknown";
}

const char* name(Reason reason) {
  switch (reason) {
    case Reason::taken: return "taken";
    case Reason::vetoed: return "vetoed";
    case Reason::needs_code: return "needs-code";
    case Reason::few_executions: return "few-executions";
    case Reason::few_misses: return "few-misses";
    case Reason::short_loop: return "short-loop";
    case Reason::code_shape: break;
    case Reason::unknown_memory: return "unknown-memory";
    case Reason::fits_cache: return "fits-cache";
    case Reason::hits_cache: return "hits-cache";
    case Reason::line_local: return "line-local";
    case Reason::regular: return "regular";
    case Reason::covered: return "covered";
    case Reason::conditional: return "conditional";
    case Reason::overlapped: return "overlapped";
    case Reason::unstable_stride: return "unstable-stride";
    case Reason::conflicts: return "conflicts";
    case Reason::may_conflict: return "may-conflict";
    case Reason::no_gain: return "no-gain";
    case Reason::reused: return "reused";
    case Reason::not_heap: return "not-heap";
    case Reason::wrapped: return "wrapped";
    case Reason::fits_tlb: return "fits-tlb";
    case Reason::middle_size: return "middle-size";
    case Reason::sparse: return "sparse";
    case Reason::unrepaid: return "unrepaid";
    case Reason::not_asked: return "not-asked";
    case Reason::no_accesses: return "no-accesses";
    case Reason::few_accesses: return "few-accesses";
    case Reason::good_order: return "good-order";
    case Reason::unchecked: return "unchecked";
    case Reason::definitions: return "definitions";
    case Reason::obstacles: return "obstacles";
  }
  return "code-shape";
}

}  // namespace memprof::decide
