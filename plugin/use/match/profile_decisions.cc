/* profile_decisions.cc - what the transformations ask about a profile.
   SPDX-License-Identifier: GPL-3.0-or-later

   Adds the facts of the profile to the facts of the code, asks consumers/decide, and
   gives the answer back as plain data: one view for all transformations.  */

#include "plugin/use/match/profile_rows.h"

#include <cstring>

namespace memprof::plugin {

site_counts
profile_site (const function_profile *function, unsigned ordinal)
{
  decide::LoadFacts facts = function->facts (ordinal);
  return { facts.executions, facts.invocations, facts.iterations };
}

const char *
profile_expression (const function_profile *function, unsigned ordinal)
{
  const feedback::Site *row = function->site (ordinal);
  return row && !row->expression.empty () ? row->expression.c_str () : "access";
}

int64_t
profile_min_strided_bytes (const function_profile *function)
{
  return function->owner ().model_.min_strided_bytes;
}

uint64_t
profile_min_loop_iterations (const function_profile *function)
{
  return function->owner ().model_.min_loop_iterations;
}

/* DECISION about something in FUNCTION.  */

static const decision_view *
view_of (const function_profile *function, decide::Decision decision)
{
  return &function->owner ().keep (std::move (decision), false).view;
}

const decision_view *
profile_decide_prefetch (const function_profile *function,
			 const decide::Candidate &candidate, unsigned ordinal,
			 const decide::PrefetchCode &code)
{
  decide::LoadFacts facts[3];
  auto facts_of = [&] (int number, decide::LoadFacts *result) {
    if (number >= 0)
      *result = function->facts (number);
    return number >= 0 ? result : nullptr;
  };
  const decide::OtherLoads others
    = { facts_of (code.index_ordinal, &facts[0]), facts_of (code.node_ordinal, &facts[1]),
	facts_of (code.start_ordinal, &facts[2]) };
  return view_of (function, decide::decide_prefetch (candidate, function->facts (ordinal), &code,
						     others, function->owner ().model_));
}

const decision_view *
profile_decide_versioning (const function_profile *function,
			   const decide::Candidate &candidate,
			   const decide::LoopOfSite &loop,
			   const decide::VersioningCode &code)
{
  return view_of (function, decide::decide_versioning (candidate, function->facts (loop), &code,
						       function->owner ().model_));
}

const decision_view *
profile_decide_hot_function (const function_profile *function, const decide::Candidate &candidate,
			     const decide::FunctionCode &code)
{
  return view_of (function, decide::decide_hot_function (candidate, function->facts (), &code,
							 function->owner ().model_));
}

const decision_view *
profile_decide_branch_counts (const function_profile *function, const decide::Candidate &candidate,
			      const decide::BranchCode &code)
{
  return view_of (function, decide::decide_branch_counts (candidate, function->facts (code), &code,
							  function->owner ().model_));
}

const decision_view *
profile_decide_streaming (const function_profile *function, const decide::Candidate &candidate,
			  const decide::LoopOfSite &loop, const decide::StreamingCode &code)
{
  const decide::StoreIndex &index = *function->owner ().stores_;
  auto ids = [&] (const unsigned *ordinals, unsigned count) {
    std::vector<feedback::Id> sites;
    for (unsigned i = 0; i < count; i++)
      if (const feedback::Site *site = function->site (ordinals[i]))
	sites.push_back (site->id);
    return sites;
  };
  decide::LoopOfSite inner = loop;
  inner.levels_out = 0;
  const decide::StreamingLoop facts
    = { function->facts (loop).invocations, function->facts (inner).invocations,
	index.lines (ids (code.others, code.other_count)) };
  return view_of (function, decide::decide_streaming_stores (
			      candidate, index.facts (ids (code.stores, code.store_count)), facts,
			      &code, function->owner ().model_));
}

/* The facts of the objects of CALL; null: the profile has none.  */

static const decide::ObjectFacts *
objects_of (profile *from, const decide::AllocationCode &call)
{
  return from->objects_->find ({ call.file, call.line, call.function, call.type },
			       call.elsewhere);
}

/* DECISION about an arena, which a library may have in vain, as a view.  */

static const decision_view *
arena_view (profile *from, decide::Decision decision)
{
  if (from->model_.in_library && decision.take ())
    decision.text += "; only in programs linked with the option";
  return &from->keep (std::move (decision), true).view;
}

const decision_view *
profile_decide_huge_pages (profile *from, const decide::Candidate &candidate,
			   const decide::AllocationCode &call)
{
  const decide::ObjectFacts *facts = objects_of (from, call);
  if (!facts || !facts->objects)
    return nullptr;
  return arena_view (from,
		     decide::decide_allocation (candidate, *facts, from->objects_->heap (), &call,
						from->model_));
}

const decision_view *
profile_decide_variable (profile *from, const decide::Candidate &candidate,
			 const decide::VariableCode &variable)
{
  std::optional<decide::Decision> decision
    = from->objects_ ? from->objects_->decide (candidate, variable) : std::nullopt;
  return decision ? &from->keep (*std::move (decision), true).view : nullptr;
}

const char *
profile_watched_name (profile *from, const decide::AllocationCode &call)
{
  const decide::ObjectFacts *facts = objects_of (from, call);
  return facts && !facts->watched.empty () ? facts->watched.c_str () : nullptr;
}

const decision_view *
profile_decide_co_allocation (profile *from, const decide::Candidate &candidate,
			      const decide::AllocationCode &call)
{
  const decide::ObjectFacts *facts = objects_of (from, call);
  if (!facts || !facts->objects || !facts->arena.number)
    return nullptr;
  return arena_view (from,
		     decide::decide_co_allocation (candidate, *facts, &call, from->model_));
}

bool
profile_wrapper_p (profile *from, const char *name)
{
  return from->objects_ && from->objects_->wrapper_p (name);
}

const decision_view *
profile_decide_field_order (profile *from, const decide::Candidate &candidate,
			    const decide::RecordCode &record)
{
  const decide::TypeFacts *facts = from->type (record.name, record.key);
  if (!facts)
    return nullptr;
  kept_decision &kept
    = from->keep (decide::decide_field_order (candidate, *facts, &record,
					      from->model_),
		  true);
  kept.view.hash = record.key;
  for (uint64_t offset : kept.decision.offsets)
    kept.view.hash = (kept.view.hash ^ uint32_t (offset)) * 0x01000193;
  return &kept.view;
}

bool
profile_knows_source (profile *from, const char *source)
{
  return from->knows (source);
}

const char *
obstacle_words (const char *kind, const char *detail, const char *file, unsigned line)
{
  static std::string words;
  std::string where = *file ? std::string (file) + ':' + std::to_string (line) : "";
  words = decide::obstacle_text ({ kind, detail, where });
  return words.c_str ();
}

void
profile_ignore_obstacle (profile *from, const char *kind)
{
  from->ignored_obstacle_ = kind;
}

} // namespace memprof::plugin
