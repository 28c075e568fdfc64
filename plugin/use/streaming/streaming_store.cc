/* streaming_store.cc - makes a store bypass the caches.
   SPDX-License-Identifier: GPL-3.0-or-later

   GCC's own flag of an assignment says so, and is expanded to the processor's instruction, if the mode
   has one (plugin/target).  There may be one for 4 and 8 bytes of a general register, at any
   address, and one for each vector, at addresses that are a multiple of its size.  So

     vector, known to be aligned	the store itself
     vector, else			its 8-byte parts
     double, float			their bits, as an integer

       MEM <vector(2) double> [p] = x;	     _1 = VIEW_CONVERT_EXPR <vector(2) long> (x);
					     MEM <long> [p] = BIT_FIELD_REF <_1, 64, 0>;       // movnti
					     MEM <long> [p + 8] = BIT_FIELD_REF <_1, 64, 64>;  // movnti

   Order.  Such stores of a thread may become visible to others after later stores; so a thread that sees a flag
   which says that the array is full might read what was there before.  A fence at each exit of the loop puts
   them before all that follows.  Within the loop there is nothing that another thread may
   wait for: no call, no asm, no atomic or volatile access.  The thread itself, and its signal handlers,
   see what they stored in the order of the program.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/target/target.h"
#include "plugin/use/streaming/streaming_store.h"

namespace memprof::plugin {

namespace {

const HOST_WIDE_INT k_part_bytes = 8;

/* The mode of integers of BYTES.  */

machine_mode
integer_mode (HOST_WIDE_INT bytes)
{
  scalar_int_mode mode;
  return int_mode_for_size (bytes * BITS_PER_UNIT, 0).exists (&mode) ? machine_mode (mode) : VOIDmode;
}

/* Whether STORE can be executed past the caches as it is.  */

bool
as_it_is_p (gassign *store)
{
  tree ref = gimple_assign_lhs (store);
  const machine_mode mode = TYPE_MODE (TREE_TYPE (ref));
  return processor::streaming_possible_p (mode)
	 && (SCALAR_INT_MODE_P (mode)
	     || get_object_alignment (ref) >= unsigned (stored_bytes (store) * BITS_PER_UNIT));
}

} // anonymous namespace

HOST_WIDE_INT
stored_bytes (gassign *store)
{
  return int_size_in_bytes (TREE_TYPE (gimple_assign_lhs (store)));
}

bool
streams_p (gassign *store)
{
  tree ref = gimple_assign_lhs (store);
  const HOST_WIDE_INT size = stored_bytes (store);
  if (!gimple_assign_single_p (store) || gimple_assign_load_p (store)
      || !is_gimple_reg_type (TREE_TYPE (ref)) || size <= 0 || contains_bitfld_component_ref_p (ref)
      || (TREE_CODE (ref) != MEM_REF && reverse_storage_order_for_component_p (ref)))
    return false;
  if (as_it_is_p (store))
    return true;
  if (size > k_part_bytes && (size % k_part_bytes || !VECTOR_TYPE_P (TREE_TYPE (ref))))
    return false;
  const machine_mode mode = integer_mode (MIN (size, k_part_bytes));
  return mode != VOIDmode && processor::streaming_possible_p (mode);
}

void
make_streaming (gassign *store)
{
  if (as_it_is_p (store))
    {
      gimple_assign_set_nontemporal_move (store, true);
      return;
    }
  tree ref = gimple_assign_lhs (store), value = gimple_assign_rhs1 (store);
  const HOST_WIDE_INT size = stored_bytes (store), part = MIN (size, k_part_bytes);
  tree type = build_nonstandard_integer_type (part * BITS_PER_UNIT, true);
  const unsigned align = MIN (get_object_alignment (ref), unsigned (part * BITS_PER_UNIT));
  tree alias = reference_alias_ptr_type (ref);
  gimple_seq seq = NULL;
  tree address = force_gimple_operand (build_fold_addr_expr (unshare_expr (ref)), &seq, true, NULL_TREE);
  tree bits = gimple_build (&seq, VIEW_CONVERT_EXPR,
			    size == part ? type : build_vector_type (type, size / part), value);
  for (HOST_WIDE_INT at = 0; at < size; at += part)
    {
      tree piece = size == part
		     ? bits
		     : gimple_build (&seq, BIT_FIELD_REF, type, bits, bitsize_int (part * BITS_PER_UNIT),
				     bitsize_int (at * BITS_PER_UNIT));
      if (seeded (fault::lost_part) && at && at + part == size)
	break;
      tree place = build2 (MEM_REF, build_aligned_type (type, align), address,
			   build_int_cst (alias, at));
      gassign *stmt = gimple_build_assign (place, piece);
      gimple_set_location (stmt, gimple_location (store));
      gimple_assign_set_nontemporal_move (stmt, true);
      gimple_seq_add_stmt (&seq, stmt);
    }
  gimple_stmt_iterator gsi = gsi_for_stmt (store);
  gsi_insert_seq_before (&gsi, seq, GSI_SAME_STMT);
  unlink_stmt_vdef (store);
  gsi_remove (&gsi, true);
  release_defs (store);
}

void
order_streaming (class loop *loop)
{
  if (seeded (fault::no_fence))
    return;
  for (edge exit : get_loop_exit_edges (loop))
    {
      if (!single_pred_p (exit->dest))
	split_loop_exit_edge (exit);
      gimple_stmt_iterator gsi = gsi_after_labels (exit->dest);
      gsi_insert_before (&gsi, processor::build_streaming_fence (), GSI_SAME_STMT);
    }
}

} // namespace memprof::plugin
