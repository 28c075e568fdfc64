/* jump_asm.cc - x86-64: a function that jumps to another one.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/target/comdat_function.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

/* It reaches 2 GB.  */

bool
processor::jumps_possible_p ()
{
  return TARGET_64BIT && ix86_cmodel != CM_LARGE && ix86_cmodel != CM_LARGE_PIC;
}

void
processor::write_jump (const char *name, const char *replaced, const char *instead)
{
  begin_comdat_function (name, "@function", "", replaced);
  if (flag_cf_protection & CF_BRANCH)
    fputs ("\tendbr64\n", asm_out_file);
  if (replaced)
    fprintf (asm_out_file,
	     "\tmovq\t%s@GOTPCREL(%%rip), %%rax\n"
	     "\ttestq\t%%rax, %%rax\n"
	     "\tje\t1f\n"
	     "\tjmp\t*%%rax\n"
	     "1:\n",
	     replaced);
  if (instead)
    fprintf (asm_out_file, "\tjmp\t%s@PLT\n", instead);
  else
    fputs ("\tret\n", asm_out_file);
  end_comdat_function (name);
}

} // namespace memprof::plugin
