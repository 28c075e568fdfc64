/* type_pointers.cc - what happens to pointers to records and to their fields.
   SPDX-License-Identifier: GPL-3.0-or-later

   The part of the search described in type_facts.cc that follows values: where a pointer to a
   record comes from, what it becomes, what is reached through it.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/function_names.h"
#include "plugin/tables/type_finder.h"
#include "plugin/tables/record_types.h"
#include "plugin/tables/source_text.h"
#include "plugin/tables/unit_tables.h"

namespace memprof::plugin {

namespace {

struct known_function
{
  const char *name;
  known_use use;
};

const known_function k_known[] = {
  { "free", USE_OPAQUE },
  { "realloc", USE_OPAQUE },
  { "reallocarray", USE_OPAQUE },
  { "posix_memalign", USE_OPAQUE },
  { "malloc_usable_size", USE_OPAQUE },
  { "madvise", USE_OPAQUE },
  { "_ZdlPv", USE_OPAQUE },
  { "_ZdlPvm", USE_OPAQUE },
  { "_ZdaPv", USE_OPAQUE },
  { "_ZdaPvm", USE_OPAQUE },
  { "_ZdlPvSt11align_val_t", USE_OPAQUE },
  { "_ZdlPvmSt11align_val_t", USE_OPAQUE },
  { "__builtin_prefetch", USE_OPAQUE },
  { "__builtin_object_size", USE_OPAQUE },
  { "__builtin_dynamic_object_size", USE_OPAQUE },
  { "__builtin_assume_aligned", USE_OPAQUE },
  { "memset", USE_FILL },
  { "__builtin_memset", USE_FILL },
  { "memcpy", USE_COPY },
  { "memmove", USE_COPY },
  { "__builtin_memcpy", USE_COPY },
  { "__builtin_memmove", USE_COPY },
  { "strlen", USE_FIELD },
  { "strcpy", USE_FIELD },
  { "strncpy", USE_FIELD },
  { "strcat", USE_FIELD },
  { "strcmp", USE_FIELD },
  { "strncmp", USE_FIELD },
  { "strchr", USE_FIELD },
  { "strdup", USE_FIELD },
  { "sprintf", USE_FIELD },
  { "snprintf", USE_FIELD },
  { "printf", USE_FIELD },
  { "fprintf", USE_FIELD },
  { "puts", USE_FIELD },
  { "fputs", USE_FIELD },
  { "fgets", USE_FIELD },
  { "atoi", USE_FIELD },
  { "atof", USE_FIELD },
};

} // anonymous namespace

bool
target::same_record_p (tree a, tree b)
{
  if (a == b || !a || !b || !flag_generate_lto
      || (COMPLETE_TYPE_P (a) && COMPLETE_TYPE_P (b)))
    return a == b;
  text name, other;
  type_text (a, &name);
  type_text (b, &other);
  return *name.c_str () && strcmp (name.c_str (), other.c_str ()) == 0;
}

target
target_of (tree type)
{
  unsigned levels = 0;
  for (;; type = TREE_TYPE (type))
    if (POINTER_TYPE_P (type))
      levels++;
    else if (TREE_CODE (type) != ARRAY_TYPE)
      break;
  return { TREE_CODE (type) == RECORD_TYPE ? TYPE_MAIN_VARIANT (type)
					   : NULL_TREE,
	   levels };
}

target
target_of_value (tree value)
{
  if (TREE_CODE (value) == ADDR_EXPR)
    {
      target t = target_of (TREE_TYPE (TREE_OPERAND (value, 0)));
      t.levels++;
      return t;
    }
  return target_of (TREE_TYPE (value));
}

known_use
use_of (tree callee)
{
  if (!callee || !TREE_PUBLIC (callee))
    return USE_NONE;
  const char *name = assembler_name (callee);
  for (const known_function &f : k_known)
    if (strcmp (f.name, name) == 0)
      return f.use;
  return USE_NONE;
}

void
finder::obstacle (tree record, const char *kind, const char *detail, bool each)
{
  if (!record || !user_record_p (record))
    return;
  location_t where = stmt_ && gimple_has_location (stmt_)
		       ? gimple_location (stmt_)
		       : DECL_SOURCE_LOCATION (fun_->decl);
  unit_tables::add_obstacle (record, kind, detail, where, each);
}

void
finder::obstacle (const target &t, const char *kind, const char *detail)
{
  obstacle (t.record, kind, detail);
}

/* Each record to which RECORD has a pointer gets an obstacle.  */

void
finder::pointers_in (tree record, const char *kind, const char *detail,
		     hash_set<tree> &visited)
{
  if (!record || !user_record_p (record) || visited.add (record))
    return;
  for (tree f = TYPE_FIELDS (record); f; f = DECL_CHAIN (f))
    if (TREE_CODE (f) == FIELD_DECL)
      {
	target part = target_of (TREE_TYPE (f));
	if (part.record && part.levels)
	  obstacle (part, kind, detail);
	else
	  pointers_in (part.record, kind, detail, visited);
      }
}

/* VALUE, a pointer to something unknown, becomes one to RECORD.  */

void
finder::from_void (tree record, tree value)
{
  if (new_.contains (value))
    {
      if (gcall *call = new_.odd_size (value, record))
	if (tree callee = gimple_call_fndecl (call))
	  obstacle (record, "size", assembler_name (callee), true);
      return;
    }
  gcall *call = TREE_CODE (value) == SSA_NAME
		  ? dyn_cast<gcall *> (SSA_NAME_DEF_STMT (value))
		  : nullptr;
  tree callee = call ? gimple_call_fndecl (call) : NULL_TREE;
  if (callee)
    {
      obstacle (record, "from", assembler_name (callee), true);
      if (!makes_whole_p (call, record))
	obstacle (record, "size", assembler_name (callee), true);
    }
  else
    obstacle (record, "void-pointer", "made from one");
}

static bool
function_pointer_p (tree type)
{
  return POINTER_TYPE_P (type) && FUNC_OR_METHOD_TYPE_P (TREE_TYPE (type));
}

/* VALUE becomes a value of type TO.  */

void
finder::flow (tree to, tree value)
{
  if (!value || integer_zerop (value))
    return;
  tree from = TREE_TYPE (value);
  if ((function_pointer_p (from) || function_pointer_p (to))
      && !useless_type_conversion_p (to, from))
    {
      // It may be called with other types than it has.
      for (tree type : { from, to })
	if (function_pointer_p (type))
	  {
	    hash_set<tree> visited;
	    known_to (TREE_TYPE (type), "cast", "of a function", visited);
	  }
      return;
    }
  if (!POINTER_TYPE_P (to) && !POINTER_TYPE_P (from))
    return;
  target a = target_of (to), b = target_of_value (value);
  if (!POINTER_TYPE_P (to) || !POINTER_TYPE_P (from))
    {
      obstacle (a.levels ? a : b, "cast", "pointer and integer");
      return;
    }
  if (a == b)
    return;
  if (VOID_TYPE_P (TREE_TYPE (from)) && a.record && a.levels == 1)
    {
      from_void (a.record, value);
      return;
    }
  const char *kind = VOID_TYPE_P (TREE_TYPE (to)) ? "void-pointer" : "cast";
  obstacle (a, kind);
  obstacle (b, kind);
}

/* Each record whose field REF names.  */

void
finder::fields_of (tree ref, const char *kind)
{
  for (; handled_component_p (ref); ref = TREE_OPERAND (ref, 0))
    if (TREE_CODE (ref) == COMPONENT_REF)
      {
	tree record = TREE_TYPE (TREE_OPERAND (ref, 0));
	if (TREE_CODE (record) == RECORD_TYPE)
	  obstacle (TYPE_MAIN_VARIANT (record), kind,
		    DECL_NAME (TREE_OPERAND (ref, 1))
		      ? IDENTIFIER_POINTER (DECL_NAME (TREE_OPERAND (ref, 1)))
		      : "");
      }
}

static bool
names_field_p (tree ref)
{
  for (; handled_component_p (ref); ref = TREE_OPERAND (ref, 0))
    if (TREE_CODE (ref) == COMPONENT_REF
	&& TREE_CODE (TREE_TYPE (TREE_OPERAND (ref, 0))) == RECORD_TYPE)
      return true;
  return false;
}

/* Whether STMT, of which ARGUMENT is the address of the field REF, stays inside of
   it.  */

bool
finder::field_argument_p (gcall *stmt, tree argument, tree ref)
{
  tree callee = gimple_call_fndecl (stmt);
  tree type = TREE_TYPE (ref);
  known_use use = use_of (callee);
  if (use == USE_FIELD)
    return true;
  if (use == USE_FILL || use == USE_COPY)
    {
      tree bytes = gimple_call_num_args (stmt) > 2 ? gimple_call_arg (stmt, 2)
						   : NULL_TREE;
      return bytes && tree_fits_uhwi_p (bytes) && TYPE_SIZE_UNIT (type)
	     && tree_fits_uhwi_p (TYPE_SIZE_UNIT (type))
	     && tree_to_uhwi (bytes) <= tree_to_uhwi (TYPE_SIZE_UNIT (type));
    }
  if (TREE_CODE (type) != RECORD_TYPE)
    return false;
  if (gimple_call_internal_p (stmt))
    return true;
  tree formals = TYPE_ARG_TYPES (gimple_call_fntype (stmt));
  for (unsigned i = 0; i < gimple_call_num_args (stmt); i++)
    {
      if (gimple_call_arg (stmt, i) == argument)
	{
	  if (!formals || VOID_TYPE_P (TREE_VALUE (formals))
	      || !POINTER_TYPE_P (TREE_VALUE (formals))
	      || TYPE_MAIN_VARIANT (TREE_TYPE (TREE_VALUE (formals)))
		   != TYPE_MAIN_VARIANT (type))
	    return false;
	}
      formals = formals ? TREE_CHAIN (formals) : NULL_TREE;
    }
  return true;
}

/* The same for USE of NAME, which holds the address.  */

bool
finder::field_use_p (gimple *use, tree name, tree ref)
{
  if (is_gimple_debug (use) || gimple_clobber_p (use))
    return true;
  if (gcond *cond = dyn_cast<gcond *> (use))
    return gimple_cond_code (cond) == EQ_EXPR || gimple_cond_code (cond) == NE_EXPR;
  if (gcall *stmt = dyn_cast<gcall *> (use))
    return field_argument_p (stmt, name, ref);
  gassign *stmt = dyn_cast<gassign *> (use);
  if (!stmt || !gimple_assign_single_p (stmt))
    return false;
  // It may be where an access begins, not what is stored.
  bool inside = false;
  for (tree side : { gimple_assign_lhs (stmt), gimple_assign_rhs1 (stmt) })
    {
      if (side == name)
	return false;
      tree base = side;
      while (handled_component_p (base))
	base = TREE_OPERAND (base, 0);
      if (TREE_CODE (base) == MEM_REF && TREE_OPERAND (base, 0) == name)
	{
	  tree type = TREE_TYPE (ref);
	  while (TREE_CODE (type) == ARRAY_TYPE
		 && TREE_CODE (TREE_TYPE (base)) != ARRAY_TYPE)
	    type = TREE_TYPE (type);
	  if (TYPE_MAIN_VARIANT (TREE_TYPE (base)) != TYPE_MAIN_VARIANT (type)
	      || !integer_zerop (TREE_OPERAND (base, 1)))
	    return false;
	  inside = true;
	}
    }
  return inside;
}

/* ADDRESS occurs in the statement, other than where its value goes to a name.  */

void
finder::field_address (tree address)
{
  tree ref = TREE_OPERAND (address, 0);
  if (!names_field_p (ref))
    return;
  if (gcall *stmt = dyn_cast<gcall *> (stmt_))
    if (field_argument_p (stmt, address, ref))
      return;
  gassign *stmt = dyn_cast<gassign *> (stmt_);
  if (stmt && gimple_assign_rhs1 (stmt) == address
      && TREE_CODE (gimple_assign_lhs (stmt)) == SSA_NAME)
    {
      imm_use_iterator i;
      use_operand_p use;
      bool fine = true;
      FOR_EACH_IMM_USE_FAST (use, i, gimple_assign_lhs (stmt))
	fine &= field_use_p (USE_STMT (use), gimple_assign_lhs (stmt), ref);
      if (fine)
	return;
    }
  fields_of (ref, "field-address");
}

/* The access REF begins at a pointer.  */

void
finder::memory (tree ref)
{
  tree base = TREE_OPERAND (ref, 0);
  tree reached = TREE_CODE (base) == ADDR_EXPR
		   ? TREE_TYPE (TREE_OPERAND (base, 0))
		   : TREE_TYPE (TREE_TYPE (base));
  target a = target_of (TREE_TYPE (ref)), b = target_of (reached);
  if (a == b)
    {
      if (a.record && a.levels == 0 && COMPLETE_TYPE_P (a.record)
	  && !whole_records_p (TREE_OPERAND (ref, 1), a.record))
	obstacle (a, "cast", "an offset");
      return;
    }
  if (VOID_TYPE_P (reached) && a.record && a.levels == 0)
    from_void (a.record, base);
  else
    {
      obstacle (a, "cast");
      obstacle (b, "cast");
    }
}

/* REF, an operand of the statement that may be an access.  */

void
finder::reference (tree ref)
{
  if (!ref || TREE_CODE (ref) == SSA_NAME || is_gimple_min_invariant (ref))
    {
      if (ref && TREE_CODE (ref) == ADDR_EXPR)
	field_address (ref);
      return;
    }
  if (TREE_CODE (ref) == ADDR_EXPR)
    {
      field_address (ref);
      ref = TREE_OPERAND (ref, 0);
    }
  for (; handled_component_p (ref); ref = TREE_OPERAND (ref, 0))
    {
      tree outer = TREE_TYPE (TREE_OPERAND (ref, 0));
      bool turned = TREE_CODE (ref) == VIEW_CONVERT_EXPR
		    || TREE_CODE (ref) == BIT_FIELD_REF;
      if (turned)
	{
	  obstacle (target_of (TREE_TYPE (ref)), "cast");
	  obstacle (target_of (outer), "cast");
	}
      if (TREE_CODE (ref) != COMPONENT_REF)
	continue;
      target part = target_of (TREE_TYPE (ref));
      if (part.record && part.levels == 0)
	obstacle (part, "part", "of another type");
      if (TREE_THIS_VOLATILE (ref) || TYPE_VOLATILE (outer))
	obstacle (target_of (outer), "volatile");
    }
  if (TREE_CODE (ref) == MEM_REF)
    memory (ref);
  if (DECL_P (ref) && DECL_EXTERNAL (ref) && VAR_P (ref))
    external (ref);
}

} // namespace memprof::plugin
