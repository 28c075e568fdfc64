/* alloc_asm.cc - x86-64: names an allocation site to the runtime (alloc_site_asm.h).
   SPDX-License-Identifier: GPL-3.0-or-later

     movq %fs:alloc_site, old
     leaq site, value
     testq old, old
     cmovneq old, value
     movq value, %fs:alloc_site
     call malloc
     movq old, %fs:alloc_site  */

#include "plugin/gcc-common.h"
#include "plugin/target/alloc_site_asm.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

tree
processor::name_site (gcall *call, tree site)
{
  return name_site_by (call,
		       "{movq\t%2, %0|mov\t%0, %2}\n"
		       "\t{leaq\t%3, %1|lea\t%1, %3}\n"
		       "\t{testq\t%0, %0|test\t%0, %0}\n"
		       "\t{cmovneq\t%0, %1|cmovne\t%1, %0}\n"
		       "\t{movq\t%1, %2|mov\t%2, %1}",
		       "m", unshare_expr (TREE_OPERAND (site, 0)));
}

void
processor::restore_site (gimple *place, tree old)
{
  restore_site_by (place, "{movq\t%0, %1|mov\t%1, %0}", old);
}

} // namespace memprof::plugin
