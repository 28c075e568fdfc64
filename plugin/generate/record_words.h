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

/* What GCC knows about the sums that SSA names are.  */
class name_expansions
{
public:
  ~name_expansions () { free_affine_expand_cache (&cache_); }
  name_expansions () = default;
  name_expansions (const name_expansions &) = delete;
  name_expansions &operator= (const name_expansions &) = delete;

  /* BASE + OFFSET as a sum; OFFSET may be null.  */
  void sum (tree base, tree offset, aff_tree *result);

private:
  hash_map<tree, name_expansion *> *cache_ = nullptr;
};

class record_words
{
public:
  /* Expansions of names, shared by the records of a function.  */
  explicit record_words (name_expansions &expansions) : expansions_ (expansions)
  {}

  /* Adds BASE + OFFSET + CONSTANT; OFFSET may be null.  If code is needed, it
     goes before PLACE.  */
  word_address add_address (gimple *place, tree base, tree offset,
			    HOST_WIDE_INT constant);

  /* Adds VALUE, which is computed before PLACE.  Returns its index.  */
  unsigned add_value (gimple *place, tree value);

  const vec<tree> &words () const { return words_; }

  /* The first COUNT words are not to be shared with what is added from now on.  */
  void hide (unsigned count) { hidden_ = count; }

  /* Forgets all words but the first COUNT.  */
  void truncate (unsigned count);

  /* Length of the record, with its header.  */
  unsigned length () const { return words_.length () + 1; }

private:
  /* Of an address word: what it is the sum of.  */
  struct key
  {
    unsigned word;
    tree base, offset;
    aff_tree sum;
  };

  const key *find (tree base, tree offset) const;
  const key *find (const aff_tree &sum, HOST_WIDE_INT *difference) const;

  name_expansions &expansions_;
  auto_vec<tree> words_;
  unsigned hidden_ = 0;
  auto_vec<key, 4> keys_;
};

/* Removes constant pointer arithmetic: *BASE becomes the name from which it
   was computed.  Returns what is to be added.  */
HOST_WIDE_INT strip_constant_offset (tree *base);

} // namespace memprof::plugin

#endif
