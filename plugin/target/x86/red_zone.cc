/* red_zone.cc - the pass memprof_red_zone: a statement may call.
   SPDX-License-Identifier: GPL-3.0-or-later

   A function that calls nothing may keep its variables in the 128 bytes below the
   stack pointer, the red zone of the x86-64 ABI.  GCC does not look into asm
   statements, so a call in one would overwrite them with its return address.
   Moving the stack pointer over them first,

     addq $-128, %rsp
     call __mprt_slow_preserving

   is correct until a thread is unwound between the two: the unwind information
   of the function finds its frame by the stack pointer where there is no frame
   pointer, and the statement cannot say how, since it does not know by what.  So
   the functions with such statements have no red zone:

     call __mprt_slow_preserving

   GCC uses the red zone in functions whose stack pointer stays where it is
   (ix86_compute_frame_layout).  This pass runs after the one that finds out
   whether it does, and says that it moves.  A function with a small frame then
   has two instructions more, which make and release it.  */

#include "plugin/gcc-common.h"
#include "plugin/target/x86/red_zone.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

namespace {

hash_set<tree> functions_that_call;

class red_zone_pass : public rtl_opt_pass
{
public:
  red_zone_pass (gcc::context *context) : rtl_opt_pass (k_data, context) {}

  // Two lists of passes have it, that of -O0 among them.
  opt_pass *clone () final override { return new red_zone_pass (m_ctxt); }

  bool
  gate (function *fun) final override
  {
    return functions_that_call.contains (fun->decl);
  }

  unsigned
  execute (function *) final override
  {
    crtl->sp_is_unchanging = false;
    return 0;
  }

private:
  static const pass_data k_data;
};

const pass_data red_zone_pass::k_data
  = { RTL_PASS, "memprof_red_zone", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0 };

} // anonymous namespace

void
leave_red_zone_unused ()
{
  functions_that_call.add (current_function_decl);
}

void
processor::register_passes (const char *plugin_name)
{
  insert_pass_after (plugin_name, new red_zone_pass (g), k_pass_stack_pointer_moves);
}

} // namespace memprof::plugin
