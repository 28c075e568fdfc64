/* countdown_asm.cc - x86-64: what counts down in memory, and asks the runtime.
   SPDX-License-Identifier: GPL-3.0-or-later

   What takes GCC up to six instructions and two registers (countdown.cc) is one asm statement,
   whose answer is a flag:

     left = countdown			subq $1, %fs:countdown
     less = left - 1			negative = the sign flag
     countdown = less
     negative = (signed) less < 0

   Where nothing is subtracted, it is `cmpq $0, %fs:countdown'.

   That the runtime is asked is rare, so it must be small, and leave the registers around it
   alone: it is the call of a stub that saves them (slow_stubs.cc).

     weight = MAX (weight - first, 1)	leaq weight, %rax
     answer = __mprt_burst ()		call __mprt_entry_preserving
     on = answer != 0			on = the zero flag is clear

   Code for AVX cannot call stubs (record_asm.cc), and asks as on the left.  */

#include "plugin/gcc-common.h"
#include "plugin/target/asm_builder.h"
#include "plugin/target/x86/slow_stubs.h"
#include "plugin/target/target.h"
#include "plugin/sites/runtime_decls.h"

namespace memprof::plugin {

gimple *
processor::build_burst_call (tree on, tree weight)
{
  if (!stub_fits_p ())
    return nullptr;
  asm_builder code;
  code.add_output (on, "=@ccnz");
  code.add_output (make_ssa_name (runtime ().word), "=a");
  if (weight)
    {
      code.add_input ("1", build_fold_addr_expr (weight));
      add_stub_call (code, "entry", ENTRY_STUB);
    }
  else
    add_stub_call (code, "burst", BURST_STUB);
  return code.build (false);
}

gimple *
processor::build_countdown (tree negative, tree variable, tree minus)
{
  asm_builder code;
  code.add_output (negative, "=@ccs");
  code.add_input ("m", variable);
  if (minus)
    code.add_input ("er", minus);
  code.add_line (minus ? "{subq\t%%2, %%1|sub\t%%1, %%2}"
		       : "{cmpq\t$0, %%1|cmp\t%%1, 0}",
		 0);
  return code.build (false);
}

} // namespace memprof::plugin
