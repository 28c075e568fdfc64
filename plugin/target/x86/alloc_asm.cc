/* alloc_asm.cc - x86-64: names an allocation site to the runtime.
   SPDX-License-Identifier: GPL-3.0-or-later

   There are two statements for each call that allocates, in both bodies of a function.  As
   assignments to memory they would be stores like any other, and passes whose time is the number of stores
   times that of strings or of expressions (strlen, PRE) would take six times as long.  So they are
   asm statements:

     movq %fs:alloc_site, old
     leaq site, value
     testq old, old
     cmovneq old, value
     movq value, %fs:alloc_site
     call malloc
     movq old, %fs:alloc_site

   They read the variable, as far as GCC knows, and are volatile: they stay where they are among calls.
   That they write it need not be known, because nothing else reads it.  */

#include "plugin/gcc-common.h"
#include "plugin/target/asm_builder.h"
#include "plugin/target/target.h"
#include "plugin/sites/runtime_decls.h"

namespace memprof::plugin {

tree
processor::name_site (gcall *call, tree site)
{
  const runtime_decls &rt = runtime ();
  tree old = make_ssa_name (rt.word);
  asm_builder code;
  code.add_output (old);
  code.add_output (make_ssa_name (rt.word));
  code.add_input ("m", rt.alloc_site);
  code.add_input ("m", unshare_expr (TREE_OPERAND (site, 0)));
  code.add_text ("{movq\t%2, %0|mov\t%0, %2}\n"
		 "\t{leaq\t%3, %1|lea\t%1, %3}\n"
		 "\t{testq\t%0, %0|test\t%0, %0}\n"
		 "\t{cmovneq\t%0, %1|cmovne\t%1, %0}\n"
		 "\t{movq\t%1, %2|mov\t%2, %1}");
  gimple_stmt_iterator gsi = gsi_for_stmt (call);
  gsi_insert_before (&gsi, code.build (), GSI_SAME_STMT);
  return old;
}

void
processor::restore_site (gimple *place, tree old)
{
  asm_builder code;
  code.add_input ("r", old);
  code.add_input ("m", runtime ().alloc_site);
  code.add_text ("{movq\t%0, %1|mov\t%1, %0}");
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, code.build (false), GSI_SAME_STMT);
}

} // namespace memprof::plugin
