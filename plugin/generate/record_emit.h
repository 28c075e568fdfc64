/* record_emit.h - turns planned block records and single events into code and descriptors.
   SPDX-License-Identifier: GPL-3.0-or-later

   Ranges and nests: range_emit.h.  */

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
  record_emitter (descriptor_table &descriptors, const vec<loop_plan> &loops,
		  unsigned first_site, name_expansions &expansions)
    : descriptors_ (descriptors), loops_ (loops), first_site_ (first_site),
      expansions_ (expansions)
  {}

  void emit_block (const block_record &record);

  /* Emits the counters and records of TALLY.  */
  void emit_tally (loop_tally &tally, edge_places &places);

  /* Emits EVENT in a record of its own.  */
  void emit_loop_event (const loop_event &event);

  /* Adds the descriptor of RECORD, whose first entry is FIRST, with the descriptor words
     ENTRIES; the record has LENGTH words.  Returns its header.  */
  tree add_block_descriptor (const block_record &record,
			     const record_entry &first,
			     const vec<tree> &entries, unsigned length);

  /* Whether variables have to be renamed into SSA form.  */
  bool renames_p () const { return renames_; }

private:
  void emit_with_prefixes (const block_record &record, block_describer &block,
			   const vec<tree> &entries);
  bool emit_run (const block_record &record, const vec<tree> &words,
		 const vec<tree> &entries);

  descriptor_table &descriptors_;
  const vec<loop_plan> &loops_;
  unsigned first_site_;
  name_expansions &expansions_;
  bool renames_ = false;
};

} // namespace memprof::plugin

#endif
