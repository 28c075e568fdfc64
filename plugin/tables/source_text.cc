/* source_text.cc - how code is called in a profile that people read.
   SPDX-License-Identifier: GPL-3.0-or-later

   GIMPLE has cut `p->next->value' into pieces:

     _1 = p_4->next;
     _2 = _1->value;

   The text is put together again by following the definitions of names without
   a variable, a few levels deep.  What cannot be said shortly becomes "...".
   This is for display; nothing depends on it.  */

#include "plugin/gcc-common.h"
#include "plugin/tables/source_text.h"

namespace memprof::plugin {

namespace {

const int k_max_depth = 6;

void print_value (tree value, text *out, int depth);

const char *
decl_name (tree decl)
{
  return DECL_NAME (decl) ? IDENTIFIER_POINTER (DECL_NAME (decl)) : nullptr;
}

void
print_decl (tree decl, text *out)
{
  const char *name = decl_name (decl);
  out->append (name ? name : "...");
}

/* The number that `x + OPERAND', of code CODE, takes away from x, or 0.  GIMPLE
   has no `x - 1', and where x is unsigned it adds 4294967295.  */

HOST_WIDE_INT
subtracted (tree_code code, tree operand)
{
  if ((code != PLUS_EXPR && code != POINTER_PLUS_EXPR)
      || !cst_and_fits_in_hwi (operand))
    return 0;
  HOST_WIDE_INT value = int_cst_value (operand);
  return value < 0 && value != HOST_WIDE_INT_MIN ? -value : 0;
}

/* Prints the index that BYTES, an offset of a pointer to ELEMENT, represents.
 */

void
print_scaled (tree bytes, tree element, text *out, int depth)
{
  tree size = element ? TYPE_SIZE_UNIT (element) : NULL_TREE;
  if (TREE_CODE (bytes) == INTEGER_CST)
    {
      HOST_WIDE_INT n = int_cst_value (bytes);
      HOST_WIDE_INT unit
	= size && tree_fits_shwi_p (size) ? tree_to_shwi (size) : 1;
      out->append (unit > 0 && n % unit == 0 ? n / unit : n);
      return;
    }
  if (TREE_CODE (bytes) == SSA_NAME && depth >= 0)
    {
      gimple *def = SSA_NAME_DEF_STMT (bytes);
      if (is_gimple_assign (def) && gimple_assign_rhs_code (def) == PLUS_EXPR
	  && cst_and_fits_in_hwi (gimple_assign_rhs2 (def)))
	{
	  // Bytes of `i * 4 - 4': both parts are scaled.
	  tree addend = gimple_assign_rhs2 (def);
	  HOST_WIDE_INT number = subtracted (PLUS_EXPR, addend);
	  print_scaled (gimple_assign_rhs1 (def), element, out, depth - 1);
	  out->append (number ? "-" : "+");
	  print_scaled (number ? build_int_cst (sizetype, number) : addend,
			element, out, 0);
	  return;
	}
      if (is_gimple_assign (def)
	  && (gimple_assign_rhs_code (def) == MULT_EXPR
	      || gimple_assign_rhs_code (def) == LSHIFT_EXPR)
	  && TREE_CODE (gimple_assign_rhs2 (def)) == INTEGER_CST)
	bytes = gimple_assign_rhs1 (def);
    }
  print_value (bytes, out, depth);
}

/* Prints what pointer P points to, displaced by OFFSET bytes, as an access to
   ELEMENT.  */

void
print_indirect (tree p, HOST_WIDE_INT offset, tree element, text *out,
		int depth)
{
  if (TREE_CODE (p) == SSA_NAME && !SSA_NAME_VAR (p))
    {
      gimple *def = SSA_NAME_DEF_STMT (p);
      if (is_gimple_assign (def)
	  && gimple_assign_rhs_code (def) == POINTER_PLUS_EXPR && depth > 0)
	{
	  print_value (gimple_assign_rhs1 (def), out, depth - 1);
	  out->append ("[");
	  print_scaled (gimple_assign_rhs2 (def), element, out, depth - 1);
	  if (offset)
	    {
	      // The sign is the constant's: `a[i-1]', not `a[i+-1]'.
	      out->append (offset < 0 ? "-" : "+");
	      print_scaled (build_int_cst (sizetype, absu_hwi (offset)), element,
			    out, 0);
	    }
	  out->append ("]");
	  return;
	}
    }
  if (offset == 0)
    {
      out->append ("*");
      print_value (p, out, depth);
      return;
    }
  print_value (p, out, depth);
  out->append ("[");
  print_scaled (build_int_cst (ssizetype, offset), element, out, 0);
  out->append ("]");
}

void
print_reference (tree ref, text *out, int depth)
{
  if (out->full_p () || depth < 0)
    {
      out->append ("...");
      return;
    }
  switch (TREE_CODE (ref))
    {
    case COMPONENT_REF:
      {
	tree object = TREE_OPERAND (ref, 0);
	const char *name = decl_name (TREE_OPERAND (ref, 1));
	if (TREE_CODE (object) == MEM_REF
	    && TREE_CODE (TREE_OPERAND (object, 0)) == SSA_NAME
	    && integer_zerop (TREE_OPERAND (object, 1)))
	  {
	    print_value (TREE_OPERAND (object, 0), out, depth);
	    out->append ("->");
	  }
	else
	  {
	    print_reference (object, out, depth);
	    // An anonymous member, a base class: say nothing.
	    if (name)
	      out->append (".");
	  }
	out->append (name ? name : "");
	break;
      }
    case ARRAY_REF:
    case ARRAY_RANGE_REF:
      print_reference (TREE_OPERAND (ref, 0), out, depth);
      out->append ("[");
      print_value (TREE_OPERAND (ref, 1), out, depth - 1);
      out->append ("]");
      break;
    case MEM_REF:
      {
	tree p = TREE_OPERAND (ref, 0);
	if (TREE_CODE (p) == ADDR_EXPR)
	  print_reference (TREE_OPERAND (p, 0), out, depth);
	else
	  print_indirect (p, mem_ref_offset (ref).force_shwi ().to_constant (),
			  TREE_TYPE (ref), out, depth);
	break;
      }
    case STRING_CST:
      out->append ("\"...\"");
      break;
    default:
      if (DECL_P (ref))
	print_decl (ref, out);
      else if (handled_component_p (ref))
	print_reference (TREE_OPERAND (ref, 0), out, depth);
      else
	out->append ("...");
    }
}

void
print_defined (gimple *def, text *out, int depth)
{
  if (is_gimple_call (def))
    {
      tree callee = gimple_call_fndecl (def);
      out->append (callee && decl_name (callee) ? decl_name (callee) : "...");
      out->append ("()");
      return;
    }
  if (!is_gimple_assign (def))
    {
      out->append ("...");
      return;
    }
  tree rhs = gimple_assign_rhs1 (def);
  const char *sign = nullptr;
  switch (gimple_assign_rhs_code (def))
    {
    case PLUS_EXPR:
    case POINTER_PLUS_EXPR:
      sign = "+";
      break;
    case MINUS_EXPR:
      sign = "-";
      break;
    case MULT_EXPR:
      sign = "*";
      break;
    case BIT_AND_EXPR:
      sign = "&";
      break;
    case RSHIFT_EXPR:
      sign = ">>";
      break;
    case LSHIFT_EXPR:
      sign = "<<";
      break;
    default:
      break;
    }
  if (sign)
    {
      print_value (rhs, out, depth);
      tree operand = gimple_assign_rhs2 (def);
      if (HOST_WIDE_INT number
	  = subtracted (gimple_assign_rhs_code (def), operand))
	{
	  out->append ("-");
	  out->append (number);
	}
      else
	{
	  out->append (sign);
	  print_value (operand, out, depth);
	}
    }
  else if (gimple_assign_single_p (def) && !CONSTANT_CLASS_P (rhs)
	   && TREE_CODE (rhs) != SSA_NAME && TREE_CODE (rhs) != ADDR_EXPR)
    print_reference (rhs, out, depth);
  else if (gimple_assign_single_p (def) || gimple_assign_cast_p (def))
    print_value (rhs, out, depth);
  else
    out->append ("...");
}

void
print_value (tree value, text *out, int depth)
{
  if (out->full_p () || depth < 0)
    {
      out->append ("...");
      return;
    }
  if (TREE_CODE (value) == SSA_NAME)
    {
      tree var = SSA_NAME_VAR (value);
      if (var && decl_name (var) && !DECL_IGNORED_P (var))
	out->append (decl_name (var));
      else if (SSA_NAME_IS_DEFAULT_DEF (value))
	out->append ("...");
      else
	print_defined (SSA_NAME_DEF_STMT (value), out, depth - 1);
    }
  else if (TREE_CODE (value) == INTEGER_CST)
    {
      if (tree_fits_shwi_p (value))
	out->append (tree_to_shwi (value));
      else
	out->append ("...");
    }
  else if (TREE_CODE (value) == ADDR_EXPR)
    {
      tree object = TREE_OPERAND (value, 0);
      if (TREE_CODE (TREE_TYPE (object)) != ARRAY_TYPE)
	out->append ("&");
      print_reference (object, out, depth);
    }
  else
    out->append ("...");
}

} // anonymous namespace

void
text::append (const char *s)
{
  while (*s && length_ + 1 < sizeof buffer_)
    buffer_[length_++] = *s++;
  buffer_[length_] = '\0';
}

void
text::append (HOST_WIDE_INT number)
{
  char digits[24];
  sprintf (digits, HOST_WIDE_INT_PRINT_DEC, number);
  append (digits);
}

void
expression_text (const access_site &site, text *out)
{
  if (site.ref)
    {
      print_reference (site.ref, out, k_max_depth);
      return;
    }
  out->append ("*");
  if (site.address)
    print_value (site.address, out, k_max_depth);
  else
    print_defined (site.stmt, out, k_max_depth);
}

void
field_text (tree ref, text *record, text *field)
{
  // The outermost structure that the reference goes through is its type; the
  // path down from there is the field.
  auto_vec<tree, 8> path;
  tree type = NULL_TREE;
  for (; handled_component_p (ref); ref = TREE_OPERAND (ref, 0))
    if (TREE_CODE (ref) == COMPONENT_REF)
      {
	path.safe_push (TREE_OPERAND (ref, 1));
	type = TREE_TYPE (TREE_OPERAND (ref, 0));
      }
  if (!type)
    return;
  type_text (type, record);
  bool first = true;
  for (unsigned i = path.length (); i-- > 0;)
    if (const char *name = decl_name (path[i]))
      {
	if (!first)
	  field->append (".");
	field->append (name);
	first = false;
      }
}

void
type_text (tree type, text *out)
{
  type = TYPE_MAIN_VARIANT (type);
  while (TREE_CODE (type) == ARRAY_TYPE)
    type = TYPE_MAIN_VARIANT (TREE_TYPE (type));
  tree name = TYPE_NAME (type);
  // In C, a structure without a tag has the name of its first typedef, which is
  // that of a variant, and the last one in the list.
  if (!name && RECORD_OR_UNION_TYPE_P (type))
    for (tree v = TYPE_NEXT_VARIANT (type); v; v = TYPE_NEXT_VARIANT (v))
      if (TYPE_NAME (v))
	name = TYPE_NAME (v);
  if (name && TREE_CODE (name) == TYPE_DECL)
    name = DECL_NAME (name);
  if (!name)
    return;
  // In C the tag has a name space of its own.
  if (strstr (lang_hooks.name, "GNU C")
      && strncmp (lang_hooks.name, "GNU C++", 7) != 0 && TYPE_NAME (type)
      && TREE_CODE (TYPE_NAME (type)) == IDENTIFIER_NODE)
    out->append (TREE_CODE (type) == UNION_TYPE      ? "union "
		 : TREE_CODE (type) == RECORD_TYPE   ? "struct "
		 : TREE_CODE (type) == ENUMERAL_TYPE ? "enum "
						     : "");
  out->append (IDENTIFIER_POINTER (name));
}

const char *
printable_name (tree decl)
{
  return lang_hooks.decl_printable_name (decl, 1);
}

} // namespace memprof::plugin
