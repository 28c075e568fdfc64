/* alloc_site_asm.h - the asm statements that name an allocation site, for a port to fill in.
   SPDX-License-Identifier: GPL-3.0-or-later

   There are two statements for each call that allocates, in both bodies of a function.  As
   assignments to memory they would be stores like any other, and passes whose time is the number of stores
   times that of strings or of expressions (strlen, PRE) would take six times as long.  So they are
   asm statements:

     old = alloc_site
     alloc_site = old ? old : site
     p = malloc (n);
     alloc_site = old

   They read the variable, as far as GCC knows, and are volatile: they stay where they are among calls.
   That they write it need not be known, because nothing else reads it.  */

#ifndef MEMPROF_ALLOC_SITE_ASM_H
#define MEMPROF_ALLOC_SITE_ASM_H

#include "plugin/target/asm_builder.h"
#include "plugin/sites/runtime_decls.h"

namespace memprof::plugin {

/* Before CALL, TEXT: %0 becomes the value before, %1 is a register to use, %2 the variable, %3 the SITE,
   with CONSTRAINT.  Returns the value before.  */

inline tree
name_site_by (gcall *call, const char *text, const char *constraint, tree site)
{
  const runtime_decls &rt = runtime ();
  tree old = make_ssa_name (rt.word);
  asm_builder code;
  code.add_output (old);
  code.add_output (make_ssa_name (rt.word));
  code.add_input ("m", rt.alloc_site);
  code.add_input (constraint, site);
  code.add_text (text);
  gimple_stmt_iterator gsi = gsi_for_stmt (call);
  gsi_insert_before (&gsi, code.build (), GSI_SAME_STMT);
  return old;
}

/* Before PLACE, TEXT: %0 is OLD, %1 the variable, which becomes OLD.  */

inline void
restore_site_by (gimple *place, const char *text, tree old)
{
  asm_builder code;
  code.add_input ("r", old);
  code.add_input ("m", runtime ().alloc_site);
  code.add_text (text);
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, code.build (false), GSI_SAME_STMT);
}

} // namespace memprof::plugin

#endif
