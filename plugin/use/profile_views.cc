/* profile_views.cc - what the transformations ask about a profile.
   SPDX-License-Identifier: GPL-3.0-or-later

   Turns the plain structs of bridge.h into those of consumers/decide, and the
   advice into plain data again.  */

#include "plugin/use/profile_rows.h"

#include <cstring>

namespace memprof::plugin {

namespace {

template <size_t N>
void
copy_text (char (&to)[N], const std::string &from)
{
  std::strncpy (to, from.c_str (), N - 1);
  to[N - 1] = '\0';
}

/* What all advice says: whether to do it, and why, in TEXT.  */

template <typename Advice>
advice_view
view_of (const Advice &advice, const std::string &text)
{
  advice_view view = {};
  view.take = advice.take ();
  copy_text (view.reason, decide::name (advice.reason));
  copy_text (view.text, text);
  return view;
}

} // anonymous namespace

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

advice_view
profile_decide_prefetch (const function_profile *function, unsigned ordinal,
			 const code_view *view)
{
  decide::CodeFacts code;
  code.shape = view->shape == code_view::AFFINE	    ? decide::Shape::affine
	       : view->shape == code_view::STRIDED  ? decide::Shape::strided
	       : view->shape == code_view::INDIRECT ? decide::Shape::indirect
						    : decide::Shape::linked;
  if (view->obstacle)
    code.obstacle = view->obstacle;
  code.instructions = view->instructions;
  code.waits = view->waits;
  code.chained = view->chained;
  code.index_step = view->index_step;
  code.step = view->step;
  code.staged = view->staged;
  code.entry = view->entry;
  code.outer_invocations = view->outer_invocations;
  code.outer_iterations = view->outer_iterations;
  decide::LoadFacts index;
  if (view->index_ordinal >= 0)
    {
      index = function->facts (view->index_ordinal);
      code.index = &index;
    }
  decide::Advice advice
    = decide::decide_prefetch (function->facts (ordinal), code,
			       function->model ());
  advice_view result = view_of (advice, advice.text ());
  result.distance = advice.distance;
  result.stride = advice.stride;
  return result;
}

int64_t
profile_min_strided_bytes (const function_profile *function)
{
  return function->model ().min_strided_bytes;
}

uint64_t
profile_min_loop_iterations (const function_profile *function)
{
  return function->model ().min_loop_iterations;
}

advice_view
profile_decide_versioning (const function_profile *function,
			   const versioning_view *view)
{
  decide::VersioningCode code;
  if (view->obstacle)
    code.obstacle = view->obstacle;
  code.instructions = view->instructions;
  code.checks = view->checks;
  code.hoisted = view->hoisted;
  code.moved = view->moved;
  code.lanes = view->lanes;
  code.shared = view->shared;
  decide::VersioningAdvice advice
    = decide::decide_versioning (function->facts (*view), code,
				 function->model ());
  advice_view result = view_of (advice, advice.text ());
  result.gain = advice.gain;
  return result;
}

bool
profile_decide_arena (profile *from, const allocation_view *call,
		      advice_view *view, uint64_t *blocks)
{
  const decide::ObjectFacts *found = from->objects (
    { call->file, call->line, call->function, call->type });
  if (!found || !found->objects)
    return false;
  decide::ObjectFacts facts = *found;
  // Of two calls on one line, the profile names one.
  if (call->replaceable != decide::routable (facts.allocator))
    facts.allocator = call->replaceable ? "malloc" : "another function";
  decide::ArenaAdvice advice
    = decide::decide_huge_pages (facts, from->model_);
  *view = view_of (advice, advice.text ());
  *blocks = advice.blocks;
  return true;
}

const decide::ReorderAdvice *
profile::reorder (std::string_view name, uint32_t key,
		  const feedback::RecordType **type)
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
  for (size_t i = 0; i < types_->size (); i++)
    {
      const decide::TypeFacts &facts = (*types_)[i];
      if (facts.type->key != key || facts.type->name != name)
	continue;
      auto [at, fresh] = reordered_.try_emplace (i);
      if (fresh)
	at->second = decide::decide_reorder (facts, model_);
      *type = facts.type;
      return &at->second;
    }
  return nullptr;
}

void
profile_ignore_obstacle (profile *from, const char *kind)
{
  from->ignored_obstacle_ = kind;
}

bool
profile_decide_reorder (profile *from, const char *name, uint32_t key,
			reorder_view *view)
{
  const feedback::RecordType *type;
  const decide::ReorderAdvice *advice = from->reorder (name, key, &type);
  if (!advice)
    return false;
  *view = {};
  view->advice = view_of (*advice, advice->text (*type));
  view->fields = advice->offsets.size ();
  view->offsets = advice->offsets.data ();
  view->hash = key;
  for (uint64_t offset : advice->offsets)
    view->hash = (view->hash ^ uint32_t (offset)) * 0x01000193;
  return true;
}

} // namespace memprof::plugin
