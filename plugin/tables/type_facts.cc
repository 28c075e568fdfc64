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
     asm ("lea table, %rax");		asm		also outside of functions
     p = malloc (sizeof *p + n);	size		no number of whole records
     p = mmap (..., MAP_SHARED, fd, 0);	from		or of a file
     union { struct s *p; char *c; };	union
     memcpy (&bytes, &p, sizeof p);	bytes		the pointer
     (*ops->add) (p);			indirect	a plugin may have it
     &p->a < &p->b			address-order

   What is none: fields by name; p = malloc (n) and free (p) of whole records;
   memset (p, 0, n * sizeof *p) and memcpy from record to record; arguments of
   its own type; fields as arguments of string functions; &p->part as argument for
   a pointer to the type of that part; addresses that are compared with == and !=.

   The walk is over GIMPLE when it has just become SSA: conversions of pointers
   show in the types of names, and nothing has been inlined or folded away.  What
   the front end folds earlier (offsetof, initialisers) is found by
   source_facts.cc.

   Records with obstacles keep their layout (consumers/decide/legality.h), so
   missing an optimisation is the only harm of too many.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/function_names.h"
#include "plugin/tables/type_facts.h"
#include "plugin/options.h"
#include "plugin/tables/record_types.h"
#include "plugin/tables/unit_tables.h"
#include "plugin/tables/source_facts.h"
#include "plugin/tables/type_finder.h"

namespace memprof::plugin {

namespace {

} // anonymous namespace

/* TYPE, and each record that can be reached from it, gets an obstacle.  */

void
finder::known_to (tree type, const char *kind, const char *detail, hash_set<tree> &visited)
{
  if (!type || visited.add (type))
    return;
  switch (TREE_CODE (type))
    {
    case POINTER_TYPE:
    case REFERENCE_TYPE:
    case ARRAY_TYPE:
      known_to (TREE_TYPE (type), kind, detail, visited);
      break;
    case FUNCTION_TYPE:
    case METHOD_TYPE:
      known_to (TREE_TYPE (type), kind, detail, visited);
      for (tree t = TYPE_ARG_TYPES (type); t; t = TREE_CHAIN (t))
	known_to (TREE_VALUE (t), kind, detail, visited);
      break;
    case RECORD_TYPE:
    case UNION_TYPE:
      type = TYPE_MAIN_VARIANT (type);
      obstacle (type, kind, detail, true);
      for (tree f = TYPE_FIELDS (type); f; f = DECL_CHAIN (f))
	if (TREE_CODE (f) == FIELD_DECL)
	  known_to (TREE_TYPE (f), kind, detail, visited);
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
  known_to (TREE_TYPE (decl), "external", assembler_name (decl), visited);
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
	  && (TREE_CODE (other) != INTEGER_CST || !whole_records_p (bytes, a.record)))
	obstacle (a, "bytes", "memset of a part");
      return;
    }
  target b = target_of_value (other);
  for (const target &t : { a, b })
    if (t.record && t.levels == 1)
      {
	if (!((a == b || new_.contains (to)) && whole_records_p (bytes, t.record)))
	  obstacle (t, "bytes", "copied as bytes");
	hash_set<tree> visited;
	if (!(a == b))
	  pointers_in (t.record, "bytes", "a pointer to it", visited);
      }
    else if (t.record && !(a == b))
      obstacle (t, "bytes", "a pointer to it");
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
  if (a == b || !POINTER_TYPE_P (TREE_TYPE (lhs)))
    return;
  if (new_.made_by (stmt))
    {
      if (a.record && a.levels == 1 && !makes_whole_p (stmt, a.record))
	obstacle (a, "size");
      return;
    }
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
  if (!callee && !internal)
    {
      hash_set<tree> visited;
      known_to (gimple_call_fntype (stmt), "indirect", "", visited);
    }
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
	      && !new_.contains (rhs1))
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
    returns_new_ &= new_.contains (value);
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
  new_.start (fun_);
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
    unit_tables::add_obstacle (NULL_TREE, "allocates",
			      assembler_name (fun_->decl), 0, true);
}

namespace {

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

/* What TYPE, a union or a part of one, points to has more names there.  */

void
see_union (tree type, location_t where)
{
  for (tree f = TYPE_FIELDS (type); f; f = DECL_CHAIN (f))
    if (TREE_CODE (f) == FIELD_DECL)
      {
	tree inner = strip_array_types (TREE_TYPE (f));
	target part = target_of (inner);
	if (part.record && part.levels && user_record_p (part.record))
	  unit_tables::add_obstacle (part.record, "union", "", where);
	else if (RECORD_OR_UNION_TYPE_P (inner))
	  see_union (inner, where);
      }
}

/* A record or union has been defined: what are its parts?  */

void
see_definition (tree type, const char *name)
{
  if (TREE_CODE (type) == UNION_TYPE && !in_system_header_at (definition_place (type)))
    see_union (type, definition_place (type));
  for (tree f = TYPE_FIELDS (type); f; f = DECL_CHAIN (f))
    if (TREE_CODE (f) == FIELD_DECL)
      {
	target part = target_of (TREE_TYPE (f));
	if (part.record && part.levels == 0 && user_record_p (part.record)
	    && COMPLETE_TYPE_P (part.record))
	  unit_tables::add_obstacle (part.record, "part", "of another type",
				    DECL_SOURCE_LOCATION (f));
      }
  // What may be put into its padding is not where a field of it may go.
  if (tree binfo = TYPE_BINFO (type))
    for (unsigned i = 0; i < BINFO_N_BASE_BINFOS (binfo); i++)
      {
	tree base = TYPE_MAIN_VARIANT (BINFO_TYPE (BINFO_BASE_BINFO (binfo, i)));
	if (user_record_p (base))
	  unit_tables::add_obstacle (base, "part", "a base class",
				    definition_place (type));
      }
  name_type (name, type);
}

} // anonymous namespace

void
register_type_facts (const char *plugin_name)
{
  watch_definitions (plugin_name, see_definition);
  register_source_facts (plugin_name);
  insert_pass_after (plugin_name, new facts_pass (g), k_pass_ssa, 1);
}

} // namespace memprof::plugin
