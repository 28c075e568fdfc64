/* object_root.h - in which object an access lies, as far as the language says.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_OBJECT_ROOT_H
#define MEMPROF_OBJECT_ROOT_H

#include "plugin/sites/access_sites.h"

namespace memprof::plugin {

/* Two accesses with equal roots touch one object as long as the root has one
   value: a pointer that an SSA name holds, or a variable.  */
struct object_root
{
  enum root_kind
  {
    NONE,			/* not known */
    NAME,			/* what the SSA name `of' points to */
    VARIABLE,			/* the variable `of', at a constant address */
    FRAME,			/* this frame; `of' is one of its variables */
    OTHER			/* the variable `of', somewhere */
  };

  root_kind kind = NONE;
  tree of = NULL_TREE;

  bool
  operator== (const object_root &other) const
  {
    return kind == other.kind && (kind == FRAME || of == other.of);
  }
};

/* The root of what SITE touches, if nothing but the place of the access is
   reported of it.  */
object_root root_of (const access_site &site);

/* Whether ROOT has one value while LOOP runs.  */
bool invariant_p (const object_root &root, class loop *loop);

} // namespace memprof::plugin

#endif
