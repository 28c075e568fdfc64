/* profile_objects.h - what a profile says about the objects of an allocation call, and variables.
   SPDX-License-Identifier: GPL-3.0-or-later

   Objects are accessed in other modules than the one that allocates them, so the
   rows of all are read once a group is large enough to be worth it.  Standard
   containers, no GCC header.  */

#ifndef MEMPROF_PROFILE_OBJECTS_H
#define MEMPROF_PROFILE_OBJECTS_H

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "consumers/decide/allocation_index.h"
#include "consumers/decide/heap_pages.h"
#include "consumers/decide/huge_pages.h"
#include "consumers/decide/variable_pages.h"
#include "feedback/model.h"

namespace memprof::plugin {

class profile_objects
{
public:
  /* Of ROWS, which are all of the profile PATH if WHOLE.  */
  profile_objects (const feedback::Profile &rows, const decide::CostModel &model,
		   std::string path, bool whole)
    : rows_ (rows), model_ (model), path_ (std::move (path)), whole_ (whole)
  {}

  /* Of the allocation call KEY, or null; ELSEWHERE: it may have been in another
     function.  */
  const decide::ObjectFacts *find (const decide::AllocationIndex::Key &key,
				   bool elsewhere);
  /* Once a call was looked for.  */
  const decide::HeapFacts &heap ();
  /* About the variable CODE; without a value: it is not known.  */
  std::optional<decide::Decision> decide (const decide::Candidate &candidate,
					  const decide::VariableCode &code);
  /* Whether NAME is a wrapper that made objects (consumers/decide/huge_pages.h).  */
  bool wrapper_p (std::string_view name);

private:
  /* Reads the rows of all modules; whether there were more.  */
  bool read_whole ();
  const decide::ObjectFacts *known (const decide::AllocationIndex::Key &key,
				    bool elsewhere);

  const feedback::Profile &rows_;
  const decide::CostModel &model_;
  std::string path_;
  bool whole_;
  std::optional<decide::AllocationIndex> allocations_;
  std::optional<decide::HeapFacts> heap_;
  std::optional<decide::VariableIndex> variables_;
  std::optional<std::set<std::string, std::less<>>> wrappers_;
  // Of calls that were in several functions; without a value: there are none.
  std::map<decide::AllocationIndex::Key, std::optional<decide::ObjectFacts>> together_;
};

} // namespace memprof::plugin

#endif
