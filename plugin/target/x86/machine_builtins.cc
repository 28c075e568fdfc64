/* machine_builtins.cc - x86: what built-in functions of the machine do to memory.
   SPDX-License-Identifier: GPL-3.0-or-later

   GCC knows these functions as instructions, and their memory operands as pointers.  So their
   declared types tell what they do, where that is enough: a pointer to a constant is loaded
   from, another one stored to, as many bytes as it points to.

     __builtin_ia32_movntdq256 (v4di *, v4di)		a store of 32 bytes
     __builtin_ia32_vbroadcastsd256 (const double *)	a load of 8 bytes

   machine_builtins.def has those where it is not.  Of what a mask selects each lane is an access
   of its own, since no other is exact:

     __builtin_ia32_gathersiv8si (v, p, {i0, ..., i7}, all, 4)
       8 loads of 4 bytes, at p + 4 * i0 ...
     __builtin_ia32_maskstoreps256 (p, {m0, ..., m7}, v)
       8 stores, at p, p + 4 ..., of 4 bytes where the mask is negative, else of none

   Lanes that a constant mask leaves out are none, and those side by side that it selects are
   one.  What is pointed to by `void *' or `char *' (xsave, clflush) is not known.  */

#include "plugin/gcc-common.h"
#include "plugin/target/target.h"

#include <fnmatch.h>

namespace memprof::plugin {

namespace {

enum shape { WHOLE, LANES, PACKED, FIRST, INDEXED };

struct row
{
  const char *name;
  mprt_op op;
  enum shape shape;
  int pointer, mask, value;
};

const row rows[] = {
#define MACHINE(name, op, shape, pointer, mask, value)                         \
  { name, MPRT_OP_##op, shape, pointer, mask, value },
#include "plugin/target/x86/machine_builtins.def"
#undef MACHINE
};

const char k_prefix[] = "__builtin_ia32_";

const char *
machine_name (tree decl)
{
  const char *name = DECL_NAME (decl) ? IDENTIFIER_POINTER (DECL_NAME (decl))
				      : "";
  return startswith (name, k_prefix) ? name + sizeof k_prefix - 1 : "";
}

/* The type of argument NUMBER of CALL, or of its result if that is -1.  */

tree
operand_type (gcall *call, int number)
{
  return number < 0 ? gimple_call_return_type (call)
		    : TREE_TYPE (gimple_call_arg (call, number));
}

unsigned
lanes_of (tree type)
{
  return VECTOR_TYPE_P (type) ? TYPE_VECTOR_SUBPARTS (type).to_constant () : 1;
}

/* Lane NUMBER of VECTOR as a value of the integer type that is as wide.  */

tree
lane (tree vector, unsigned number)
{
  tree element = TREE_TYPE (TREE_TYPE (vector));
  unsigned bits = tree_to_uhwi (TYPE_SIZE (element));
  tree type = build_nonstandard_integer_type (bits, 0);
  if (TREE_CODE (vector) == VECTOR_CST)
    return fold_build1 (VIEW_CONVERT_EXPR, type,
			vector_cst_elt (vector, number));
  return build3 (BIT_FIELD_REF, type, vector, bitsize_int (bits),
		 bitsize_int (number * bits));
}

/* Whether MASK is what a comparison of equal constants gives, by which immintrin.h says "all"
   of floating-point lanes.  */

bool
compares_equal_p (tree mask)
{
  if (TREE_CODE (mask) != SSA_NAME)
    return false;
  gcall *call = dyn_cast<gcall *> (SSA_NAME_DEF_STMT (mask));
  tree decl = call ? gimple_call_fndecl (call) : NULL_TREE;
  return decl && fndecl_built_in_p (decl, BUILT_IN_MD)
	 && startswith (machine_name (decl), "cmpp")
	 && gimple_call_num_args (call) == 3
	 && integer_zerop (gimple_call_arg (call, 2))
	 && TREE_CODE (gimple_call_arg (call, 0)) == VECTOR_CST
	 && operand_equal_p (gimple_call_arg (call, 0),
			     gimple_call_arg (call, 1));
}

/* Whether MASK selects lane NUMBER: a boolean, often constant.  */

tree
selected (tree mask, unsigned number)
{
  if (compares_equal_p (mask))
    return boolean_true_node;
  if (VECTOR_TYPE_P (TREE_TYPE (mask)))
    {
      tree value = lane (mask, number);
      return fold_build2 (LT_EXPR, boolean_type_node, value,
			  build_zero_cst (TREE_TYPE (value)));
    }
  tree type = long_long_unsigned_type_node;
  tree bit = build_int_cst (type, HOST_WIDE_INT_1U << number);
  return fold_build2 (NE_EXPR, boolean_type_node,
		      fold_build2 (BIT_AND_EXPR, type, fold_convert (type, mask),
				   bit),
		      build_zero_cst (type));
}

/* The access of BYTES bytes at ADDRESS + OFFSET if CONDITION.  */

machine_access
access_if (tree condition, mprt_op op, tree address, tree offset,
	   HOST_WIDE_INT bytes)
{
  if (integer_onep (condition))
    return { op, address, offset, bytes, NULL_TREE };
  tree length = build2 (MULT_EXPR, size_type_node,
			fold_convert (size_type_node, condition),
			size_int (bytes));
  return { op, address, offset, 0, length };
}

/* Adds the lanes of ROW's value that its mask selects.  */

void
add_lanes (gcall *call, const row &row, vec<machine_access> &accesses)
{
  tree type = operand_type (call, row.value);
  if (!VECTOR_TYPE_P (type))
    return;
  tree address = gimple_call_arg (call, row.pointer);
  tree mask = gimple_call_arg (call, row.mask);
  HOST_WIDE_INT bytes = tree_to_uhwi (TYPE_SIZE_UNIT (TREE_TYPE (type)));
  unsigned lanes = row.shape == FIRST ? 1 : lanes_of (type);
  bool joins = false;
  for (unsigned i = 0; i < lanes; i++)
    {
      tree condition = selected (mask, i);
      if (joins && integer_onep (condition))
	accesses.last ().width += bytes;
      else if (!integer_zerop (condition))
	accesses.safe_push (access_if (condition, row.op, address,
				       i ? size_int (i * bytes) : NULL_TREE,
				       bytes));
      joins = integer_onep (condition);
    }
}

/* Adds the lanes of a gather or a scatter.  */

void
add_indexed (gcall *call, const row &row, vec<machine_access> &accesses)
{
  if (gimple_call_num_args (call) != 5)
    return;
  tree type = operand_type (call, row.value);
  tree address = gimple_call_arg (call, row.pointer);
  tree mask = gimple_call_arg (call, row.mask);
  tree index = gimple_call_arg (call, 2);
  tree scale = fold_convert (sizetype, gimple_call_arg (call, 4));
  if (!VECTOR_TYPE_P (type) || !VECTOR_TYPE_P (TREE_TYPE (index)))
    return;
  HOST_WIDE_INT bytes = tree_to_uhwi (TYPE_SIZE_UNIT (TREE_TYPE (type)));
  unsigned lanes = MIN (lanes_of (type), lanes_of (TREE_TYPE (index)));
  for (unsigned i = 0; i < lanes; i++)
    {
      tree condition = selected (mask, i);
      if (integer_zerop (condition))
	continue;
      tree offset = fold_build2 (MULT_EXPR, sizetype,
				 fold_convert (sizetype, lane (index, i)), scale);
      accesses.safe_push (access_if (condition, row.op, address, offset, bytes));
    }
}

/* Adds as many lanes of ROW's value as its mask selects.  */

void
add_packed (gcall *call, const row &row, vec<machine_access> &accesses)
{
  tree type = operand_type (call, row.value);
  if (!VECTOR_TYPE_P (type))
    return;
  tree mask = gimple_call_arg (call, row.mask);
  tree bytes = size_zero_node;
  for (unsigned i = 0; i < lanes_of (type); i++)
    bytes = size_binop (PLUS_EXPR, bytes,
			fold_convert (sizetype, selected (mask, i)));
  bytes = size_binop (MULT_EXPR, bytes, TYPE_SIZE_UNIT (TREE_TYPE (type)));
  HOST_WIDE_INT width = tree_fits_uhwi_p (bytes) ? tree_to_uhwi (bytes) : 0;
  accesses.safe_push ({ row.op, gimple_call_arg (call, row.pointer), NULL_TREE,
			width, width ? NULL_TREE : bytes });
}

} // anonymous namespace

void
processor::machine_accesses (gcall *call, vec<machine_access> &accesses)
{
  tree decl = gimple_call_fndecl (call);
  if (!decl || !fndecl_built_in_p (decl, BUILT_IN_MD))
    return;
  const char *name = machine_name (decl);
  int last = gimple_call_num_args (call) - 1;
  for (const row &r : rows)
    if (fnmatch (r.name, name, 0) == 0 && MAX (r.pointer, MAX (r.mask, r.value)) <= last
	&& POINTER_TYPE_P (operand_type (call, r.pointer)))
      {
	if (r.shape == WHOLE)
	  accesses.safe_push (
	    { r.op, gimple_call_arg (call, r.pointer), NULL_TREE,
	      int_size_in_bytes (operand_type (call, r.value)), NULL_TREE });
	else if (r.shape == INDEXED)
	  add_indexed (call, r, accesses);
	else if (r.shape == PACKED)
	  add_packed (call, r, accesses);
	else
	  add_lanes (call, r, accesses);
	return;
      }
  processor::declared_accesses (call, accesses);
}

} // namespace memprof::plugin
