/* vector_guess.cc - will GCC make vectors of a loop?
   SPDX-License-Identifier: GPL-3.0-or-later

   Only a guess, for the cost model: GCC decides.  A loop looks like one that
   can be vectorised when

     - it is innermost and left at one place only;
     - each access is hoisted or advances by its own size, or by less than four
       of them (colours of a pixel), or stays where it is;
     - what goes round it are induction variables and sums: sums of floating
       point numbers only when GCC may add them in another order;
     - it divides no integers and calls nothing.

   The widest access gives the number of elements.  */

#include "plugin/gcc-common.h"
#include "plugin/use/address/value_graph.h"
#include "plugin/use/versioning/loop_versioner.h"

namespace memprof::plugin {

namespace {

/* Elements from one access of an instruction to its next.  */
const HOST_WIDE_INT k_max_gap = 4;

/* Whether VALUE is NAME and something else, by CODE once or a few times.  */

bool
continues_p (tree value, tree name, tree_code code, unsigned most = 4)
{
  gassign *stmt = TREE_CODE (value) == SSA_NAME
		    ? dyn_cast<gassign *> (SSA_NAME_DEF_STMT (value))
		    : nullptr;
  if (!stmt || !most || gimple_assign_rhs_code (stmt) != code)
    return false;
  tree a = gimple_assign_rhs1 (stmt), b = gimple_assign_rhs2 (stmt);
  return a == name || b == name || continues_p (a, name, code, most - 1)
	 || continues_p (b, name, code, most - 1);
}

/* Whether the value of PHI can be summed up in parts.  */

bool
sum_p (gphi *phi, class loop *loop)
{
  tree name = gimple_phi_result (phi);
  tree next = PHI_ARG_DEF_FROM_EDGE (phi, loop_latch_edge (loop));
  if (TREE_CODE (next) != SSA_NAME)
    return true;
  gassign *sum = dyn_cast<gassign *> (SSA_NAME_DEF_STMT (next));
  if (!sum || (FLOAT_TYPE_P (TREE_TYPE (name)) && !flag_associative_math))
    return false;
  switch (gimple_assign_rhs_code (sum))
    {
    case PLUS_EXPR:
    case MINUS_EXPR:
    case MULT_EXPR:
    case MIN_EXPR:
    case MAX_EXPR:
    case BIT_AND_EXPR:
    case BIT_IOR_EXPR:
    case BIT_XOR_EXPR:
      return continues_p (next, name, gimple_assign_rhs_code (sum));
    default:
      return false;
    }
}

bool
operation_ok_p (gimple *stmt)
{
  if (!is_gimple_assign (stmt))
    return gimple_code (stmt) != GIMPLE_SWITCH && !is_gimple_call (stmt);
  const tree_code code = gimple_assign_rhs_code (stmt);
  return code != TRUNC_DIV_EXPR && code != TRUNC_MOD_EXPR;
}

} // anonymous namespace

/* Whether GCC cannot tell a store of LOOP from another access of its group: they
   start alike but do not move alike.  */

static bool
tangled_p (const loop_memory &memory, const memory_ref &store, class loop *loop)
{
  for (const memory_ref &other : memory.refs ())
    if (other.ranged && other.group == store.group
	&& gimple_bb (other.stmt)->loop_father == loop
	&& !other.range.moves_like_p (store.range))
      return true;
  return false;
}

unsigned
likely_lanes (class loop *loop, const loop_memory &memory)
{
  if (loop->inner || !single_exit (loop) || !all_statements_p (loop, operation_ok_p))
    return 1;
  for (gphi_iterator gsi = gsi_start_phis (loop->header); !gsi_end_p (gsi);
       gsi_next (&gsi))
    {
      gphi *phi = gsi.phi ();
      affine_iv iv;
      // A PHI without uses was a load that is hoisted.
      if (!virtual_operand_p (gimple_phi_result (phi))
	  && !has_zero_uses (gimple_phi_result (phi))
	  && !simple_iv (loop, loop, gimple_phi_result (phi), &iv, true)
	  && !sum_p (phi, loop))
	return 1;
    }
  HOST_WIDE_INT widest = 1;
  for (const memory_ref &ref : memory.refs ())
    {
      if (ref.hoisted || gimple_bb (ref.stmt)->loop_father != loop)
	continue;
      tree type = TREE_TYPE (ref.ref);
      HOST_WIDE_INT step = ref.ranged ? ref.range.step (loop) : 0;
      if (!ref.ranged || !is_gimple_reg_type (type)
	  || !tree_fits_shwi_p (TYPE_SIZE_UNIT (type)))
	return 1;
      HOST_WIDE_INT size = tree_to_shwi (TYPE_SIZE_UNIT (type));
      if (ref.store && tangled_p (memory, ref, loop))
	return 1;
      if (!ref.range.still_p (loop)
	  && (step == 0 || step % size != 0
	      || absu_hwi (step) > unsigned (k_max_gap * size)))
	return 1;
      widest = MAX (widest, size);
    }
  machine_mode mode
    = targetm.vectorize.preferred_simd_mode (SCALAR_INT_TYPE_MODE (integer_type_node));
  HOST_WIDE_INT bytes;
  if (!VECTOR_MODE_P (mode) || !GET_MODE_SIZE (mode).is_constant (&bytes))
    return 1;
  return MAX (bytes / widest, 1);
}

} // namespace memprof::plugin
