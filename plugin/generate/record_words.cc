/* record_words.cc - the words of one record, each distinct address once.
   SPDX-License-Identifier: GPL-3.0-or-later

   An address is split into a base (a pointer or the address of a variable), a
   variable offset and a constant.  Accesses that differ only in the constant
   share a word; the constant stands in the descriptor.  The address of a global
   variable needs no word at all: it is a relocated constant of the
   descriptor.

   Where base or offset differ, their definitions may still say that they are a
   constant apart, as in unrolled code:

     _1 = i_5 + 8;  _2 = (long) _1;  _3 = _2 * 2;  _4 = a_6 + _3;  *_4
     _7 = i_5 + 9;  _8 = (long) _7;  _9 = _8 * 2;  ...

   GCC's affine sums follow the definitions back to a + 2 * i + 16 and
   a + 2 * i + 18.  They use that signed arithmetic does not overflow only
   where the program must not let it.

   Indices of narrow unsigned types may wrap around.  Of several addresses that
   differ in the constant that is added to such an index, one is in the record,
   with the index; the others are sums (runtime/wire/record.h).  */

#include "plugin/gcc-common.h"
#include "plugin/sites/addressable.h"
#include "plugin/generate/record_words.h"
#include "plugin/tables/descriptor_table.h"
#include "plugin/generate/record_writer.h"
#include "runtime/wire/record.h"
#include "plugin/sites/runtime_decls.h"

namespace memprof::plugin {

namespace {

bool
same_tree_p (tree x, tree y)
{
  return x == y || (x && y && operand_equal_p (x, y, 0));
}

/* Whether X and Y differ by a constant; *DIFFERENCE is X - Y.  */

bool
constant_apart_p (const aff_tree &x, const aff_tree &y,
		  HOST_WIDE_INT *difference)
{
  if (x.n != y.n || !same_tree_p (x.rest, y.rest))
    return false;
  for (unsigned i = 0; i < x.n; i++)
    {
      unsigned j = 0;
      while (j < y.n
	     && (x.elts[i].coef != y.elts[j].coef
		 || !same_tree_p (x.elts[i].val, y.elts[j].val)))
	j++;
      if (j == y.n)
	return false;
    }
  widest_int apart = (x.offset - y.offset).to_constant ();
  if (!wi::fits_shwi_p (apart))
    return false;
  *difference = apart.to_shwi ();
  return true;
}

} // anonymous namespace

HOST_WIDE_INT
strip_constant_offset (tree *base)
{
  HOST_WIDE_INT offset = 0;
  // A chain of `*p++' without a loop must not make this quadratic.
  for (int steps = 0; steps < 32 && TREE_CODE (*base) == SSA_NAME; steps++)
    {
      gimple *def = SSA_NAME_DEF_STMT (*base);
      if (!is_gimple_assign (def)
	  || gimple_assign_rhs_code (def) != POINTER_PLUS_EXPR
	  || TREE_CODE (gimple_assign_rhs1 (def)) != SSA_NAME
	  || SSA_NAME_OCCURS_IN_ABNORMAL_PHI (gimple_assign_rhs1 (def))
	  || !cst_and_fits_in_hwi (gimple_assign_rhs2 (def)))
	break;
      offset += int_cst_value (gimple_assign_rhs2 (def));
      *base = gimple_assign_rhs1 (def);
    }
  return offset;
}

tree
word_address::descriptor_word () const
{
  return word == MPRT_BASE_ABSOLUTE && symbol ? address_word (symbol, constant)
					      : word_constant (constant);
}

void
name_expansions::sum (tree base, tree offset, aff_tree *result)
{
  tree_to_aff_combination_expand (base, TREE_TYPE (base), result, &cache_);
  aff_combination_convert (result, sizetype);
  if (!offset)
    return;
  aff_tree more;
  tree_to_aff_combination_expand (offset, TREE_TYPE (offset), &more, &cache_);
  aff_combination_convert (&more, sizetype);
  aff_combination_add (result, &more);
}

const record_words::key *
record_words::find (tree base, tree offset) const
{
  for (const key &k : keys_)
    if (k.word > hidden_ && same_tree_p (k.base, base)
	&& same_tree_p (k.offset, offset))
      return &k;
  return nullptr;
}

const record_words::key *
record_words::find (const aff_tree &sum, HOST_WIDE_INT *difference) const
{
  for (const key &k : keys_)
    if (k.word > hidden_ && constant_apart_p (sum, k.sum, difference))
      return &k;
  return nullptr;
}

/* Whether the word of FRESH, which will be added next, differs from an earlier one
   only by the constant that an index has: then it may be left out later.  */

bool
record_words::add_sum (key &fresh)
{
  fresh.others = fresh.sum;
  fresh.indexed = take_narrow_index (&fresh.others, &fresh.index);
  if (!fresh.indexed)
    return false;
  HOST_WIDE_INT difference;
  for (unsigned i = 0; i < keys_.length (); i++)
    if (keys_[i].indexed && same_tree_p (keys_[i].index.variable, fresh.index.variable)
	&& keys_[i].index.bits == fresh.index.bits
	&& keys_[i].index.scale == fresh.index.scale
	&& constant_apart_p (fresh.others, keys_[i].others, &difference)
	&& difference == 0)
      {
	keys_[i].sums++;
	sums_.safe_push ({ words_.length () + 1, i,
			   sext_hwi (fresh.index.addend - keys_[i].index.addend,
				     fresh.index.bits) });
	return true;
      }
  return false;
}

word_address
record_words::add_address (gimple *place, tree base, tree offset,
			   HOST_WIDE_INT constant)
{
  word_address result = {};
  STRIP_NOPS (base);
  if (TREE_CODE (base) == SSA_NAME)
    constant += strip_constant_offset (&base);
  if (TREE_CODE (base) == ADDR_EXPR)
    {
      tree object = TREE_OPERAND (base, 0);
      if (!offset && DECL_P (object) && constant_address_p (object))
	{
	  result.word = MPRT_BASE_ABSOLUTE;
	  result.symbol = object;
	  result.constant = constant;
	  return result;
	}
      if (DECL_P (object))
	make_addressable (object);
    }
  result.constant = constant;
  if (const key *same = find (base, offset))
    {
      result.word = same->word;
      return result;
    }
  key fresh;
  fresh.base = base;
  fresh.offset = offset;
  expansions_.sum (base, offset, &fresh.sum);
  HOST_WIDE_INT difference;
  if (const key *near = find (fresh.sum, &difference))
    {
      result.word = near->word;
      result.constant += difference;
      return result;
    }
  fresh.indexed = false;
  fresh.sums = 0;
  if (sums_wanted_ && add_sum (fresh))
    // Others shall be sums of the same word.
    fresh.indexed = false;
  tree word = runtime ().word;
  tree address = fold_convert (word, unshare_expr (base));
  if (offset)
    address = fold_build2 (PLUS_EXPR, word, address,
			   fold_convert (word, unshare_expr (offset)));
  result.word = fresh.word = add_value (place, address);
  keys_.safe_push (fresh);
  return result;
}

void
record_words::truncate (unsigned count)
{
  words_.truncate (count);
  while (!keys_.is_empty () && keys_.last ().word > count)
    keys_.pop ();
}

void
record_words::take_sums (gimple *place, vec<tree> &entries, vec<tree> &sums)
{
  // The index has a word, too.
  const unsigned k_few_sums = 2;
  auto_vec<unsigned> index_words;
  for (const key &k : keys_)
    {
      index_words.safe_push (0);
      if (k.sums >= k_few_sums
	  && words_.length () < MPRT_MAX_RECORD_WORDS - 1)
	index_words.last () = add_value (
	  place, fold_convert (runtime ().word, unshare_expr (k.index.value)));
    }
  // By old number, from 1: the new one.
  auto_vec<unsigned> number;
  number.safe_grow_cleared (words_.length () + 1, true);
  unsigned left_out = 0;
  for (const sum_word &s : sums_)
    if (index_words[s.key])
      number[s.word] = words_.length () + 1, left_out++;
  if (left_out == 0)
    return;
  auto_vec<tree> sent;
  for (unsigned i = 1; i < number.length (); i++)
    if (number[i] == 0)
      {
	sent.safe_push (words_[i - 1]);
	number[i] = sent.length ();
      }
  for (const sum_word &s : sums_)
    if (index_words[s.key])
      {
	const key &k = keys_[s.key];
	sums.safe_push (word_constant (
	  MPRT_SUM (number[k.word], number[index_words[s.key]], k.index.bits,
		    k.index.scale, s.addend)));
	number[s.word] = sent.length () + sums.length ();
      }
  words_.truncate (0);
  words_.safe_splice (sent);
  for (unsigned i = 0; i < entries.length (); i += MPRT_BLOCK_ENTRY_WORDS)
    {
      unsigned HOST_WIDE_INT word = tree_to_uhwi (entries[i]);
      unsigned base = MPRT_ENTRY_BASE (word);
      if (base != MPRT_BASE_ABSOLUTE)
	base = number[base];
      entries[i] = word_constant (
	MPRT_ENTRY (MPRT_ENTRY_SITE (word), base,
		    number[MPRT_ENTRY_LENGTH_WORD (word)], MPRT_ENTRY_OP (word),
		    MPRT_ENTRY_WIDTH (word)));
    }
}

unsigned
record_words::add_value (gimple *place, tree value)
{
  words_.safe_push (force_word (place, value));
  return words_.length ();
}

} // namespace memprof::plugin
