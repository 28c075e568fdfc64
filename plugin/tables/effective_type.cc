/* effective_type.cc - which stores the language allows a load to read from.
   SPDX-License-Identifier: GPL-3.0-or-later

   Sample mode infers which store a load reads from (inferred_dependences.h).  Of the
   stores that places alone would allow the language excludes many (C11 6.5p6, C++
   [basic.lval]): what was stored as a pointer is not read as an integer, and one field
   not as another one.

			scalars			in a record
     *pc		integer of 4 bytes	-
     ci->func		pointer			CallInfo: bytes 0 .. 7
     v->u.n		those of the union	Value: bytes 0 .. 7
     op->p4type		anything (a character)	VdbeOp: byte 1
     op->opcode		anything		VdbeOp: byte 0: not what was stored as p4type
     a[i] = b		those of the record	-
     memcpy (p, ...)	anything		-

   GCC's alias sets decide where scalars are told apart: those of the type that the
   reference is said to access, which is the union's for its members, and none with
   may_alias.  With -fno-strict-aliasing, and so up to -O1, nothing is excluded.  Signed or
   not, enumeration or not, long or long long, and what a pointer points to make no
   difference here, so that scalars are the same in all translation units.

   The record is the outermost one that the reference names, as in field_text.  An element
   of an array in it is anywhere in the array.  One of another size is another one: pairs
   may be parts of pairs.  */
#include "plugin/gcc-common.h"
#include "plugin/tables/effective_type.h"
#include "plugin/sites/access_sites.h"
#include "runtime/wire/site_table.h"

namespace memprof::plugin {

/* Bytes of an object; no size: they are not known.  */
struct byte_span
{
  unsigned HOST_WIDE_INT low, size;

  bool meets (const byte_span &other) const
  {
    return low < other.low + other.size && other.low < low + size;
  }
};

/* All bytes of an object of TYPE.  */

static byte_span
all_of (tree type)
{
  HOST_WIDE_INT bytes = int_size_in_bytes (type);
  return { 0, bytes < 0 ? 0 : (unsigned HOST_WIDE_INT) bytes };
}

/* Where FIELD begins in its record, in bytes; false: that is not constant.  */

static bool
field_place (tree field, unsigned HOST_WIDE_INT *place)
{
  tree at = DECL_FIELD_OFFSET (field), bit = DECL_FIELD_BIT_OFFSET (field);
  if (!tree_fits_uhwi_p (at) || !tree_fits_uhwi_p (bit))
    return false;
  *place = tree_to_uhwi (at) + tree_to_uhwi (bit) / BITS_PER_UNIT;
  return true;
}

/* Where REF may lie in OUTER, which it is a component of.  */

static byte_span
place_in (tree ref, tree outer)
{
  byte_span span = all_of (TREE_TYPE (ref));
  for (; ref != outer && span.size != 0; ref = TREE_OPERAND (ref, 0))
    switch (TREE_CODE (ref))
      {
      case COMPONENT_REF:
	{
	  unsigned HOST_WIDE_INT place;
	  if (!field_place (TREE_OPERAND (ref, 1), &place))
	    return {};
	  span.low += place;
	  break;
	}
      case VIEW_CONVERT_EXPR:
      case REALPART_EXPR:
	break;
      case IMAGPART_EXPR:
	span.low += span.size;
	break;
      default:
	/* Some element, or some bits.  */
	span = all_of (TREE_TYPE (TREE_OPERAND (ref, 0)));
      }
  return span;
}

/* The scalars that SPAN of an object of TYPE consists of, DEPTH records down; 0: they are
   not known.  A character by itself may be a part of anything, but not one in a record.  */

static unsigned
scalars_in (tree type, const byte_span &span, int depth = 0)
{
  static const int max_depth = 8;
  type = TYPE_MAIN_VARIANT (type);
  if (depth > 0 && INTEGRAL_TYPE_P (type) && int_size_in_bytes (type) == 1)
    return MPRT_SCALAR_INTEGER;
  if (span.size == 0 || depth == max_depth || get_alias_set (type) == 0)
    return 0;
  if (POINTER_TYPE_P (type))
    return MPRT_SCALAR_POINTER;
  if (INTEGRAL_TYPE_P (type) || SCALAR_FLOAT_TYPE_P (type))
    {
      int size = exact_log2 (int_size_in_bytes (type));
      if (size < 0 || size >= MPRT_SCALAR_SIZES)
	return 0;
      return (INTEGRAL_TYPE_P (type) ? MPRT_SCALAR_INTEGER
				     : MPRT_SCALAR_FLOAT) << size;
    }
  if (TREE_CODE (type) == ARRAY_TYPE || TREE_CODE (type) == COMPLEX_TYPE)
    return scalars_in (TREE_TYPE (type), all_of (TREE_TYPE (type)), depth + 1);
  if (!RECORD_OR_UNION_TYPE_P (type))
    return 0;
  unsigned all = 0;
  for (tree field = TYPE_FIELDS (type); field; field = DECL_CHAIN (field))
    {
      if (TREE_CODE (field) != FIELD_DECL)
	continue;
      byte_span its = all_of (TREE_TYPE (field));
      if (!field_place (field, &its.low))
	return 0;
      if (!its.meets (span))
	continue;
      unsigned HOST_WIDE_INT low = MAX (its.low, span.low);
      unsigned HOST_WIDE_INT end = MIN (its.low + its.size, span.low + span.size);
      unsigned scalars
	= scalars_in (TREE_TYPE (field), { low - its.low, end - low }, depth + 1);
      if (!scalars)
	return 0;
      all |= scalars;
    }
  return all;
}

/* Those that REF may access.  */

static unsigned
scalars_of (tree ref)
{
  if (get_alias_set (ref) == 0)
    return 0;
  /* Some union.  */
  if (tree parent = component_uses_parent_alias_set_from (ref))
    return scalars_in (TREE_TYPE (parent), place_in (ref, parent));
  tree type = TREE_TYPE (reference_alias_ptr_type (ref));
  return scalars_in (type, all_of (type));
}

/* The outermost record that REF names, or null.  */

static tree
record_of (tree ref)
{
  tree record = NULL_TREE;
  for (; handled_component_p (ref); ref = TREE_OPERAND (ref, 0))
    if (TREE_CODE (ref) == COMPONENT_REF)
      record = TREE_OPERAND (ref, 0);
  return record;
}

void
set_effective_type (const access_site &site, mprt_site *row)
{
  tree ref = byte_reference (site);
  if (!ref || !flag_strict_aliasing)
    return;
  row->scalars = scalars_of (site.ref);
  tree record = record_of (ref);
  if (!record)
    return;
  byte_span span = place_in (ref, record);
  unsigned HOST_WIDE_INT all = all_of (TREE_TYPE (record)).size;
  if (span.size == 0 || all > UINT_MAX || span.low + span.size > all)
    return;
  row->record_bytes = all;
  row->first_byte = span.low;
  row->bytes = span.size;
}

} // namespace memprof::plugin
