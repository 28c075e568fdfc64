/* profile_decisions.cc - what the transformations ask about a profile.
   SPDX-License-Identifier: GPL-3.0-or-later

   Adds the facts of the profile to those of the code, asks consumers/decide, and
   gives the answer back as plain data: one view for all transformations.  */

#include "plugin/use/profile_rows.h"

#include <cstring>

namespace memprof::plugin {

kept_decision &
profile::keep (decide::Decision decision, bool long_lived)
{
  kept_decision &kept
    = (long_lived ? of_program_ : of_function_).emplace_back ();
  kept.decision = std::move (decision);
  const decide::Decision &d = kept.decision;
  kept.remark = decide::remark_line (d);
  kept.view.take = d.take ();
  kept.view.gain = d.gain;
  kept.view.expression = d.place.expression.c_str ();
  kept.view.text = d.text.c_str ();
  kept.view.remark = kept.remark.c_str ();
  kept.view.distance = d.count ("distance");
  kept.view.stride = int64_t (d.count ("stride"));
  kept.view.first = d.count ("first");
  kept.view.blocks = d.count ("blocks", decide::k_all_blocks);
  kept.view.offsets = d.offsets.data ();
  return kept;
}

const decide::TypeFacts *
profile::type (std::string_view name, uint32_t key)
{
  if (!types_)
    {
      for (feedback::RecordType &row : rows_.types)
	{
	  std::erase_if (row.obstacles, [this] (const feedback::Obstacle &o) {
	    return o.kind == ignored_obstacle_;
	  });
	  row.checked |= ignored_obstacle_ == "unchecked";
	}
      types_ = decide::type_facts (rows_);
      if (ignored_obstacle_ == "definitions")
	for (decide::TypeFacts &facts : *types_)
	  facts.definitions = 1;
    }
  for (const decide::TypeFacts &facts : *types_)
    if (facts.type->key == key && facts.type->name == name)
      return &facts;
  return nullptr;
}

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

const decision_view *
profile_decide_prefetch (const function_profile *function,
			 const decide::Candidate &candidate, unsigned ordinal,
			 const decide::PrefetchCode &code)
{
  profile &owner = function->owner ();
  std::optional<decide::LoadFacts> index;
  if (code.index_ordinal >= 0)
    index = function->facts (code.index_ordinal);
  return &owner
	    .keep (decide::decide_prefetch (candidate,
					    function->facts (ordinal), &code,
					    index ? &*index : nullptr,
					    owner.model_),
		   false)
	    .view;
}

const decision_view *
profile_decide_versioning (const function_profile *function,
			   const decide::Candidate &candidate,
			   const decide::LoopOfSite &loop,
			   const decide::VersioningCode &code)
{
  profile &owner = function->owner ();
  return &owner
	    .keep (decide::decide_versioning (candidate, function->facts (loop),
					      &code, owner.model_),
		   false)
	    .view;
}

const decision_view *
profile_decide_huge_pages (profile *from, const decide::Candidate &candidate,
			   const decide::AllocationCode &call)
{
  const decide::ObjectFacts *facts = from->objects (
    { call.file, call.line, call.function, call.type });
  if (!facts || !facts->objects)
    return nullptr;
  return &from
	    ->keep (decide::decide_huge_pages (candidate, *facts, &call,
					       from->model_),
		    true)
	    .view;
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

void
profile_ignore_obstacle (profile *from, const char *kind)
{
  from->ignored_obstacle_ = kind;
}

} // namespace memprof::plugin
