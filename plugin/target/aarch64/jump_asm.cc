/* jump_asm.cc - AArch64: a function that jumps to another one.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/target/comdat_function.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

/* It reaches 128 MB; the linker makes a veneer where that is not enough.  Not with 32 bits in a pointer.  */

bool
processor::jumps_possible_p ()
{
  return POINTER_SIZE == 64;
}

/* x16 is the register for jumps between functions: one that is called may change it.  */

void
processor::write_jump (const char *name, const char *replaced, const char *instead)
{
  begin_comdat_function (name, "%function", "\t.align\t2\n", replaced);
  /* bti c, which is no operation where branches are not checked.  */
  fputs ("\thint\t34\n", asm_out_file);
  if (replaced)
    fprintf (asm_out_file,
	     "\tadrp\tx16, :got:%1$s\n"
	     "\tldr\tx16, [x16, #:got_lo12:%1$s]\n"
	     "\tcbz\tx16, 1f\n"
	     "\tbr\tx16\n"
	     "1:\n",
	     replaced);
  if (instead)
    fprintf (asm_out_file, "\tb\t%s\n", instead);
  else
    fputs ("\tret\n", asm_out_file);
  end_comdat_function (name);
}

} // namespace memprof::plugin
