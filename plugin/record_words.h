/* record_words.h - the words of one record, each distinct address once.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_RECORD_WORDS_H
#define MEMPROF_RECORD_WORDS_H

namespace memprof::plugin {

/* How an entry finds its address: record word `word' + `constant', or, when
   `word' is MPRT_BASE_ABSOLUTE, the constant address of `symbol' + `constant'.
 */
struct word_address
{
  unsigned word;
  tree symbol;
  HOST_WIDE_INT constant;

  /* Entry word 1 of the descriptor.  */
  tree descriptor_word () const;
};

class record_words
{
public:
  /* Adds BASE + OFFSET + CONSTANT; OFFSET may be null.  If code is needed, it
     goes in front of PLACE.  */
  word_address add_address (gimple *place, tree base, tree offset,
			    HOST_WIDE_INT constant);

  /* Adds VALUE, which is computed in front of PLACE.  Returns its index.  */
  unsigned add_value (gimple *place, tree value);

  const vec<tree> &words () const { return words_; }

  /* Length of the record, with its header.  */
  unsigned length () const { return words_.length () + 1; }

private:
  struct key
  {
    tree base, offset;
  };

  auto_vec<tree> words_;
  auto_vec<key> keys_;
};

/* Removes constant pointer arithmetic: *BASE becomes the name from which it
   was computed.  Returns what is to be added.  */
HOST_WIDE_INT strip_constant_offset (tree *base);

} // namespace memprof::plugin

#endif
