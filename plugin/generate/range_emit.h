/* range_emit.h - turns affine loops and nests of them into records.
   SPDX-License-Identifier: GPL-3.0-or-later

   Before the loop, or at its exits if it has to count:

     { RANGE, count, &a[0] }

   Before the outermost loop of a nest, the same around the record of the
   first iteration:

     { NEST, n, RANGE, count, &a[0][0] }	word 2 moves by 800  */

#ifndef MEMPROF_RANGE_EMIT_H
#define MEMPROF_RANGE_EMIT_H

#include "plugin/generate/edge_places.h"
#include "plugin/generate/loop_events.h"
#include "plugin/generate/planned_record.h"
#include "plugin/generate/record_words.h"
#include "plugin/tables/descriptor_table.h"

namespace memprof::plugin {

class range_emitter
{
public:
  range_emitter (descriptor_table &descriptors, const vec<loop_plan> &loops,
		 unsigned first_site, name_expansions &expansions)
    : descriptors_ (descriptors), loops_ (loops), first_site_ (first_site),
      expansions_ (expansions)
  {}

  /* Emits RANGE before its loop or at its exits.  */
  void emit (range_record &range, edge_places &places);

private:
  tree add_range_descriptor (gimple *place, const range_record &range,
			     unsigned complete, record_words &words,
			     vec<const range_entry *> &moved);
  tree add_nest_descriptor (gimple *place, const nest_level &level,
			    unsigned number, tree header,
			    auto_vec<tree> &words,
			    const vec<const range_entry *> &moved);
  void emit_record (gimple *place, const range_record &range,
		    unsigned complete, tree count);
  /* sample/loop_samples.cc  */
  void sample (gimple *place, const range_record &range, tree header,
	       tree count, const vec<tree> &words);

  descriptor_table &descriptors_;
  const vec<loop_plan> &loops_;
  unsigned first_site_;
  name_expansions &expansions_;
};

} // namespace memprof::plugin

#endif
