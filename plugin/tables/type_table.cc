/* type_table.cc - the layout of the record types that the unit accesses.
   SPDX-License-Identifier: GPL-3.0-or-later

   `memprof layout' shows where the hot fields of a structure lie and proposes
   another order.  For that the profile needs the whole structure, also the
   fields that no site accesses.  Each field has a declaration in C that needs no
   other one and has the same size and alignment:

	source				declaration
	struct node *next;		struct node *next
	uint32_t flags : 3;		unsigned int flags : 3
	struct point pos;		_Alignas (8) unsigned char pos[16]
	int (*compare) (int, int);	void (*compare) (void)

   Unions, records of 4 GB and more, and those whose size is known only when the
   program runs have no rows.  Types that are incomplete have rows for their obstacles (type_facts.cc)
   only.  */

#include "plugin/gcc-common.h"
#include "plugin/tables/type_table.h"
#include "plugin/tables/record_types.h"
#include "plugin/tables/source_text.h"
#include "plugin/tables/string_pool.h"

namespace memprof::plugin {

namespace {

/* The outermost record that REF goes through, or null.  */

tree
record_of (tree ref)
{
  tree type = NULL_TREE;
  for (; handled_component_p (ref); ref = TREE_OPERAND (ref, 0))
    if (TREE_CODE (ref) == COMPONENT_REF)
      type = TREE_TYPE (TREE_OPERAND (ref, 0));
  return type && TREE_CODE (type) == RECORD_TYPE ? TYPE_MAIN_VARIANT (type)
						 : NULL_TREE;
}

bool
identifier_p (const char *s)
{
  if (!ISIDST (*s))
    return false;
  for (; *s; s++)
    if (!ISIDNUM (*s))
      return false;
  return true;
}

/* C's name of a scalar type; null if it has none.  */

const char *
scalar_name (tree type)
{
  unsigned bits = TREE_INT_CST_LOW (TYPE_SIZE (type));
  bool is_unsigned = TYPE_UNSIGNED (type);
  switch (TREE_CODE (type))
    {
    case BOOLEAN_TYPE:
      return bits == 8 ? "_Bool" : nullptr;
    case REAL_TYPE:
      return type == float_type_node	     ? "float"
	     : type == double_type_node	     ? "double"
	     : type == long_double_type_node ? "long double"
	     : bits == 32		     ? "float"
	     : bits == 64		     ? "double"
					     : nullptr;
    case INTEGER_TYPE:
    case ENUMERAL_TYPE:
      switch (bits)
	{
	case 8:
	  return type == char_type_node ? "char"
		 : is_unsigned		? "unsigned char"
					: "signed char";
	case 16: return is_unsigned ? "unsigned short" : "short";
	case 32: return is_unsigned ? "unsigned int" : "int";
	case 64: return is_unsigned ? "unsigned long" : "long";
	case 128: return is_unsigned ? "unsigned __int128" : "__int128";
	}
      return nullptr;
    default:
      return nullptr;
    }
}

/* The declaration of INNER, a declarator, as of TYPE; null if C cannot say it
   without other declarations.  In malloc memory.  */

char *
declare (tree type, const char *inner)
{
  type = TYPE_MAIN_VARIANT (type);
  if (TREE_CODE (type) == ARRAY_TYPE)
    {
      tree domain = TYPE_DOMAIN (type);
      tree last = domain ? TYPE_MAX_VALUE (domain) : NULL_TREE;
      if (last && TREE_CODE (last) != INTEGER_CST)
	return nullptr;
      char *outer
	= last ? xasprintf ("%s[" HOST_WIDE_INT_PRINT_DEC "]", inner,
			    int_cst_value (last) + 1)
	       : xasprintf ("%s[]", inner);
      char *result = declare (TREE_TYPE (type), outer);
      free (outer);
      return result;
    }
  if (POINTER_TYPE_P (type) && TYPE_PRECISION (type) == POINTER_SIZE)
    {
      tree target = TYPE_MAIN_VARIANT (TREE_TYPE (type));
      if (TREE_CODE (target) == FUNCTION_TYPE)
	return xasprintf ("void (*%s) (void)", inner);
      text name;
      type_text (target, &name);
      const char *tag = name.c_str ();
      if (startswith (tag, "struct "))
	tag += strlen ("struct ");
      if (TREE_CODE (target) == RECORD_TYPE && identifier_p (tag)
	  && !name.full_p ())
	return xasprintf ("struct %s *%s", tag, inner);
      if (const char *scalar = COMPLETE_TYPE_P (target) ? scalar_name (target)
							: nullptr)
	return xasprintf ("%s *%s", scalar, inner);
      return xasprintf ("void *%s", inner);
    }
  if (const char *scalar = COMPLETE_TYPE_P (type) ? scalar_name (type) : nullptr)
    return xasprintf ("%s %s", scalar, inner);
  return nullptr;
}

} // anonymous namespace

/* False if a place or a size is not constant.  */

bool
type_table::add_fields (string_pool &strings, tree type)
{
  unsigned number = 0;
  for (tree f = TYPE_FIELDS (type); f; f = DECL_CHAIN (f))
    {
      if (TREE_CODE (f) != FIELD_DECL)
	continue;
      number++;
      bool flexible = !DECL_SIZE (f);
      if (TREE_CODE (DECL_FIELD_OFFSET (f)) != INTEGER_CST
	  || (!flexible && !tree_fits_uhwi_p (DECL_SIZE (f))))
	return false;
      unsigned HOST_WIDE_INT at = int_bit_position (f);
      unsigned HOST_WIDE_INT bits
	= flexible ? 0 : tree_to_uhwi (DECL_SIZE (f));
      bool bit_field = DECL_BIT_FIELD_TYPE (f) != NULL_TREE;
      mprt_field row = {};
      row.offset = at / BITS_PER_UNIT;
      row.align = MAX (DECL_ALIGN_UNIT (f), 1);
      char *unnamed = xasprintf ("memprof_%u", number);
      const char *name
	= DECL_NAME (f) ? IDENTIFIER_POINTER (DECL_NAME (f)) : "";
      const char *inner = identifier_p (name) ? name : unnamed;
      char *declaration;
      if (bit_field)
	{
	  row.bit_offset = at % BITS_PER_UNIT;
	  row.bits = bits;
	  row.align = TYPE_ALIGN_UNIT (DECL_BIT_FIELD_TYPE (f));
	  char *outer = xasprintf ("%s : %u", *name ? inner : "", row.bits);
	  declaration = declare (DECL_BIT_FIELD_TYPE (f), outer);
	  free (outer);
	}
      else
	{
	  row.bytes = bits / BITS_PER_UNIT;
	  declaration = declare (TREE_TYPE (f), inner);
	}
      if (!declaration)
	declaration = xasprintf ("_Alignas (%u) unsigned char %s[%u]",
				 row.align, inner, row.bytes);
      row.name = strings.add (name);
      row.declaration = strings.add (declaration);
      fields_.safe_push (row);
      free (declaration);
      free (unnamed);
    }
  return true;
}

/* The row of TYPE; MPRT_NONE when it can have none.  */

unsigned
type_table::row_of (string_pool &strings, tree type)
{
  text name;
  if (type)
    {
      type_text (type, &name);
      if (!*name.c_str ()
	  || (COMPLETE_TYPE_P (type)
	      && (!tree_fits_uhwi_p (TYPE_SIZE_UNIT (type))
		  || tree_to_uhwi (TYPE_SIZE_UNIT (type)) > UINT32_MAX)))
	return MPRT_NONE;
    }
  uint32_t key = type ? definition_key (type) : 0;
  char *known = xasprintf ("%s/%u", name.c_str (), key);
  if (unsigned *row = rows_.get (known))
    {
      free (known);
      return *row;
    }
  mprt_type row = {};
  row.first_field = fields_.length ();
  unsigned number = types_.length ();
  if (type && COMPLETE_TYPE_P (type))
    {
      row.name = strings.add (name.c_str ());
      row.file = strings.add (definition_file (type));
      row.line = LOCATION_LINE (definition_place (type));
      row.key = key;
      row.bytes = tree_to_uhwi (TYPE_SIZE_UNIT (type));
      row.align = TYPE_ALIGN_UNIT (type);
      row.flags = (TYPE_PACKED (type) ? MPRT_TYPE_PACKED : 0)
		  | (definition_seen_p (type) ? MPRT_TYPE_CHECKED : 0);
      if (!add_fields (strings, type))
	{
	  fields_.truncate (row.first_field);
	  number = MPRT_NONE;
	}
      row.fields = fields_.length () - row.first_field;
    }
  else if (type)
    row.name = strings.add (name.c_str ());
  rows_.put (known, number);
  if (number == MPRT_NONE)
    return number;
  types_.safe_push (row);
  if (row.bytes && !user_record_p (type))
    add_obstacle (strings, type, "fixed", "it is not the user's", 0);
  else if (row.bytes)
    if (const char *reason = fixed_layout (type))
      add_obstacle (strings, type, "fixed", reason, definition_place (type));
  return number;
}

void
type_table::note (string_pool &strings, tree ref)
{
  tree type = record_of (ref);
  if (type && COMPLETE_TYPE_P (type))
    row_of (strings, type);
}

void
type_table::add_obstacle (string_pool &strings, tree type, const char *kind,
			  const char *detail, location_t where, bool each)
{
  unsigned type_row = row_of (strings, type);
  if (type_row == MPRT_NONE)
    return;
  char *noted
    = xasprintf ("%u/%s/%s", type_row, kind, each ? detail : "");
  if (noted_.add (noted))
    {
      free (noted);
      return;
    }
  expanded_location at = expand_location (where);
  mprt_obstacle row = {};
  row.type = type_row;
  row.kind = strings.add (kind);
  row.detail = strings.add (detail);
  row.file = at.file ? strings.add (remap_debug_filename (at.file)) : 0;
  row.line = at.file ? at.line : 0;
  obstacles_.safe_push (row);
}

} // namespace memprof::plugin
