/* function_names.cc - the name that identifies a function in its source file.
   SPDX-License-Identifier: GPL-3.0-or-later

   The assembler name tells the functions of a source file apart, but for static functions
   GCC makes it unique with numbers, and some of these change when anything is added to the
   file.  A profile shall hold for a function as long as that function is the same.  So

     name in the assembler		    name in the profile
     insert				    insert
     insert.constprop.0, insert.part.1      the same: counted for each function
     main._omp_fn.0, main._omp_fn.1	    the same
     visit.7, nested in sort		    sort.visit: 7 counts all such names of the file
     visit.9, in another block of sort	    sort.visit#2
     _ZN9._anon_711fEv, of a class	    _ZN9._anon_1fEv: 71 counts all types
       without a name
     copy.lto_priv.3			    copy: the number counts copies of several files
     copy.lto_priv.4, of the same file	    copy#2: the file was compiled twice

   All functions are named when the first name is asked for, right after GCC's
   interprocedural passes: both compiles have the same functions then.  Those with equal
   names are numbered in the order of the source, those of one place (a macro) in that of
   GCC's numbers.

   With -flto a compile sees one partition, and functions in two of them may share a name.
   There the number of `visit.7' remains, sort.visit.7: it is unique in the source file.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/function_names.h"
#include "plugin/sites/name_family.h"

namespace memprof::plugin {

namespace {

using uid_hash = int_hash<unsigned, 0, UINT_MAX>;

struct named_function
{
  tree decl;
  const char *file;
  const char *assembler_name;
  char *name;			/* in the profile */
};

struct names_of_compile
{
  bool made;
  hash_map<uid_hash, const char *> by_decl;
  hash_set<nofree_string_hash> taken;	/* "file:name" */
  hash_map<nofree_string_hash, unsigned> families; /* "file:family", members */
};

names_of_compile &
names ()
{
  static names_of_compile *all;
  if (!all)
    all = new names_of_compile ();
  return *all;
}

/* The functions around DECL, outermost first: "outer.inner.", or "".  A body that GCC has
   taken out of a function lies in that function and has its name already.  */

char *
names_around (tree decl)
{
  tree outer = DECL_CONTEXT (decl);
  while (outer && TREE_CODE (outer) != FUNCTION_DECL)
    outer = get_containing_scope (outer);
  if (!outer)
    return xstrdup ("");
  char *further = names_around (outer);
  const char *outer_name = assembler_name (outer);
  size_t length = strlen (outer_name);
  if (strncmp (assembler_name (decl), outer_name, length) == 0
      && assembler_name (decl)[length] == '.')
    return further;
  char *name = name_without_numbers (outer_name, "", false);
  char *all = concat (further, name, ".", NULL);
  free (further);
  free (name);
  return all;
}

char *
in_file (const char *file, const char *name)
{
  return concat (file, ":", name, NULL);
}

/* Gives FUNCTION, which is called NAME but for others of that name, its name.  */

const char *
give_name (const named_function &function)
{
  names_of_compile &all = names ();
  char *name = function.name;
  char *key = in_file (function.file, name);
  for (unsigned i = 2; all.taken.contains (key); i++)
    {
      free (key);
      name = xasprintf ("%s#%u", function.name, i);
      key = in_file (function.file, name);
    }
  all.taken.add (key);
  all.by_decl.put (DECL_UID (function.decl), name);
  char *family = name_family (name);
  all.families.get_or_insert (in_file (function.file, family))++;
  free (family);
  return name;
}

named_function
unnamed_function (tree decl)
{
  named_function function
    = { decl, source_file (decl), assembler_name (decl), nullptr };
  char *around = names_around (decl);
  function.name = name_without_numbers (function.assembler_name, around,
					in_lto_p);
  free (around);
  return function;
}

int
compare_functions (const void *a, const void *b)
{
  const named_function *x = static_cast<const named_function *> (a);
  const named_function *y = static_cast<const named_function *> (b);
  if (int order = strcmp (x->file, y->file))
    return order;
  if (int order = strcmp (x->name, y->name))
    return order;
  expanded_location at_x = expand_location (DECL_SOURCE_LOCATION (x->decl));
  expanded_location at_y = expand_location (DECL_SOURCE_LOCATION (y->decl));
  if (at_x.line != at_y.line)
    return at_x.line < at_y.line ? -1 : 1;
  if (at_x.column != at_y.column)
    return at_x.column < at_y.column ? -1 : 1;
  return strverscmp (x->assembler_name, y->assembler_name);
}

/* Names all functions that this compile will emit.  */

void
make_names ()
{
  auto_vec<named_function> functions;
  cgraph_node *node;
  FOR_EACH_DEFINED_FUNCTION (node)
    if (!node->alias && !node->inlined_to && !node->in_other_partition)
      functions.safe_push (unnamed_function (node->decl));
  functions.qsort (compare_functions);
  for (const named_function &function : functions)
    give_name (function);
}

} // anonymous namespace

const char *
assembler_name (tree decl)
{
  return targetm.strip_name_encoding (
    IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (decl)));
}

const char *
source_file (const_tree decl)
{
  const_tree unit = get_ultimate_context (decl);
  const char *name = unit && DECL_NAME (unit)
		       ? IDENTIFIER_POINTER (DECL_NAME (unit))
		       : main_input_filename;
  return name ? remap_debug_filename (name) : "";
}

const char *
function_name_in_profile (tree decl)
{
  names_of_compile &all = names ();
  if (!all.made)
    make_names ();
  all.made = true;
  // GCC has made it since, like a constructor.
  const char **name = all.by_decl.get (DECL_UID (decl));
  return name ? *name : give_name (unnamed_function (decl));
}

bool
alone_in_family_p (tree decl)
{
  char *family = name_family (function_name_in_profile (decl));
  char *key = in_file (source_file (decl), family);
  bool alone = *names ().families.get (key) == 1;
  free (key);
  free (family);
  return alone;
}

} // namespace memprof::plugin
