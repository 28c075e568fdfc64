/* globals.cc - the global variables that this unit defines.
   SPDX-License-Identifier: GPL-3.0-or-later

   Named and unnamed variables, static ones of functions and constant tables
   too.  Not thread-local variables, which have no one address, and not what
   is in a COMDAT group without being public: the linker may drop it.  */

#include <algorithm>
#include <tuple>

#include "plugin/gcc-common.h"
#include "plugin/tables/globals.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/tables/source_text.h"

namespace memprof::plugin {

namespace {

bool
listed_p (tree decl)
{
  return TREE_ASM_WRITTEN (decl) && known_address_p (decl);
}

/* Whether rows X and Y would be one group: static variables of blocks or of macros that have a
   name and a line in common.  */

bool
same_name_p (const mprt_global &x, const mprt_global &y)
{
  return x.name == y.name && x.file == y.file && x.line == y.line && x.type == y.type;
}

/* Tells the variables DECLS apart that have the same name, in the order of the source:
   `count', `count#2', ...  */

void
number_equal_names (string_pool &strings, auto_vec<mprt_global> &rows, const vec<tree> &decls)
{
  auto_vec<unsigned> order;
  for (unsigned i = 0; i < rows.length (); i++)
    order.safe_push (i);
  std::sort (order.begin (), order.end (), [&] (unsigned i, unsigned j) {
    const mprt_global &x = rows[i], &y = rows[j];
    auto key = [&] (const mprt_global &r, unsigned row) {
      return std::make_tuple (r.name, r.file, r.line, r.type, DECL_UID (decls[row]));
    };
    return key (x, i) < key (y, j);
  });
  uint32_t plain = 0;
  unsigned equal = 0;
  for (unsigned k = 1; k < order.length (); k++)
    {
      mprt_global before = rows[order[k - 1]];
      mprt_global &row = rows[order[k]];
      if (equal)
	before.name = plain;
      equal = same_name_p (before, row) ? equal + 1 : 0;
      if (!equal)
	continue;
      plain = row.name;
      char *name = xasprintf ("%s#%u", printable_name (decls[order[k]]), equal + 1);
      row.name = strings.add (name);
      free (name);
    }
}

} // anonymous namespace

variable_words::variable_words (tree decl)
  : name (printable_name (decl))
{
  expanded_location at = expand_location (DECL_SOURCE_LOCATION (decl));
  file = at.file ? remap_debug_filename (at.file) : "";
  line = at.line;
  type_text (TREE_TYPE (decl), &type);
}

bool
known_address_p (tree decl)
{
  if (DECL_EXTERNAL (decl) || DECL_THREAD_LOCAL_P (decl) || DECL_IN_CONSTANT_POOL (decl)
      || !DECL_SIZE_UNIT (decl) || !tree_fits_uhwi_p (DECL_SIZE_UNIT (decl))
      || integer_zerop (DECL_SIZE_UNIT (decl)))
    return false;
  if (!TREE_PUBLIC (decl) && DECL_COMDAT_GROUP (decl))
    return false;
  // Our own tables.
  const char *name = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (decl));
  return strncmp (name, "__memprof_", 10) != 0;
}

void
list_globals (string_pool &strings, auto_vec<mprt_global> &rows,
	      auto_vec<tree> &addresses)
{
  auto_vec<tree> decls;
  varpool_node *node;
  FOR_EACH_DEFINED_VARIABLE (node)
    {
      tree decl = node->decl;
      if (node->alias || !listed_p (decl))
	continue;
      mprt_global row = {};
      const variable_words words (decl);
      unsigned HOST_WIDE_INT bytes = tree_to_uhwi (DECL_SIZE_UNIT (decl));
      row.name = strings.add (words.name);
      row.file = strings.add (words.file);
      row.line = words.line;
      row.type = strings.add (words.type.c_str ());
      row.bytes_low = bytes;
      row.bytes_high = bytes >> 32;
      rows.safe_push (row);
      decls.safe_push (decl);
      addresses.safe_push (address_word (decl, 0));
    }
  number_equal_names (strings, rows, decls);
}

} // namespace memprof::plugin
