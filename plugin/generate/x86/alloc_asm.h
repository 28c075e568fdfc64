/* alloc_asm.h - x86-64: names an allocation site to the runtime.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_ALLOC_ASM_H
#define MEMPROF_ALLOC_ASM_H

namespace memprof::plugin {

/* __mprt_alloc_site becomes SITE, the address of a byte, unless it has a value.  OLD, which is made, is the
   value before.  */
gimple *build_name_site (tree site, tree *old);

/* __mprt_alloc_site becomes OLD.  */
gimple *build_restore_site (tree old);

} // namespace memprof::plugin

#endif
