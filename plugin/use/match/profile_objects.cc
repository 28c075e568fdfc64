/* profile_objects.cc - what a profile says about the objects of an allocation call, and variables.
   SPDX-License-Identifier: GPL-3.0-or-later

   A call is known by the words of its group: file, line, function and type.  It is
   looked for

     1. by all of them;
     2. with another name of the file, as profile_match.cc allows for;
     3. in another line of the function, if one call fits;
     4. where the function's code is not the profile's, by file, line and type alone: it may
	have been inlined into other functions then, whose objects are added up.  */

#include "plugin/use/match/profile_objects.h"

#include <string_view>
#include <utility>
#include <vector>

#include "plugin/use/match/profile_read.h"

namespace memprof::plugin {

namespace {

/* The facts of the calls in INDEX that FIT, in the file that is most like FILE: it may have
   another name in this build, as modules_for allows for.  */
template <typename Fit>
std::vector<const decide::ObjectFacts *>
in_nearest_file (const decide::AllocationIndex &index, std::string_view file, Fit fit)
{
  std::vector<const decide::ObjectFacts *> found;
  unsigned longest = 1;
  for (const decide::AllocationIndex::Entry &e : index.entries ())
    if (const unsigned common = fit (e.key) ? common_suffix (e.key.file, file) : 0;
	common >= longest)
      {
	if (common > longest)
	  found.clear ();
	longest = common;
	found.push_back (&e.facts);
      }
  return found;
}

/* The facts of KEY in INDEX, without SAME_LINE those of a call in any line; null when several
   would do.  */
const decide::ObjectFacts *
similar_objects (const decide::AllocationIndex &index,
		 const decide::AllocationIndex::Key &key, bool same_line)
{
  const auto found
    = in_nearest_file (index, key.file, [&] (const decide::AllocationIndex::Key &k) {
	return (!same_line || k.line == key.line) && k.function == key.function
	       && k.type == key.type;
      });
  return found.size () == 1 ? found[0] : nullptr;
}

const decide::ObjectFacts *
find_objects (const decide::AllocationIndex &index,
	      const decide::AllocationIndex::Key &key)
{
  if (const decide::ObjectFacts *exact = index.find (key))
    return exact;
  if (const decide::ObjectFacts *same_line = similar_objects (index, key, true))
    return same_line;
  return similar_objects (index, key, false);
}

/* The facts of all calls in the place of KEY that give its type, in whichever functions they
   were inlined.  Their objects are not counted together, so single ones are not told apart.  */
std::optional<decide::ObjectFacts>
objects_at (const decide::AllocationIndex &index, const decide::AllocationIndex::Key &key)
{
  std::optional<decide::ObjectFacts> sum;
  for (const decide::ObjectFacts *facts :
       in_nearest_file (index, key.file, [&] (const decide::AllocationIndex::Key &k) {
	 return k.line == key.line && k.type == key.type;
       }))
    if (sum)
      sum->add (*facts);
    else
      sum = *facts;
  return sum;
}

/* Whether the rows of other modules may change DECISION.  */
bool
may_change_p (const decide::Decision &decision)
{
  return decision.reason == decide::Reason::few_misses
	 || decision.reason == decide::Reason::unrepaid
	 || (decision.take ()
	     && decision.count ("blocks", decide::k_all_blocks)
		  != decide::k_all_blocks);
}

} // anonymous namespace

/* Of KEY in the rows that were read.  */
const decide::ObjectFacts *
profile_objects::known (const decide::AllocationIndex::Key &key, bool elsewhere)
{
  const decide::ObjectFacts *found = find_objects (*allocations_, key);
  if (found || !elsewhere)
    return found;
  auto [at, fresh] = together_.try_emplace (key);
  if (fresh)
    at->second = objects_at (*allocations_, key);
  return at->second ? &*at->second : nullptr;
}

bool
profile_objects::read_whole ()
{
  if (std::exchange (whole_, true))
    return false;
  profile_status status;
  std::string message;
  if (std::optional<feedback::Profile> all
      = read_all (path_, nullptr, &status, &message))
    {
      allocations_.emplace (*all, model_);
      variables_.emplace (*all, model_);
    }
  together_.clear ();
  heap_.reset ();
  return true;
}

const decide::ObjectFacts *
profile_objects::find (const decide::AllocationIndex::Key &key, bool elsewhere)
{
  if (!allocations_)
    allocations_.emplace (rows_, model_);
  const decide::ObjectFacts *found = known (key, elsewhere);
  if (whole_ || !found
      || !may_change_p (
	decide::decide_huge_pages ({}, *found, nullptr, model_)))
    return found;
  read_whole ();
  return known (key, elsewhere);
}

std::optional<decide::Decision>
profile_objects::decide (const decide::Candidate &candidate, const decide::VariableCode &code)
{
  if (!variables_)
    variables_.emplace (rows_, model_);
  const decide::VariableFacts *facts = variables_->find (code);
  if (!facts)
    return std::nullopt;
  decide::Decision decision
    = decide::decide_variable (candidate, *facts, *variables_, &code, model_);
  // The rows of other modules may have its misses.
  if (decision.reason == decide::Reason::unrepaid && read_whole ())
    return decide (candidate, code);
  return decision;
}

bool
profile_objects::wrapper_p (std::string_view name)
{
  if (!wrappers_)
    {
      wrappers_.emplace ();
      for (const feedback::Group &group : rows_.groups)
	if (group.kind == feedback::GroupKind::heap && group.parent == feedback::k_none
	    && decide::wrapper (group.allocator))
	  wrappers_->insert (group.allocator);
    }
  return wrappers_->contains (name);
}

const decide::HeapFacts &
profile_objects::heap ()
{
  if (!heap_)
    heap_ = decide::heap_facts (*allocations_, model_);
  return *heap_;
}

} // namespace memprof::plugin
