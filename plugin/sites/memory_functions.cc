/* memory_functions.cc - finds what a call does to memory.
   SPDX-License-Identifier: GPL-3.0-or-later

   Two kinds of lookup: built-in functions by their code, and the library
   functions that GCC has no code for by assembler name, provided that their
   body is elsewhere.  A program's own `read' that is defined in this unit is an
   ordinary instrumented function.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/memory_functions.h"
#include "plugin/sites/scanf_format.h"

namespace memprof::plugin {

namespace {

#define BUILTIN(code, op, ...)                                                 \
  { BUILT_IN_##code, nullptr, MPRT_OP_##op, __VA_ARGS__ },
#define CHK(code, op, ...)                                                     \
  { BUILT_IN_##code, nullptr, MPRT_OP_##op, __VA_ARGS__ },
#define NAMED(code, op, ...) { code, nullptr, MPRT_OP_##op, __VA_ARGS__ },
#define EXTERNAL(name, ...)                                                    \
  { END_BUILTINS, name, MPRT_OP_EXTERNAL_STORE, __VA_ARGS__ },

const memory_function rows[] = {
#include "plugin/sites/memory_functions.def"
  { 0, nullptr, MPRT_OP_LOAD, ADDRESS_ARG, 0, LENGTH_CONSTANT, 0, 0 }
};

#undef BUILTIN
#undef CHK
#undef NAMED
#undef EXTERNAL

/* The code of the function that -D_FORTIFY_SOURCE's CODE represents.  The
   first arguments agree, except that the printf family gets flags and a size
   before the format, where no row looks.  */

built_in_function
unchecked (built_in_function code)
{
  switch (code)
    {
#define BUILTIN(code, ...)
#define EXTERNAL(...)
#define CHECKED(code)                                                          \
  case BUILT_IN_##code##_CHK:                                                  \
    return BUILT_IN_##code;
    CHECKED (MEMCPY)
    CHECKED (MEMPCPY)
    CHECKED (MEMMOVE)
    CHECKED (MEMSET)
    CHECKED (STRCPY)
    CHECKED (STPCPY)
    CHECKED (STRNCPY)
    CHECKED (STPNCPY)
    CHECKED (STRCAT)
    CHECKED (STRNCAT)
    CHECKED (SPRINTF)
    CHECKED (VSPRINTF)
    CHECKED (SNPRINTF)
    CHECKED (VSNPRINTF)
#undef CHECKED
    default:
      return code;
    }
}

bool
same_function_p (const memory_function *x, const memory_function *y)
{
  return x->code == y->code
	 && (x->name == y->name
	     || (x->name && y->name && strcmp (x->name, y->name) == 0));
}

/* Index in `rows' of the first row of each built-in function, or -1.  */

const short *
rows_by_code ()
{
  static short *table;
  if (!table)
    {
      table = XNEWVEC (short, END_BUILTINS);
      memset (table, -1, END_BUILTINS * sizeof (short));
      for (size_t i = ARRAY_SIZE (rows) - 1; i-- > 0;)
	if (rows[i].code < END_BUILTINS)
	  table[rows[i].code] = i;
    }
  return table;
}

/* For each group of atomic built-ins _N, _1, _2, _4, _8, _16 that starts at
   FIRST: the width of CODE, or 0 if it does not belong to the group.  */

HOST_WIDE_INT
width_in_group (built_in_function code, built_in_function first)
{
  int index = code - first;
  return index >= 1 && index <= 5 ? HOST_WIDE_INT_1 << (index - 1) : 0;
}

struct atomic_group
{
  built_in_function first, last;
  bool loads, stores, if_exchanged;
};

/* The built-ins stand in groups of six in sync-builtins.def.  */
const atomic_group atomic_groups[] = {
  { BUILT_IN_ATOMIC_LOAD_N, BUILT_IN_ATOMIC_LOAD_16, true, false, false },
  { BUILT_IN_ATOMIC_STORE_N, BUILT_IN_ATOMIC_STORE_16, false, true, false },
  { BUILT_IN_ATOMIC_EXCHANGE_N, BUILT_IN_ATOMIC_EXCHANGE_16, true, true,
    false },
  { BUILT_IN_ATOMIC_COMPARE_EXCHANGE_N, BUILT_IN_ATOMIC_COMPARE_EXCHANGE_16,
    true, true, true },
  { BUILT_IN_ATOMIC_ADD_FETCH_N, BUILT_IN_ATOMIC_FETCH_OR_16, true, true,
    false },
  { BUILT_IN_SYNC_FETCH_AND_ADD_N, BUILT_IN_SYNC_NAND_AND_FETCH_16, true, true,
    false },
  { BUILT_IN_SYNC_BOOL_COMPARE_AND_SWAP_N,
    BUILT_IN_SYNC_BOOL_COMPARE_AND_SWAP_16, true, true, true },
  { BUILT_IN_SYNC_VAL_COMPARE_AND_SWAP_N,
    BUILT_IN_SYNC_VAL_COMPARE_AND_SWAP_16, true, true, true },
  { BUILT_IN_SYNC_LOCK_TEST_AND_SET_N, BUILT_IN_SYNC_LOCK_TEST_AND_SET_16,
    true, true, false },
  { BUILT_IN_SYNC_LOCK_RELEASE_N, BUILT_IN_SYNC_LOCK_RELEASE_16, false, true,
    false }
};

/* Whether a call of a function that merely has the name of ROW's has the
   arguments and the result that ROW looks at.  */

bool
external_row_fits_p (gcall *call, const memory_function *row)
{
  unsigned args = gimple_call_num_args (call);
  unsigned highest = row->argument;
  switch (row->length)
    {
    case LENGTH_CONSTANT:
    case LENGTH_STRING_AFTER:
    case LENGTH_IF_RESULT:
      break;
    case LENGTH_RESULT_NUL_TIMES:
      highest = MAX (highest, row->b);
      break;
    case LENGTH_IF_NO_ERROR:
      highest = MAX (highest, row->a);
      break;
    default:
      highest = MAX (highest, MAX (row->a, row->b));
    }
  if (highest >= args
      || !POINTER_TYPE_P (TREE_TYPE (gimple_call_arg (call, row->argument))))
    return false;
  tree result = gimple_call_return_type (call);
  return !row->needs_result_p () || INTEGRAL_TYPE_P (result)
	 || POINTER_TYPE_P (result);
}

/* The same for all rows of ROW's function, of which it is the first.  */

bool
external_rows_fit_p (gcall *call, const memory_function *row)
{
  for (const memory_function *other = row; same_function_p (row, other); other++)
    if (!external_row_fits_p (call, other))
      return false;
  return true;
}

} // anonymous namespace

const memory_function *
first_memory_function (gcall *call)
{
  if (gimple_call_internal_p (call))
    return nullptr;
  tree decl = gimple_call_fndecl (call);
  if (!decl)
    return nullptr;
  if (fndecl_built_in_p (decl, BUILT_IN_NORMAL))
    {
      if (!gimple_call_builtin_p (call, BUILT_IN_NORMAL))
	return nullptr;
      built_in_function code = DECL_FUNCTION_CODE (decl);
      if (const memory_function *row = scanf_rows (call, code))
	return row;
      int row = rows_by_code ()[unchecked (code)];
      // GCC has codes for some that are below by name, like strftime.
      if (row >= 0)
	return &rows[row];
    }
  if (!TREE_PUBLIC (decl) || !DECL_EXTERNAL (decl) || !DECL_NAME (decl))
    return nullptr;
  const char *name = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (decl));
  name += *name == '*';
  for (const memory_function *row = rows; row->code; row++)
    if (row->name && strcmp (row->name, name) == 0)
      return external_rows_fit_p (call, row) ? row : nullptr;
  return nullptr;
}

const memory_function *
next_memory_function (const memory_function *row)
{
  return same_function_p (row, row + 1) ? row + 1 : nullptr;
}

tree
memory_function_address (gcall *call, const memory_function *row)
{
  return row->address == ADDRESS_RESULT
	   ? NULL_TREE
	   : gimple_call_arg (call, row->argument);
}

tree
memory_function_length (gcall *call, const memory_function *row)
{
  switch (row->length)
    {
    case LENGTH_CONSTANT:
      return size_int (row->a);
    case LENGTH_ARG:
      return gimple_call_arg (call, row->a);
    case LENGTH_VA_LIST:
      return size_int (int_size_in_bytes (va_list_type_node));
    default:
      return NULL_TREE;
    }
}

bool
atomic_access_p (gcall *call, atomic_access *access)
{
  *access = {};
  if (gimple_call_internal_p (call))
    {
      if (gimple_call_internal_fn (call) != IFN_ATOMIC_COMPARE_EXCHANGE)
	return false;
      // The low byte of the flag argument is the width.
      access->width = tree_to_uhwi (gimple_call_arg (call, 3)) & 255;
      access->loads = access->stores = access->if_exchanged = true;
      return true;
    }
  if (!gimple_call_builtin_p (call, BUILT_IN_NORMAL))
    return false;
  built_in_function code = DECL_FUNCTION_CODE (gimple_call_fndecl (call));
  for (const atomic_group &group : atomic_groups)
    if (code >= group.first && code <= group.last)
      {
	built_in_function first = static_cast<built_in_function> (
	  group.first + (code - group.first) / 6 * 6);
	access->width = width_in_group (code, first);
	access->loads = group.loads;
	access->stores = group.stores;
	access->if_exchanged = group.if_exchanged;
	access->expected = first == BUILT_IN_ATOMIC_COMPARE_EXCHANGE_N;
	return access->width != 0;
      }
  if (code == BUILT_IN_ATOMIC_TEST_AND_SET || code == BUILT_IN_ATOMIC_CLEAR)
    {
      access->width = 1;
      access->loads = code == BUILT_IN_ATOMIC_TEST_AND_SET;
      access->stores = true;
      return true;
    }
  return false;
}

namespace {

/* The order that argument NUMBER of CALL asks for; the strongest if only the run
   knows.  */

atomic_order
order_argument (gcall *call, unsigned number)
{
  tree order = gimple_call_arg (call, number);
  switch (tree_fits_uhwi_p (order)
	    ? memmodel_base (memmodel (tree_to_uhwi (order)))
	    : MEMMODEL_SEQ_CST)
    {
    case MEMMODEL_RELAXED:
      return { false, false };
    case MEMMODEL_CONSUME:
    case MEMMODEL_ACQUIRE:
      return { false, true };
    case MEMMODEL_RELEASE:
      return { true, false };
    default:
      return { true, true };
    }
}

/* The variable at ADDRESS if the compiler made it, like the guard of a local
   static; or null.  */

tree
own_variable (tree address)
{
  if (TREE_CODE (address) != ADDR_EXPR)
    return NULL_TREE;
  tree base = get_base_address (TREE_OPERAND (address, 0));
  return base && VAR_P (base) && DECL_ARTIFICIAL (base) ? base : NULL_TREE;
}

} // anonymous namespace

atomic_order
atomic_order_of (gcall *call)
{
  atomic_access access;
  if (gimple_call_internal_p (call))
    return atomic_access_p (call, &access) ? order_argument (call, 4)
					   : atomic_order {};
  if (!gimple_call_builtin_p (call, BUILT_IN_NORMAL))
    return {};
  built_in_function code = DECL_FUNCTION_CODE (gimple_call_fndecl (call));
  if (code == BUILT_IN_ATOMIC_THREAD_FENCE)
    return order_argument (call, 0);
  if (code == BUILT_IN_SYNC_SYNCHRONIZE)
    return { true, true };
  // Of any size, in libatomic, which has locks.
  if (code == BUILT_IN_ATOMIC_LOAD || code == BUILT_IN_ATOMIC_STORE
      || code == BUILT_IN_ATOMIC_EXCHANGE
      || code == BUILT_IN_ATOMIC_COMPARE_EXCHANGE)
    return { code != BUILT_IN_ATOMIC_LOAD, code != BUILT_IN_ATOMIC_STORE };
  if (!atomic_access_p (call, &access)
      || own_variable (gimple_call_arg (call, 0)))
    return {};
  atomic_order order = { true, true };
  if (code >= BUILT_IN_SYNC_LOCK_TEST_AND_SET_N
      && code <= BUILT_IN_SYNC_LOCK_TEST_AND_SET_16)
    order.release = false;
  else if (access.expected)
    order = order_argument (call, 4);
  else if (code == BUILT_IN_ATOMIC_TEST_AND_SET || code == BUILT_IN_ATOMIC_CLEAR
	   || (code >= BUILT_IN_ATOMIC_LOAD_N
	       && code <= BUILT_IN_ATOMIC_LOAD_16))
    order = order_argument (call, 1);
  else if ((code >= BUILT_IN_ATOMIC_STORE_N && code <= BUILT_IN_ATOMIC_STORE_16)
	   || (code >= BUILT_IN_ATOMIC_EXCHANGE_N
	       && code <= BUILT_IN_ATOMIC_EXCHANGE_16)
	   || (code >= BUILT_IN_ATOMIC_ADD_FETCH_N
	       && code <= BUILT_IN_ATOMIC_FETCH_OR_16))
    order = order_argument (call, 2);
  // What is only stored releases, what is only loaded acquires.
  order.release &= access.stores;
  order.acquire &= access.loads;
  return order;
}

tree
guard_looked_at (gimple *stmt)
{
  // Its first byte, or the whole of it, of which one bit counts (targetm.cxx.guard_mask_bit).
  if (!gimple_call_builtin_p (stmt, BUILT_IN_NORMAL))
    return NULL_TREE;
  const built_in_function code = DECL_FUNCTION_CODE (gimple_call_fndecl (stmt));
  if (code < BUILT_IN_ATOMIC_LOAD_1 || code > BUILT_IN_ATOMIC_LOAD_16)
    return NULL_TREE;
  tree guard = own_variable (gimple_call_arg (stmt, 0));
  return guard && is_global_var (guard) ? guard : NULL_TREE;
}

} // namespace memprof::plugin
