/* block_describer.h - the words and descriptor entries of a block record.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_BLOCK_DESCRIBER_H
#define MEMPROF_BLOCK_DESCRIBER_H

#include "plugin/generate/planned_record.h"
#include "plugin/generate/record_words.h"

namespace memprof::plugin {

/* The frame address of the function at hand, before PLACE.  */
tree frame_address (gimple *place);

/* Builds the words and the descriptor of a block record.  */

class block_describer
{
public:
  /* The record is written before PLACE.  */
  block_describer (const block_record &record, gimple *place,
		   name_expansions &expansions)
    : words (expansions), record_ (record), place_ (place)
  {}

  /* Adds the words of ENTRY to `words' and its descriptor words to OUT.  */
  void describe (const record_entry &entry, vec<tree> &out);

  record_words words;

private:
  /* Where code that belongs before STMT goes: not after the record.  */
  gimple *
  in_front_of (gimple *stmt) const
  {
    return stmt == record_.in_front_of ? place_ : stmt;
  }

  void describe_call (gcall *call, const memory_function *row,
		      const access_site *site, gimple *after);
  void describe_reference (const access_site &site);
  void describe_external_call (const record_entry &entry);
  void describe_local (const record_entry &entry);
  void describe_event (const record_entry &entry, vec<tree> &out);
  void describe_value (const record_entry &entry, vec<tree> &out);

  const block_record &record_;
  gimple *place_;
  /* Of the entry at hand.  */
  word_address address_;
  HOST_WIDE_INT width_;
  unsigned length_word_;
};

} // namespace memprof::plugin

#endif
