/* source_facts.cc - what the front end folds away about the layout of records.
   SPDX-License-Identifier: GPL-3.0-or-later

   Obstacles (type_facts.cc) that are no longer there in GIMPLE:

     struct s x = { 1, .name = "x" };	initialiser
     offsetof (struct s, name)		offsetof
     &((struct s *) 0)->name		offsetof

   Initialisers: in C, the front end sorts what a designator names by the places of
   fields, which never ends when these do not rise.  { 0 } is fine.  They are
   looked for in variables and, before it is made GIMPLE, in each function.

     &p->name < &p->other			address-order
     asm ("lea table, %rax");		asm

   offsetof and comparisons of addresses in one object are numbers as soon as they have been read, and no
   event of the front end tells.  So the text of the source and of the user's headers is read again
   (source_scan.h).  What is found in a macro may be about any type: then all types of the unit have the
   obstacle.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/function_names.h"
#include "plugin/tables/source_facts.h"
#include "plugin/tables/record_types.h"
#include "plugin/tables/source_scan.h"
#include "plugin/tables/unit_tables.h"

namespace memprof::plugin {

namespace {

hash_map<nofree_string_hash, tree> names;
tree kept;			/* a list of these types */

const ggc_root_tab roots[] = { { &kept, 1, sizeof (tree),
				 &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
			       LAST_GGC_ROOT_TAB };

void
obstacle (tree type, const char *kind, const char *detail, location_t where)
{
  type = TYPE_MAIN_VARIANT (type);
  if (user_record_p (type))
    unit_tables::add_obstacle (type, kind, detail, where);
}

/* Walks what is about to become GIMPLE, or the value of a variable.  */

tree
look_for_initialiser (tree *at, int *, void *data)
{
  location_t where = *static_cast<location_t *> (data);
  tree value = *at;
  if (TREE_CODE (value) != CONSTRUCTOR || !TREE_TYPE (value)
      || TREE_CODE (TREE_TYPE (value)) != RECORD_TYPE
      || CONSTRUCTOR_NELTS (value) == 0)
    return NULL_TREE;
  const constructor_elt &first = (*CONSTRUCTOR_ELTS (value))[0];
  if (CONSTRUCTOR_NELTS (value) > 1 || !initializer_zerop (first.value))
    obstacle (TREE_TYPE (value), "initialiser", "", where);
  return NULL_TREE;
}

void
see_function (void *event_data, void *)
{
  tree decl = static_cast<tree> (event_data);
  location_t where = DECL_SOURCE_LOCATION (decl);
  if (DECL_SAVED_TREE (decl))
    walk_tree_without_duplicates (&DECL_SAVED_TREE (decl),
				  look_for_initialiser, &where);
}

/* Addresses of fields and conversions in the value of a static variable.  */

tree
look_for_address (tree *at, int *, void *data)
{
  location_t where = *static_cast<location_t *> (data);
  tree value = *at;
  if (TREE_CODE (value) == ADDR_EXPR)
    for (tree ref = TREE_OPERAND (value, 0); handled_component_p (ref);
	 ref = TREE_OPERAND (ref, 0))
      if (TREE_CODE (ref) == COMPONENT_REF)
	obstacle (TREE_TYPE (TREE_OPERAND (ref, 0)), "field-address", "", where);
  if (CONVERT_EXPR_P (value) && POINTER_TYPE_P (TREE_TYPE (value)))
    for (tree type : { TREE_TYPE (value), TREE_TYPE (TREE_OPERAND (value, 0)) })
      if (POINTER_TYPE_P (type) && RECORD_OR_UNION_TYPE_P (TREE_TYPE (type))
	  && !integer_zerop (TREE_OPERAND (value, 0)))
	obstacle (TREE_TYPE (type), "cast", "of an address", where);
  return NULL_TREE;
}

void
see_declaration (void *event_data, void *)
{
  tree decl = static_cast<tree> (event_data);
  if (!decl || !VAR_P (decl))
    return;
  location_t where = DECL_SOURCE_LOCATION (decl);
  if (TREE_THIS_VOLATILE (decl)
      && TREE_CODE (strip_array_types (TREE_TYPE (decl))) == RECORD_TYPE)
    obstacle (strip_array_types (TREE_TYPE (decl)), "volatile", "", where);
  tree value = DECL_INITIAL (decl);
  if (!value || value == error_mark_node)
    return;
  walk_tree_without_duplicates (&DECL_INITIAL (decl), look_for_initialiser,
				&where);
  if (TREE_STATIC (decl))
    walk_tree_without_duplicates (&DECL_INITIAL (decl), look_for_address,
				  &where);
}

void
all_types (const char *kind, const char *detail)
{
  for (tree t = kept; t; t = TREE_CHAIN (t))
    obstacle (TREE_VALUE (t), kind, detail, UNKNOWN_LOCATION);
}

/* What is found in the text of the sources goes to the types of the unit.  */
class text_obstacles : public text_listener
{
public:
  void
  offsetof_type (const char *name) final override
  {
    if (tree *type = names.get (name))
      obstacle (*type, "offsetof", "", definition_place (*type));
    else
      all_types ("offsetof", "in a macro");
  }

  void
  address_compared (const char *field) final override
  {
    if (!field)
      all_types ("address-order", "in a macro");
    else
      for (tree t = kept; t; t = TREE_CHAIN (t))
	if (has_field_p (TREE_VALUE (t), field))
	  obstacle (TREE_VALUE (t), "address-order", field,
		    definition_place (TREE_VALUE (t)));
  }

  void
  named_in_asm (const char *name) final override
  {
    if (!name)
      all_types ("asm", "in a macro");
    else
      asm_names.add (xstrdup (name));
  }

  /* Once all has been read: the variables and functions that assembler code names.  */
  void
  finish ()
  {
    symtab_node *node;
    if (!asm_names.is_empty ())
      FOR_EACH_SYMBOL (node)
	if (node->decl && asm_names.contains (assembler_name (node->decl)))
	  named (TREE_TYPE (node->decl), DECL_SOURCE_LOCATION (node->decl));
  }

private:
  static bool
  has_field_p (tree type, const char *field)
  {
    for (tree f = TYPE_FIELDS (type); f; f = DECL_CHAIN (f))
      if (TREE_CODE (f) == FIELD_DECL && DECL_NAME (f)
	  && strcmp (IDENTIFIER_POINTER (DECL_NAME (f)), field) == 0)
	return true;
    return false;
  }

  static void
  named (tree type, location_t where)
  {
    while (POINTER_TYPE_P (type) || TREE_CODE (type) == ARRAY_TYPE)
      type = TREE_TYPE (type);
    if (RECORD_OR_UNION_TYPE_P (type))
      obstacle (type, "asm", "", where);
    if (FUNC_OR_METHOD_TYPE_P (type))
      {
	named (TREE_TYPE (type), where);
	for (tree t = TYPE_ARG_TYPES (type); t; t = TREE_CHAIN (t))
	  named (TREE_VALUE (t), where);
      }
  }

  hash_set<nofree_string_hash> asm_names;
};

/* The text of FILE, in malloc memory; null if it cannot be read.  */

char *
read_text (const char *file)
{
  FILE *in = fopen (file, "r");
  if (!in)
    return nullptr;
  auto_vec<char> text;
  char part[8192];
  while (size_t n = fread (part, 1, sizeof part, in))
    {
      unsigned at = text.length ();
      text.safe_grow (at + n);
      memcpy (text.address () + at, part, n);
    }
  fclose (in);
  text.safe_push ('\0');
  return xstrdup (text.address ());
}

/* PLUGIN_ALL_IPA_PASSES_START: everything has been read.  */

void
scan_files (void *, void *)
{
  if (in_lto_p || !kept)
    return;
  hash_set<nofree_string_hash> done;
  text_obstacles found;
  for (unsigned i = 0; i < LINEMAPS_ORDINARY_USED (line_table); i++)
    {
      const line_map_ordinary *map = LINEMAPS_ORDINARY_MAP_AT (line_table, i);
      const char *file = ORDINARY_MAP_FILE_NAME (map);
      if (!file || *file == '<' || ORDINARY_MAP_IN_SYSTEM_HEADER_P (map)
	  || done.add (file))
	continue;
      if (char *text = read_text (file))
	{
	  scan_text (text, found);
	  free (text);
	}
      else
	all_types ("offsetof", "in a macro");
    }
  found.finish ();
}

} // anonymous namespace

void
name_type (const char *name, tree type)
{
  bool known;
  char *copy = xstrdup (startswith (name, "struct ") ? name + 7 : name);
  names.get_or_insert (copy, &known) = type;
  if (known)
    free (copy);
  kept = tree_cons (NULL_TREE, type, kept);
}

void
register_source_facts (const char *plugin_name)
{
  register_callback (plugin_name, PLUGIN_REGISTER_GGC_ROOTS, nullptr,
		     const_cast<ggc_root_tab *> (roots));
  register_callback (plugin_name, PLUGIN_PRE_GENERICIZE, see_function, nullptr);
  register_callback (plugin_name, PLUGIN_FINISH_DECL, see_declaration, nullptr);
  register_callback (plugin_name, PLUGIN_ALL_IPA_PASSES_START, scan_files,
		     nullptr);
}

} // namespace memprof::plugin
