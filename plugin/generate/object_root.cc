/* object_root.cc - in which object an access lies, as far as the language says.
   SPDX-License-Identifier: GPL-3.0-or-later

   Arithmetic does not lead a pointer out of its object.  So the definitions of a
   pointer are followed back to where it came from:

     p_1 = s_2->list;		s_2->list has the root s_2
     q_3 = PHI <p_1, q_5>
     q_4->key			these two the root p_1
     q_5 = q_3 + i_6 * 16;
     q_5->value

   A name that control merges from several roots is a root of its own.  GCC's own
   alias analysis takes the same for granted.  Accesses beyond the end of a variable,
   as far as constants tell, have no root.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/object_root.h"
#include "plugin/tables/descriptor_table.h"

namespace memprof::plugin {

namespace {

/* Names that are looked at for one root, at most.  */
const unsigned k_max_names = 48;

object_root
root_of_variable (tree decl)
{
  object_root root;
  if (!DECL_P (decl) || TREE_CODE (decl) == FUNCTION_DECL
      || TREE_CODE (decl) == LABEL_DECL)
    return root;
  root.of = decl;
  if (constant_address_p (decl))
    root.kind = object_root::VARIABLE;
  else if ((VAR_P (decl) || TREE_CODE (decl) == PARM_DECL)
	   && !is_global_var (decl) && !DECL_HAS_VALUE_EXPR_P (decl)
	   && decl_function_context (decl) == current_function_decl)
    root.kind = object_root::FRAME;
  else
    root.kind = object_root::OTHER;
  return root;
}

/* What POINTER is made of: another pointer, an address, or null if it is itself
   where something comes from.  */

tree
made_of (tree pointer)
{
  gassign *def = dyn_cast<gassign *> (SSA_NAME_DEF_STMT (pointer));
  if (!def)
    return NULL_TREE;
  tree operand = gimple_assign_rhs1 (def);
  switch (gimple_assign_rhs_code (def))
    {
    case SSA_NAME:
    case POINTER_PLUS_EXPR:
    CASE_CONVERT:
      return TREE_CODE (operand) == SSA_NAME
		 && POINTER_TYPE_P (TREE_TYPE (operand))
	       ? operand
	     : TREE_CODE (operand) == ADDR_EXPR ? operand
						: NULL_TREE;
    case ADDR_EXPR:
      return operand;
    default:
      return NULL_TREE;
    }
}

/* Goes back from pointers to where they come from.  */

class root_finder
{
public:
  object_root find (tree pointer);

private:
  void visit (tree pointer);
  void arrive (const object_root &root);

  hash_set<tree> seen_;
  auto_vec<tree, 8> open_;
  object_root root_;
  bool several_ = false;
};

void
root_finder::arrive (const object_root &root)
{
  if (root.kind == object_root::NONE
      || (root_.kind != object_root::NONE && !(root_ == root)))
    several_ = true;
  root_ = root;
}

void
root_finder::visit (tree pointer)
{
  if (TREE_CODE (pointer) == ADDR_EXPR)
    {
      tree base = get_base_address (TREE_OPERAND (pointer, 0));
      if (base && TREE_CODE (base) == MEM_REF)
	visit (TREE_OPERAND (base, 0));
      else if (base)
	arrive (root_of_variable (base));
      else
	several_ = true;
      return;
    }
  if (TREE_CODE (pointer) != SSA_NAME)
    several_ = true;
  else if (!seen_.add (pointer))
    open_.safe_push (pointer);
}

object_root
root_finder::find (tree pointer)
{
  visit (pointer);
  while (!open_.is_empty () && !several_ && seen_.elements () < k_max_names)
    {
      tree name = open_.pop ();
      gphi *phi = dyn_cast<gphi *> (SSA_NAME_DEF_STMT (name));
      if (phi && !SSA_NAME_OCCURS_IN_ABNORMAL_PHI (name))
	for (unsigned i = 0; i < gimple_phi_num_args (phi); i++)
	  visit (gimple_phi_arg_def (phi, i));
      else if (tree source = made_of (name))
	visit (source);
      else
	arrive ({ object_root::NAME, name });
    }
  if (several_ || !open_.is_empty ())
    return {};
  return root_;
}

/* Whether an access of WIDTH bytes at CONSTANT lies in DECL.  With a variable
   offset, the program must see to that.  */

bool
inside_p (tree decl, HOST_WIDE_INT constant, bool variable, HOST_WIDE_INT width)
{
  tree size = DECL_SIZE_UNIT (decl);
  if (!size || !tree_fits_shwi_p (size) || integer_zerop (size))
    return false;
  return variable || (constant >= 0 && constant + width <= tree_to_shwi (size));
}

} // anonymous namespace

object_root
root_of (const access_site &site)
{
  if (!site.ref || site.after_p || site.atomic_p || site.value
      || site.width == 0 || site.width > MPRT_MAX_STATIC_WIDTH)
    return {};
  tree base, offset;
  HOST_WIDE_INT constant = split_address (site, &base, &offset);
  STRIP_NOPS (base);
  if (TREE_CODE (base) == ADDR_EXPR && DECL_P (TREE_OPERAND (base, 0)))
    {
      object_root root = root_of_variable (TREE_OPERAND (base, 0));
      return root.kind != object_root::NONE
		 && inside_p (root.of, constant, offset != NULL_TREE, site.width)
	       ? root
	       : object_root ();
    }
  if (TREE_CODE (base) != SSA_NAME || !POINTER_TYPE_P (TREE_TYPE (base)))
    return {};
  object_root root = root_finder ().find (base);
  if (root.kind == object_root::NONE)
    return { object_root::NAME, base };
  if (root.kind != object_root::NAME && !inside_p (root.of, 0, true, site.width))
    return { object_root::NAME, base };
  return root;
}

bool
invariant_p (const object_root &root, class loop *loop)
{
  if (root.kind != object_root::NAME)
    return root.kind != object_root::NONE;
  if (SSA_NAME_IS_DEFAULT_DEF (root.of))
    return true;
  basic_block bb = gimple_bb (SSA_NAME_DEF_STMT (root.of));
  return bb && !flow_bb_inside_loop_p (loop, bb);
}

} // namespace memprof::plugin
