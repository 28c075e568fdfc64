/* layout_notes.cc - what an object file says about the layout of records.
   SPDX-License-Identifier: GPL-3.0-or-later

   Three things are noted: the types that the unit defines, with their places; obstacles, which
   type_facts.cc has found in the code; and which records the variables and functions are about that the
   unit shares with others.  A unit that has moved a field also refers to a symbol that only the check
   at link time defines, so that a link without it fails.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/sites/function_names.h"
#include "plugin/tables/record_types.h"
#include "plugin/tables/source_text.h"
#include "plugin/tables/unit_rows.h"
#include "plugin/use/objects/layout_notes.h"
#include "plugin/use/objects/unit_findings.h"

namespace memprof::plugin {

namespace {

auto_vec<char> notes;
hash_set<tree> *noted;
bool moved_any;

bool
wanted_p ()
{
  return options.move_fields && !options.ignored_obstacle && !in_lto_p && !looking_p ();
}

void
add (const char *text)
{
  for (; *text; text++)
    notes.safe_push (*text);
}

void ATTRIBUTE_PRINTF_1
add_line (const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  char *line = xvasprintf (format, arguments);
  va_end (arguments);
  add (line);
  free (line);
}

/* Adds the names of the records that TYPE is about, without those that can only be reached through their
   fields.  */

void
add_mentions (tree type)
{
  while (type && (POINTER_TYPE_P (type) || TREE_CODE (type) == ARRAY_TYPE))
    type = TREE_TYPE (type);
  if (!type)
    return;
  if (FUNC_OR_METHOD_TYPE_P (type))
    {
      add_mentions (TREE_TYPE (type));
      for (tree t = TYPE_ARG_TYPES (type); t; t = TREE_CHAIN (t))
	add_mentions (TREE_VALUE (t));
    }
  else if (RECORD_OR_UNION_TYPE_P (type))
    {
      text name;
      type_text (TYPE_MAIN_VARIANT (type), &name);
      if (*name.c_str ())
	add_line ("\t%s", name.c_str ());
    }
}

char *
place_text (location_t where)
{
  expanded_location at = expand_location (where);
  return at.file ? xasprintf ("%s:%d", remap_debug_filename (at.file), at.line)
		 : xstrdup ("");
}

/* PLUGIN_ALL_IPA_PASSES_START: what the unit shares is in the symbol table.  */

void
note_symbols (void *, void *)
{
  symtab_node *node;
  if (wanted_p ())
    FOR_EACH_SYMBOL (node)
      if (node->decl && TREE_PUBLIC (node->decl)
	  && !(TREE_CODE (node->decl) == FUNCTION_DECL
	       && fndecl_built_in_p (node->decl)))
	{
	  bool exported = node->definition
			  && DECL_VISIBILITY (node->decl) == VISIBILITY_DEFAULT;
	  add_line ("symbol\t%s\t%s", assembler_name (node->decl),
		    exported ? "exported" : node->definition ? "defined" : "used");
	  add_mentions (TREE_TYPE (node->decl));
	  add ("\n");
	}
}

void
note_obstacles ()
{
  using unit_tables::rows;
  const char *strings = rows.strings.bytes ().address ();
  for (const mprt_obstacle &o : rows.types.obstacles ())
    {
      const char *kind = strings + o.kind;
      if (strcmp (kind, "allocates") == 0)
	add_line ("allocates\t%s\n", strings + o.detail);
      else if (strcmp (kind, "external") != 0)
	add_line ("obstacle\t%s\t%s\t%s\t%s:%u\n", strings + rows.types.types ()[o.type].name,
		  kind, strings + o.detail, strings + o.file, o.line);
    }
}

} // anonymous namespace

void
note_layout (tree type, uint32_t key, uint32_t hash)
{
  if (!wanted_p ())
    return;
  if (!noted)
    noted = new hash_set<tree>;
  if (noted->add (type))
    return;
  moved_any |= hash != 0;
  text name;
  type_text (type, &name);
  char *place = place_text (definition_place (type));
  add_line ("type\t%s\t%08x\t%08x\t%s", name.c_str (), key, hash, place);
  free (place);
  for (tree f = TYPE_FIELDS (type); f; f = DECL_CHAIN (f))
    if (TREE_CODE (f) == FIELD_DECL)
      add_mentions (TREE_TYPE (f));
  add ("\n");
}

void
write_layout_notes ()
{
  if (!wanted_p () || !asm_out_file || flag_syntax_only || seen_error ())
    return;
  note_obstacles ();
  char *first = xasprintf ("unit\t%s\n", remap_debug_filename (main_input_filename));
  switch_to_section (get_section (".memprof.layouts", SECTION_DEBUG, NULL));
  ASM_OUTPUT_ASCII (asm_out_file, first, strlen (first));
  if (notes.length ())
    ASM_OUTPUT_ASCII (asm_out_file, notes.address (), notes.length ());
  if (moved_any)
    {
      switch_to_section (get_section (".memprof.checked", SECTION_DEBUG, NULL));
      fputs ("\t.quad\t__mprt_link_with_fprofile_mem_move_fields\n", asm_out_file);
    }
  free (first);
}

void
register_layout_notes (const char *plugin_name)
{
  register_callback (plugin_name, PLUGIN_ALL_IPA_PASSES_START, note_symbols, nullptr);
}

} // namespace memprof::plugin
