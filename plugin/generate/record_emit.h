/* record_emit.h - turns planned records into code and descriptors.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_RECORD_EMIT_H
#define MEMPROF_RECORD_EMIT_H

#include "plugin/tables/descriptor_table.h"
#include "plugin/generate/edge_places.h"
#include "plugin/generate/planned_record.h"
#include "plugin/generate/record_plan.h"
#include "plugin/generate/record_words.h"

namespace memprof::plugin {

struct loop_event;
class loop_tally;
class block_describer;

class record_emitter
{
public:
  record_emitter (function *fun, descriptor_table &descriptors,
		  const vec<loop_plan> &loops, unsigned first_site)
    : fun_ (fun), descriptors_ (descriptors), loops_ (loops),
      first_site_ (first_site)
  {}

  void emit_block (const block_record &record);

  /* Emits RANGE before its loop or at its exits.  */
  void emit_range (range_record &range, edge_places &places);

  /* Emits the counters and records of TALLY.  */
  void emit_tally (loop_tally &tally, edge_places &places);

  /* Sample mode: emits the samples of calls that move much.  SITES are those of FUN.  */
  void sample_calls (const auto_vec<access_site> &sites, edge_places &places);

  /* Emits EVENT in a record of its own.  */
  void emit_loop_event (const loop_event &event);

  /* Whether variables have to be renamed into SSA form.  */
  bool renames_p () const { return renames_; }

private:
  tree add_block_descriptor (const block_record &record,
			     const record_entry &first,
			     const vec<tree> &entries, unsigned length,
			     const vec<tree> &sums);
  void emit_with_prefixes (const block_record &record, block_describer &block,
			   const vec<tree> &entries);
  bool emit_run (const block_record &record, const vec<tree> &words,
		 const vec<tree> &entries);
  tree add_range_descriptor (gimple *place, const range_record &range,
			     unsigned complete, record_words &words,
			     vec<const range_entry *> &moved);
  tree add_nest_descriptor (gimple *place, const nest_level &level,
			    unsigned number, tree header,
			    auto_vec<tree> &words,
			    const vec<const range_entry *> &moved);
  void emit_range_record (gimple *place, const range_record &range,
			  unsigned complete, tree count);
  void sample_range (gimple *place, const range_record &range,
			   tree header, tree count, const vec<tree> &words);
  void sample_call (gcall *call, const auto_vec<access_site> &sites,
		     edge_places &places);
  tree count_iterations (class loop *loop);
  uint32_t loop_row (class loop *loop) const;

  function *fun_;
  descriptor_table &descriptors_;
  const vec<loop_plan> &loops_;
  unsigned first_site_;
  name_expansions expansions_;
  bool renames_ = false;
};

} // namespace memprof::plugin

#endif
