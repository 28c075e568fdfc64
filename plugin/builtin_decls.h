/* builtin_decls.h - built-in functions that a front end may not have declared.
   SPDX-License-Identifier: GPL-3.0-or-later

   Fortran's leaves out most of them.  */

#ifndef MEMPROF_BUILTIN_DECLS_H
#define MEMPROF_BUILTIN_DECLS_H

namespace memprof::plugin {

/* __builtin_dwarf_cfa, the canonical frame address of DWARF: as good as
   __builtin_frame_address to tell frames apart, and leaves GCC the frame
   pointer's register.  */
tree frame_address_decl ();
tree prefetch_decl (); /* __builtin_prefetch */

} // namespace memprof::plugin

#endif
