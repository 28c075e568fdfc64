/* type_memory.cc - the memory that records lie in.
   SPDX-License-Identifier: GPL-3.0-or-later

   Of the search described in type_facts.cc: whether a pointer is to new memory of the program's own, and
   whether that is a number of whole records.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/function_names.h"
#include "plugin/sites/alloc_sites.h"
#include "plugin/tables/type_memory.h"

#include <sys/mman.h>

namespace memprof::plugin {

bool
whole_records_p (tree bytes, tree record)
{
  if (!COMPLETE_TYPE_P (record) || !tree_fits_uhwi_p (TYPE_SIZE_UNIT (record))
      || integer_zerop (TYPE_SIZE_UNIT (record)))
    return false;
  unsigned HOST_WIDE_INT size = tree_to_uhwi (TYPE_SIZE_UNIT (record));
  if (TREE_CODE (bytes) == INTEGER_CST)
    return tree_fits_uhwi_p (bytes) && tree_to_uhwi (bytes) % size == 0;
  gassign *def = TREE_CODE (bytes) == SSA_NAME
		   ? dyn_cast<gassign *> (SSA_NAME_DEF_STMT (bytes))
		   : nullptr;
  if (!def)
    return false;
  if (CONVERT_EXPR_CODE_P (gimple_assign_rhs_code (def))
      || gimple_assign_rhs_code (def) == SSA_NAME)
    return whole_records_p (gimple_assign_rhs1 (def), record);
  if (gimple_assign_rhs_code (def) == MULT_EXPR)
    return whole_records_p (gimple_assign_rhs2 (def), record);
  return false;
}

bool
new_memory::contains (tree value, unsigned depth) const
{
  if (integer_zerop (value))
    return true;
  if (TREE_CODE (value) != SSA_NAME || depth > 8)
    return false;
  gimple *def = SSA_NAME_DEF_STMT (value);
  if (calls_.contains (def))
    return true;
  if (gassign *assign = dyn_cast<gassign *> (def))
    return (gimple_assign_rhs_code (assign) == SSA_NAME
	    || gimple_assign_rhs_code (assign) == POINTER_PLUS_EXPR
	    || CONVERT_EXPR_CODE_P (gimple_assign_rhs_code (assign)))
	   && contains (gimple_assign_rhs1 (assign), depth + 1);
  gphi *phi = dyn_cast<gphi *> (def);
  if (!phi)
    return false;
  for (unsigned i = 0; i < gimple_phi_num_args (phi); i++)
    if (gimple_phi_arg_def (phi, i) != value
	&& !contains (gimple_phi_arg_def (phi, i), depth + 1))
      return false;
  return true;
}

namespace {

/* Whether CALL maps memory in which others may see what is written: only a private mapping
   without a file is the program's own.  */

bool
shared_mapping_p (gcall *call)
{
  tree callee = gimple_call_fndecl (call);
  const char *name = callee ? assembler_name (callee) : "";
  if (strcmp (name, "shmat") == 0 || strcmp (name, "mremap") == 0)
    return true;
  if (strcmp (name, "mmap") != 0 && strcmp (name, "mmap64") != 0)
    return false;
  if (gimple_call_num_args (call) < 4
      || !tree_fits_uhwi_p (gimple_call_arg (call, 3)))
    return true;
  unsigned HOST_WIDE_INT flags = tree_to_uhwi (gimple_call_arg (call, 3));
  return (flags & MAP_SHARED) || !(flags & MAP_PRIVATE) || !(flags & MAP_ANONYMOUS);
}

} // anonymous namespace

bool
makes_whole_p (gcall *stmt, tree record)
{
  tree callee = gimple_call_fndecl (stmt);
  const char *name = callee ? assembler_name (callee) : "";
  unsigned first = 0, end = gimple_call_num_args (stmt);
  // Where an argument is the alignment, the place of the size is known.
  if (strcmp (name, "aligned_alloc") == 0 || strcmp (name, "memalign") == 0
      || strcmp (name, "mmap") == 0 || strcmp (name, "mmap64") == 0)
    first = 1, end = MIN (end, 2);
  else if (strcmp (name, "posix_memalign") == 0)
    first = 2;
  else if (startswith (name, "_Znwm") || startswith (name, "_Znam"))
    end = MIN (end, 1);
  for (unsigned i = first; i < end; i++)
    {
      tree bytes = gimple_call_arg (stmt, i);
      if (INTEGRAL_TYPE_P (TREE_TYPE (bytes)) && !integer_zerop (bytes)
	  && whole_records_p (bytes, record))
	return true;
    }
  return false;
}

void
new_memory::start (function *fun)
{
  auto_vec<gcall *> calls;
  find_alloc_calls (fun, calls);
  for (gcall *call : calls)
    if (!shared_mapping_p (call))
      calls_.add (call);
}

gcall *
new_memory::odd_size (tree value, tree record, unsigned depth) const
{
  if (TREE_CODE (value) != SSA_NAME || depth > 8)
    return nullptr;
  gimple *def = SSA_NAME_DEF_STMT (value);
  if (gcall *stmt = dyn_cast<gcall *> (def))
    return makes_whole_p (stmt, record) ? nullptr : stmt;
  if (gassign *assign = dyn_cast<gassign *> (def))
    return odd_size (gimple_assign_rhs1 (assign), record, depth + 1);
  if (gphi *phi = dyn_cast<gphi *> (def))
    for (unsigned i = 0; i < gimple_phi_num_args (phi); i++)
      if (gimple_phi_arg_def (phi, i) != value)
	if (gcall *stmt = odd_size (gimple_phi_arg_def (phi, i), record, depth + 1))
	  return stmt;
  return nullptr;
}

} // namespace memprof::plugin
