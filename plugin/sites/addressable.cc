/* addressable.cc - take the address of a variable for one function only.
   SPDX-License-Identifier: GPL-3.0-or-later

   GIMPLE wants TREE_ADDRESSABLE on every variable whose address is taken.  On
   a static variable the bit also tells alias analysis that pointers may point
   to it, in this and in every function compiled later: those would be
   optimised less than without the plugin, and differently in the generate and
   in the use compile.  Nothing is ever read or written through the addresses
   that the plugin takes, so the bit goes away again when the function is
   finished.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/addressable.h"

namespace memprof::plugin {

namespace {

/* Variables to be reset after this function; they belong to the symbol table,
   which keeps them.  */
auto_vec<tree> borrowed;

void
reset (void *, void *)
{
  for (tree decl : borrowed)
    TREE_ADDRESSABLE (decl) = 0;
  borrowed.truncate (0);
}

} // anonymous namespace

void
make_addressable (tree decl)
{
  if (!DECL_P (decl) || TREE_ADDRESSABLE (decl))
    return;
  if (is_global_var (decl))
    borrowed.safe_push (decl);
  TREE_ADDRESSABLE (decl) = 1;
}

void
register_addressable (const char *plugin_name)
{
  register_callback (plugin_name, PLUGIN_ALL_PASSES_END, reset, nullptr);
}

} // namespace memprof::plugin
