/* alloc_asm.cc - AArch64: names an allocation site to the runtime.
   SPDX-License-Identifier: GPL-3.0-or-later

   As asm statements and not as assignments, for the reason that x86/alloc_asm.cc gives:

     ldr old, [alloc_site]
     cmp old, 0
     csel value, site, old, eq
     str value, [alloc_site]
     bl malloc
     str old, [alloc_site]  */

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
  code.add_input ("r", site);
  code.add_text ("ldr\t%0, %2\n\tcmp\t%0, 0\n\tcsel\t%1, %3, %0, eq\n\tstr\t%1, %2");
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
  code.add_text ("str\t%0, %1");
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, code.build (false), GSI_SAME_STMT);
}

} // namespace memprof::plugin
