/* alloc_asm.cc - AArch64: names an allocation site to the runtime (alloc_site_asm.h).
   SPDX-License-Identifier: GPL-3.0-or-later

     ldr old, [alloc_site]
     cmp old, 0
     csel value, site, old, eq
     str value, [alloc_site]
     bl malloc
     str old, [alloc_site]  */

#include "plugin/gcc-common.h"
#include "plugin/target/alloc_site_asm.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

tree
processor::name_site (gcall *call, tree site)
{
  return name_site_by (call, "ldr\t%0, %2\n\tcmp\t%0, 0\n\tcsel\t%1, %3, %0, eq\n\tstr\t%1, %2", "r",
		       site);
}

void
processor::restore_site (gimple *place, tree old)
{
  restore_site_by (place, "str\t%0, %1", old);
}

} // namespace memprof::plugin
