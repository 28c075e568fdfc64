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
   where the program must not let it.  */

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

unsigned
record_words::add_value (gimple *place, tree value)
{
  words_.safe_push (force_word (place, value));
  return words_.length ();
}

} // namespace memprof::plugin
