/* builtin_decls.h - a built-in function that a front end may not have declared.
   SPDX-License-Identifier: GPL-3.0-or-later

   Fortran's leaves it out.  */

#ifndef MEMPROF_BUILTIN_DECLS_H
#define MEMPROF_BUILTIN_DECLS_H

namespace memprof::plugin {

tree prefetch_decl ();		/* __builtin_prefetch */

} // namespace memprof::plugin

#endif
