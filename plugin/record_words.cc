/* record_words.cc - the words of one record, each distinct address once.
   SPDX-License-Identifier: GPL-3.0-or-later

   An address is split into a base (a pointer or the address of a variable), a
   variable offset and a constant.  Accesses that differ only in the constant
   share a word; the constant stands in the descriptor.  The address of a global
   variable needs no word at all: it is a relocated constant of the
   descriptor.  */

#include "gcc-common.h"
#include "addressable.h"
#include "record_words.h"
#include "record_writer.h"
#include "runtime/wire/record.h"
#include "runtime_decls.h"

namespace memprof::plugin {

namespace {

/* Whether the address of DECL can be a constant of a descriptor.  A
   descriptor outlives its function: if the linker drops an inline function in
   favour of another copy, local symbols go with it; and if it drops a function
   that nobody calls, nobody may miss what only that function mentions.  */

bool
constant_address_p (tree decl)
{
  if (!VAR_P (decl) || !is_global_var (decl) || DECL_THREAD_LOCAL_P (decl)
      || DECL_WEAK (decl) || DECL_HAS_VALUE_EXPR_P (decl))
    return false;
  if (DECL_EXTERNAL (decl) || !TREE_STATIC (decl))
    return !flag_function_sections;
  return TREE_PUBLIC (decl) || !DECL_COMDAT_GROUP (current_function_decl);
}

bool
same_tree_p (tree x, tree y)
{
  return x == y || (x && y && operand_equal_p (x, y, 0));
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
  return word == MPRT_BASE_ABSOLUTE ? address_word (symbol, constant)
				    : word_constant (constant);
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
  for (unsigned i = 0; i < keys_.length (); i++)
    if (keys_[i].base && same_tree_p (keys_[i].base, base)
	&& same_tree_p (keys_[i].offset, offset))
      {
	result.word = i + 1;
	return result;
      }
  tree word = runtime ().word;
  tree address = fold_convert (word, unshare_expr (base));
  if (offset)
    address = fold_build2 (PLUS_EXPR, word, address,
			   fold_convert (word, unshare_expr (offset)));
  result.word = add_value (place, address);
  keys_.last ().base = base;
  keys_.last ().offset = offset;
  return result;
}

unsigned
record_words::add_value (gimple *place, tree value)
{
  words_.safe_push (force_word (place, value));
  keys_.safe_push (key ());
  return words_.length ();
}

} // namespace memprof::plugin
