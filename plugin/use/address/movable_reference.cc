/* movable_reference.cc - see movable_reference.h.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/use/address/movable_reference.h"

namespace memprof::plugin {

namespace {

bool
other_space_p (tree type)
{
  return !ADDR_SPACE_GENERIC_P (TYPE_ADDR_SPACE (type));
}

/* Whether REF, or a pointer that it goes through, is of a named address space.  */

bool
in_other_space_p (tree ref)
{
  for (; handled_component_p (ref); ref = TREE_OPERAND (ref, 0))
    if (other_space_p (TREE_TYPE (ref)))
      return true;
  if (other_space_p (TREE_TYPE (ref)))
    return true;
  if (TREE_CODE (ref) != MEM_REF && TREE_CODE (ref) != TARGET_MEM_REF)
    return false;
  tree pointer = TREE_TYPE (TREE_OPERAND (ref, 0));
  return POINTER_TYPE_P (pointer) && other_space_p (TREE_TYPE (pointer));
}

bool
volatile_p (tree ref)
{
  for (;; ref = TREE_OPERAND (ref, 0))
    {
      if (TREE_THIS_VOLATILE (ref) || TYPE_ATOMIC (TREE_TYPE (ref)))
	return true;
      if (!handled_component_p (ref))
	return false;
    }
}

bool
part_p (tree ref)
{
  return TREE_CODE (ref) == BIT_FIELD_REF || TREE_CODE (ref) == REALPART_EXPR
	 || TREE_CODE (ref) == IMAGPART_EXPR
	 || contains_bitfld_component_ref_p (ref);
}

} // anonymous namespace

reference_obstacle
address_obstacle (tree ref)
{
  return in_other_space_p (ref) ? REFERENCE_OTHER_SPACE : REFERENCE_MOVABLE;
}

reference_obstacle
load_obstacle (tree ref)
{
  if (in_other_space_p (ref))
    return REFERENCE_OTHER_SPACE;
  if (volatile_p (ref) && !seeded (fault::volatile_access))
    return REFERENCE_VOLATILE;
  if (part_p (ref))
    return REFERENCE_PART;
  return storage_order_barrier_p (ref) ? REFERENCE_REORDERED
				       : REFERENCE_MOVABLE;
}

void
same_byte_order (tree load, tree ref)
{
  REF_REVERSE_STORAGE_ORDER (load)
    = reverse_storage_order_for_component_p (ref);
}

} // namespace memprof::plugin
