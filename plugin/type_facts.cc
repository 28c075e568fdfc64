/* type_facts.cc - finds code that depends on where the fields of a record lie.
   SPDX-License-Identifier: GPL-3.0-or-later

   Fields of a record can be moved when every access to them is by their name, in
   every unit of the program.  Whatever else is done with a record of the unit is
   an obstacle, which goes into the profile with its place:

     q = (char *) p;			cast
     store (table, p);			void-pointer	parameter is void *
     n = &p->count; add (n);		field-address
     memset (&p->count, 0, 16);		field-address
     memcpy (p, buffer, 12);		bytes
     library (p);			external	if no unit defines it
     printf ("%p", p);			variadic
     volatile struct s *p;		volatile
     struct t { struct s part; };	part
     asm ("" : : "m" (*p));		asm

   What is none: fields by name; p = malloc (n) and free (p) of whole records;
   memset (p, 0, n * sizeof *p) and memcpy from record to record; arguments of
   its own type; fields as arguments of string functions; &p->part as argument for
   a pointer to the type of that part; addresses that are compared.

   The walk is over GIMPLE when it has just become SSA: conversions of pointers
   show in the types of names, and nothing has been inlined or folded away.  What
   the front end folds earlier (offsetof, initialisers) is found by
   source_facts.cc.

   Records with obstacles keep their layout (consumers/decide/legality.h), so
   missing an optimisation is the only harm of too many.  */

#include "gcc-common.h"
#include "type_facts.h"
#include "alloc_sites.h"
#include "options.h"
#include "record_types.h"
#include "site_table.h"
#include "source_facts.h"
#include "source_text.h"

namespace memprof::plugin {

namespace {

/* Main variants whose definition was seen.  */
hash_set<tree> *seen;

/* What a pointer leads to: a record behind so many pointers (0: the record
   itself, or an array of it), or something else.  */
struct target
{
  tree record;
  unsigned levels;

  bool operator== (const target &other) const
  {
    return record == other.record && (!record || levels == other.levels);
  }
};

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

const char *
assembler_name (tree decl)
{
  return targetm.strip_name_encoding (
    IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (decl)));
}

/* Functions that know nothing of the type behind a pointer.  */
enum known_use
{
  USE_NONE,
  USE_OPAQUE,	/* they do not look at what it points to */
  USE_FILL,	/* memset */
  USE_COPY,	/* memcpy */
  USE_FIELD	/* they stay inside of the array or number they are given */
};

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

class finder
{
public:
  explicit finder (function *fun) : fun_ (fun) {}
  void run ();

private:
  void obstacle (tree record, const char *kind, const char *detail = "",
		 bool each = false);
  void obstacle (const target &t, const char *kind, const char *detail = "");
  void statement (gimple *stmt);
  void assignment (gassign *stmt);
  void call (gcall *stmt);
  void argument (gcall *stmt, unsigned n, tree formal, known_use use);
  void filled (gcall *stmt, known_use use);
  void result (gcall *stmt);
  void return_value (greturn *stmt);
  void flow (tree to, tree value);
  void from_void (tree record, tree value);
  void reference (tree ref);
  void memory (tree ref);
  void fields_of (tree ref, const char *kind);
  void field_address (tree address);
  bool field_use_p (gimple *use, tree name, tree ref);
  bool field_argument_p (gcall *stmt, tree argument, tree ref);
  void external (tree decl);
  void known_to (tree type, const char *name, hash_set<tree> &visited);
  bool allocated_p (tree value, unsigned depth = 0);
  bool whole_p (tree bytes, tree record);

  function *fun_;
  gimple *stmt_ = nullptr;
  hash_set<gimple *> allocating_;
  bool returns_new_ = true;	/* all that it returns is new memory */
  bool returns_ = false;
};

void
finder::obstacle (tree record, const char *kind, const char *detail, bool each)
{
  if (!record || !user_record_p (record))
    return;
  location_t where = stmt_ && gimple_has_location (stmt_)
		       ? gimple_location (stmt_)
		       : DECL_SOURCE_LOCATION (fun_->decl);
  site_table::add_obstacle (record, kind, detail, where, each);
}

void
finder::obstacle (const target &t, const char *kind, const char *detail)
{
  obstacle (t.record, kind, detail);
}

/* Whether BYTES are a number of whole RECORDs.  */

bool
finder::whole_p (tree bytes, tree record)
{
  if (!COMPLETE_TYPE_P (record) || !tree_fits_uhwi_p (TYPE_SIZE_UNIT (record))
      || integer_zerop (TYPE_SIZE_UNIT (record)))
    return false;
  unsigned HOST_WIDE_INT size = tree_to_uhwi (TYPE_SIZE_UNIT (record));
  if (TREE_CODE (bytes) == INTEGER_CST)
    return tree_fits_uhwi_p (bytes) && tree_to_uhwi (bytes) % size == 0;
  gassign *def = TREE_CODE (bytes) == SSA_NAME
		   ? dyn_cast<gassign *> (SSA_NAME_DEF_STMT (bytes))
		   : nullptr;
  if (!def)
    return false;
  if (CONVERT_EXPR_CODE_P (gimple_assign_rhs_code (def))
      || gimple_assign_rhs_code (def) == SSA_NAME)
    return whole_p (gimple_assign_rhs1 (def), record);
  if (gimple_assign_rhs_code (def) == MULT_EXPR)
    return whole_p (gimple_assign_rhs2 (def), record);
  return false;
}

/* Whether VALUE is what an allocating call returned, or 0.  */

bool
finder::allocated_p (tree value, unsigned depth)
{
  if (integer_zerop (value))
    return true;
  if (TREE_CODE (value) != SSA_NAME || depth > 8)
    return false;
  gimple *def = SSA_NAME_DEF_STMT (value);
  if (allocating_.contains (def))
    return true;
  if (gassign *assign = dyn_cast<gassign *> (def))
    return (gimple_assign_rhs_code (assign) == SSA_NAME
	    || gimple_assign_rhs_code (assign) == POINTER_PLUS_EXPR
	    || CONVERT_EXPR_CODE_P (gimple_assign_rhs_code (assign)))
	   && allocated_p (gimple_assign_rhs1 (assign), depth + 1);
  gphi *phi = dyn_cast<gphi *> (def);
  if (!phi)
    return false;
  for (unsigned i = 0; i < gimple_phi_num_args (phi); i++)
    if (gimple_phi_arg_def (phi, i) != value
	&& !allocated_p (gimple_phi_arg_def (phi, i), depth + 1))
      return false;
  return true;
}

/* VALUE, a pointer to something unknown, becomes one to RECORD.  */

void
finder::from_void (tree record, tree value)
{
  if (allocated_p (value))
    return;
  gcall *call = TREE_CODE (value) == SSA_NAME
		  ? dyn_cast<gcall *> (SSA_NAME_DEF_STMT (value))
		  : nullptr;
  tree callee = call ? gimple_call_fndecl (call) : NULL_TREE;
  if (callee)
    obstacle (record, "from", assembler_name (callee), true);
  else
    obstacle (record, "void-pointer", "made from one");
}

bool
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
	    known_to (TREE_TYPE (type), "", visited);
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

bool
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
  if (is_gimple_debug (use) || gimple_clobber_p (use)
      || gimple_code (use) == GIMPLE_COND)
    return true;
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
	  && !whole_p (TREE_OPERAND (ref, 1), a.record))
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

/* NAME is told about TYPE, and what can be reached from it.  */

void
finder::known_to (tree type, const char *name, hash_set<tree> &visited)
{
  if (!type || visited.add (type))
    return;
  switch (TREE_CODE (type))
    {
    case POINTER_TYPE:
    case REFERENCE_TYPE:
    case ARRAY_TYPE:
      known_to (TREE_TYPE (type), name, visited);
      break;
    case FUNCTION_TYPE:
    case METHOD_TYPE:
      known_to (TREE_TYPE (type), name, visited);
      for (tree t = TYPE_ARG_TYPES (type); t; t = TREE_CHAIN (t))
	known_to (TREE_VALUE (t), name, visited);
      break;
    case RECORD_TYPE:
    case UNION_TYPE:
      type = TYPE_MAIN_VARIANT (type);
      if (*name)
	obstacle (type, "external", name, true);
      else
	obstacle (type, "cast", "of a function");
      for (tree f = TYPE_FIELDS (type); f; f = DECL_CHAIN (f))
	if (TREE_CODE (f) == FIELD_DECL)
	  known_to (TREE_TYPE (f), name, visited);
      break;
    default:
      break;
    }
}

/* DECL, a function or variable that this unit may not define, is used.  */

void
finder::external (tree decl)
{
  static hash_set<tree> done;
  if (!TREE_PUBLIC (decl) || !DECL_EXTERNAL (decl)
      || (TREE_CODE (decl) == FUNCTION_DECL && fndecl_built_in_p (decl))
      || done.add (decl))
    return;
  hash_set<tree> visited;
  known_to (TREE_TYPE (decl), assembler_name (decl), visited);
}

/* A library function that fills or copies memory.  */

void
finder::filled (gcall *stmt, known_use use)
{
  if (gimple_call_num_args (stmt) < 3)
    return;
  tree to = gimple_call_arg (stmt, 0), other = gimple_call_arg (stmt, 1);
  tree bytes = gimple_call_arg (stmt, 2);
  target a = target_of_value (to);
  if (use == USE_FILL)
    {
      if (a.record && a.levels == 1
	  && (TREE_CODE (other) != INTEGER_CST || !whole_p (bytes, a.record)))
	obstacle (a, "bytes", "memset of a part");
      return;
    }
  target b = target_of_value (other);
  for (const target &t : { a, b })
    if (t.record && t.levels == 1
	&& !((a == b || allocated_p (to)) && whole_p (bytes, t.record)))
      obstacle (t, "bytes", "copied as bytes");
}

void
finder::argument (gcall *stmt, unsigned n, tree formal, known_use use)
{
  tree value = gimple_call_arg (stmt, n);
  reference (value);
  target t = target_of_value (value);
  if (!t.record || use == USE_OPAQUE || use == USE_FILL || use == USE_COPY
      || integer_zerop (value))
    return;
  if (!formal)
    obstacle (t, "variadic");
  else if (POINTER_TYPE_P (TREE_TYPE (value)))
    flow (formal, value);
}

void
finder::result (gcall *stmt)
{
  tree lhs = gimple_call_lhs (stmt);
  if (!lhs)
    return;
  reference (lhs);
  tree type = gimple_call_return_type (stmt);
  target a = target_of (TREE_TYPE (lhs)), b = target_of (type);
  if (a == b || !POINTER_TYPE_P (TREE_TYPE (lhs)) || allocating_.contains (stmt))
    return;
  tree callee = gimple_call_fndecl (stmt);
  known_use use = use_of (callee);
  if (use == USE_OPAQUE || use == USE_COPY || use == USE_FILL)
    return;
  if (callee && a.record && a.levels == 1 && POINTER_TYPE_P (type)
      && VOID_TYPE_P (TREE_TYPE (type)))
    obstacle (a.record, "from", assembler_name (callee), true);
  else
    {
      obstacle (a, "cast");
      obstacle (b, "cast");
    }
}

void
finder::call (gcall *stmt)
{
  tree callee = gimple_call_fndecl (stmt);
  known_use use = use_of (callee);
  bool internal = gimple_call_internal_p (stmt);
  tree formals
    = internal ? NULL_TREE : TYPE_ARG_TYPES (gimple_call_fntype (stmt));
  for (unsigned i = 0; i < gimple_call_num_args (stmt); i++)
    {
      tree formal = formals && !VOID_TYPE_P (TREE_VALUE (formals))
		      ? TREE_VALUE (formals)
		      : NULL_TREE;
      argument (stmt, i, formal, internal ? USE_OPAQUE : use);
      formals = formals ? TREE_CHAIN (formals) : NULL_TREE;
    }
  if (!internal && (use == USE_FILL || use == USE_COPY))
    filled (stmt, use);
  if (callee && use == USE_NONE)
    external (callee);
  if (!internal)
    result (stmt);
}

void
finder::assignment (gassign *stmt)
{
  tree lhs = gimple_assign_lhs (stmt);
  tree type = TREE_TYPE (lhs);
  reference (lhs);
  tree rhs1 = gimple_assign_rhs1 (stmt);
  switch (gimple_assign_rhs_class (stmt))
    {
    case GIMPLE_SINGLE_RHS:
      reference (rhs1);
      flow (type, rhs1);
      break;
    case GIMPLE_UNARY_RHS:
      reference (rhs1);
      if (CONVERT_EXPR_CODE_P (gimple_assign_rhs_code (stmt)))
	flow (type, rhs1);
      break;
    case GIMPLE_BINARY_RHS:
      reference (rhs1);
      reference (gimple_assign_rhs2 (stmt));
      if (gimple_assign_rhs_code (stmt) == POINTER_PLUS_EXPR)
	{
	  flow (type, rhs1);
	  target t = target_of (type);
	  tree offset = gimple_assign_rhs2 (stmt);
	  if (t.record && t.levels == 1 && TREE_CODE (offset) == INTEGER_CST
	      && COMPLETE_TYPE_P (t.record) && tree_fits_shwi_p (offset)
	      && tree_fits_shwi_p (TYPE_SIZE_UNIT (t.record))
	      && !integer_zerop (TYPE_SIZE_UNIT (t.record))
	      && int_cst_value (offset)
		     % int_cst_value (TYPE_SIZE_UNIT (t.record))
		   != 0
	      && !allocated_p (rhs1))
	    obstacle (t, "cast", "an offset");
	}
      break;
    case GIMPLE_TERNARY_RHS:
      for (unsigned i = 1; i < gimple_num_ops (stmt); i++)
	reference (gimple_op (stmt, i));
      if (gimple_assign_rhs_code (stmt) == COND_EXPR)
	{
	  flow (type, gimple_assign_rhs2 (stmt));
	  flow (type, gimple_assign_rhs3 (stmt));
	}
      break;
    default:
      break;
    }
}

void
finder::return_value (greturn *stmt)
{
  tree value = gimple_return_retval (stmt);
  if (!value)
    return;
  returns_ = true;
  reference (value);
  tree type = TREE_TYPE (DECL_RESULT (fun_->decl));
  if (POINTER_TYPE_P (type) && VOID_TYPE_P (TREE_TYPE (type)))
    returns_new_ &= allocated_p (value);
  else
    returns_new_ = false;
  if (POINTER_TYPE_P (type))
    flow (type, value);
}

void
finder::statement (gimple *stmt)
{
  stmt_ = stmt;
  for (unsigned i = 0; i < gimple_num_ops (stmt); i++)
    {
      tree op = gimple_op (stmt, i);
      if (op && TREE_CODE (op) == ADDR_EXPR
	  && TREE_CODE (TREE_OPERAND (op, 0)) == FUNCTION_DECL
	  && !(is_gimple_call (stmt) && i == 1))
	external (TREE_OPERAND (op, 0));
    }
  switch (gimple_code (stmt))
    {
    case GIMPLE_ASSIGN:
      assignment (as_a<gassign *> (stmt));
      break;
    case GIMPLE_CALL:
      call (as_a<gcall *> (stmt));
      break;
    case GIMPLE_RETURN:
      return_value (as_a<greturn *> (stmt));
      break;
    case GIMPLE_ASM:
      for (unsigned i = 0; i < gimple_num_ops (stmt); i++)
	if (tree op = gimple_op (stmt, i))
	  {
	    tree value = TREE_CODE (op) == TREE_LIST ? TREE_VALUE (op) : op;
	    if (TREE_CODE (value) == ADDR_EXPR)
	      value = TREE_OPERAND (value, 0);
	    fields_of (value, "asm");
	    obstacle (target_of (TREE_TYPE (value)), "asm");
	  }
      break;
    default:
      break;
    }
}

void
finder::run ()
{
  auto_vec<gcall *> calls;
  find_alloc_calls (fun_, calls);
  for (gcall *call : calls)
    allocating_.add (call);
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun_)
    {
      for (gphi_iterator i = gsi_start_phis (bb); !gsi_end_p (i); gsi_next (&i))
	{
	  gphi *phi = i.phi ();
	  stmt_ = phi;
	  tree to = gimple_phi_result (phi);
	  if (!virtual_operand_p (to))
	    for (unsigned j = 0; j < gimple_phi_num_args (phi); j++)
	      {
		reference (gimple_phi_arg_def (phi, j));
		flow (TREE_TYPE (to), gimple_phi_arg_def (phi, j));
	      }
	}
      for (gimple_stmt_iterator i = gsi_start_bb (bb); !gsi_end_p (i);
	   gsi_next (&i))
	if (!is_gimple_debug (gsi_stmt (i)))
	  statement (gsi_stmt (i));
    }
  if (returns_ && returns_new_)
    site_table::add_obstacle (NULL_TREE, "allocates",
			      assembler_name (fun_->decl), 0, true);
}

const pass_data facts_pass_data
  = { GIMPLE_PASS, "memprof_types", OPTGROUP_NONE, TV_NONE,
      PROP_ssa | PROP_cfg, 0, 0, 0, 0 };

class facts_pass : public gimple_opt_pass
{
public:
  explicit facts_pass (gcc::context *context)
    : gimple_opt_pass (facts_pass_data, context)
  {}
  opt_pass *clone () final override { return new facts_pass (m_ctxt); }
  bool gate (function *) final override { return !in_lto_p; }
  unsigned
  execute (function *fun) final override
  {
    finder (fun).run ();
    return 0;
  }
};

/* A record or union has been defined: what are its parts?  */

void
see_definition (tree type, const char *name)
{
  if (!seen)
    seen = new hash_set<tree>;
  seen->add (type);
  for (tree f = TYPE_FIELDS (type); f; f = DECL_CHAIN (f))
    if (TREE_CODE (f) == FIELD_DECL)
      {
	target part = target_of (TREE_TYPE (f));
	if (part.record && part.levels == 0 && user_record_p (part.record)
	    && COMPLETE_TYPE_P (part.record))
	  site_table::add_obstacle (part.record, "part", "of another type",
				    DECL_SOURCE_LOCATION (f));
      }
  // What may be put into its padding is not where a field of it may go.
  if (tree binfo = TYPE_BINFO (type))
    for (unsigned i = 0; i < BINFO_N_BASE_BINFOS (binfo); i++)
      {
	tree base = TYPE_MAIN_VARIANT (BINFO_TYPE (BINFO_BASE_BINFO (binfo, i)));
	if (user_record_p (base))
	  site_table::add_obstacle (base, "part", "a base class",
				    definition_place (type));
      }
  name_type (name, type);
}

} // anonymous namespace

bool
definition_seen_p (tree type)
{
  return !in_lto_p && seen && seen->contains (type);
}

void
register_type_facts (const char *plugin_name)
{
  watch_definitions (plugin_name, see_definition);
  register_source_facts (plugin_name);
  register_pass_info info;
  info.pass = new facts_pass (g);
  info.reference_pass_name = "ssa";
  info.ref_pass_instance_number = 1;
  info.pos_op = PASS_POS_INSERT_AFTER;
  register_callback (plugin_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
}

} // namespace memprof::plugin
