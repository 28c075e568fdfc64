/* record_code.cc - which statements of a function only serve records.
   SPDX-License-Identifier: GPL-3.0-or-later

   Of a function that is instrumented, for unprofiled_body.cc and shared_blocks.cc.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/record_code.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

namespace {

/* Whether an operand of CODE is the runtime's cursor.  */

bool
has_cursor_p (gasm *code)
{
  for (unsigned i = 0; i < gimple_asm_ninputs (code); i++)
    if (room_p (TREE_VALUE (gimple_asm_input_op (code, i))))
      return true;
  return false;
}

} // anonymous namespace

bool
serves_records_p (gimple *stmt)
{
  const runtime_decls &rt = runtime ();
  if (gasm *code = dyn_cast<gasm *> (stmt))
    return processor::rare_record_p (code) || has_cursor_p (code)
	   || processor::serves_record_p (code);
  if (gcall *call = dyn_cast<gcall *> (stmt))
    {
      tree decl = gimple_call_fndecl (call);
      return decl
	     && (decl == rt.slow || decl == rt.order || decl == rt.compared);
    }
  if (!gimple_assign_single_p (stmt))
    return false;
  tree to = gimple_assign_lhs (stmt), from = gimple_assign_rhs1 (stmt);
  return room_p (to) || room_p (from) || from == rt.last_ticket
	 || from == rt.guard_ticket
	 || (TREE_CODE (to) == MEM_REF && TREE_TYPE (to) == rt.record_word);
}

bool
counts_work_p (gimple *stmt)
{
  if (gasm *code = dyn_cast<gasm *> (stmt))
    return gimple_asm_ninputs (code) != 0
	   && TREE_VALUE (gimple_asm_input_op (code, 0)) == runtime ().work;
  return gimple_store_p (stmt) && gimple_get_lhs (stmt) == runtime ().work;
}

bool
sample_call_p (gimple *stmt)
{
  gcall *call = dyn_cast<gcall *> (stmt);
  tree callee = call ? gimple_call_fndecl (call) : NULL_TREE;
  return callee
	 && (callee == runtime ().loop_sample || callee == runtime ().call_sample);
}

} // namespace memprof::plugin
