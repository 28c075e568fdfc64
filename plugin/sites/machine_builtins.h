/* machine_builtins.h - what built-in functions of the machine do to memory.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_MACHINE_BUILTINS_H
#define MEMPROF_MACHINE_BUILTINS_H

#include "runtime/wire/record.h"

namespace memprof::plugin {

/* One load or store: at ADDRESS + OFFSET (may be null), of WIDTH bytes, or of LENGTH if that
   is 0.  OFFSET and LENGTH may be expressions.  */
struct machine_access
{
  mprt_op op;
  tree address;
  tree offset;
  HOST_WIDE_INT width;
  tree length;
};

/* Appends what CALL, of a built-in function of the machine, loads and stores.  */
void machine_accesses (gcall *call, vec<machine_access> &accesses);

} // namespace memprof::plugin

#endif
