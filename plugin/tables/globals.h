/* globals.h - the global variables that this unit defines.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_GLOBALS_H
#define MEMPROF_GLOBALS_H

#include "runtime/wire/site_table.h"
#include "plugin/tables/source_text.h"
#include "plugin/tables/string_pool.h"

namespace memprof::plugin {

/* A variable in the words of the profile.  */
struct variable_words
{
  explicit variable_words (tree decl);

  const char *name, *file;
  unsigned line;
  text type;
};

/* Whether the variable DECL has a size and one address, if it gets into the output.  */
bool known_address_p (tree decl);

/* At the end of the unit: appends a row and an initialiser word with the
   address of each variable that is in the output.  */
void list_globals (string_pool &strings, auto_vec<mprt_global> &rows,
		   auto_vec<tree> &addresses);

} // namespace memprof::plugin

#endif
