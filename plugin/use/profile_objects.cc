/* profile_objects.cc - what a profile says about the objects of an allocation call.
   SPDX-License-Identifier: GPL-3.0-or-later

   A call is known by the words of its group: file, line, function and type.  It is
   looked for

     1. by all of them;
     2. with another name of the file, as profile_match.cc allows for;
     3. in another line of the function, if one call fits;
     4. where the function's code is not the profile's, by file, line and type alone: it may
	have been inlined into other functions then, whose objects are added up.  */

#include "plugin/use/profile_objects.h"

#include <algorithm>
#include <utility>

#include "plugin/use/profile_read.h"

namespace memprof::plugin {

namespace {

/* The facts of KEY in INDEX.  The file may have another name in this build, as
   modules_for allows for, and without SAME_LINE the call may stand in another line; null
   when several would do.  */
const decide::ObjectFacts *
similar_objects (const decide::AllocationIndex &index,
		 const decide::AllocationIndex::Key &key, bool same_line)
{
  const decide::ObjectFacts *found = nullptr;
  unsigned longest = 0;
  for (const decide::AllocationIndex::Entry &e : index.entries ())
    if ((!same_line || e.key.line == key.line) && e.key.function == key.function
	&& e.key.type == key.type)
      {
	unsigned common = common_suffix (e.key.file, key.file);
	if (common >= std::max (longest, 1u))
	  {
	    found = common > longest ? &e.facts : nullptr;
	    longest = common;
	  }
      }
  return found;
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
  unsigned longest = 1;
  std::optional<decide::ObjectFacts> sum;
  for (const decide::AllocationIndex::Entry &e : index.entries ())
    if (e.key.line == key.line && e.key.type == key.type)
      if (unsigned common = common_suffix (e.key.file, key.file); common >= longest)
	{
	  if (sum && common == longest)
	    sum->add (e.facts);
	  else
	    sum = e.facts;
	  longest = common;
	}
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
  std::optional<decide::ObjectFacts> sum = objects_at (*allocations_, key);
  return sum ? &together_.emplace_back (std::move (*sum)) : nullptr;
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
  whole_ = true;
  profile_status status;
  std::string message;
  if (std::optional<feedback::Profile> all
      = read_all (path_, nullptr, &status, &message))
    allocations_.emplace (*all, model_);
  heap_.reset ();
  return known (key, elsewhere);
}

const decide::HeapFacts &
profile_objects::heap ()
{
  if (!heap_)
    heap_ = decide::heap_facts (*allocations_, model_);
  return *heap_;
}

} // namespace memprof::plugin
