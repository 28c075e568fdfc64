/* reference_parts.h - what the address of a reference is made of.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_REFERENCE_PARTS_H
#define MEMPROF_REFERENCE_PARTS_H

namespace memprof::plugin {

/* The reference that STMT, an assignment, loads from or stores to; null when
   it does not do that.  */
tree accessed_reference (gimple *stmt, bool load);

/* REF without what makes its address no byte address: the record around a
   bit-field.  */
tree byte_addressable (tree ref);

/* The address of REF, as an operand of code in this function.  */
tree address_of (tree ref);

/* A value of TYPE at ADDRESS, which may alias everything and need not be aligned.  */
tree plain_reference (tree type, tree address);

/* Calls FUNCTION (name, bytes that it counts for; 0 = not constant) for each
   SSA name in the address of REF.  */
template <typename Function>
void
for_each_name (tree ref, Function function)
{
  auto name = [&] (tree t, HOST_WIDE_INT scale) {
    if (t && TREE_CODE (t) == SSA_NAME)
      function (t, scale);
  };
  for (;; ref = TREE_OPERAND (ref, 0))
    switch (TREE_CODE (ref))
      {
      case ARRAY_REF:
      case ARRAY_RANGE_REF:
	{
	  tree size = array_ref_element_size (ref);
	  name (TREE_OPERAND (ref, 1),
		tree_fits_shwi_p (size) ? tree_to_shwi (size) : 0);
	  if (!tree_fits_shwi_p (size))
	    name (size, 0);
	  break;
	}
      case COMPONENT_REF:
	name (TREE_OPERAND (ref, 2), 0);
	break;
      case MEM_REF:
	if (TREE_CODE (TREE_OPERAND (ref, 0)) != ADDR_EXPR)
	  {
	    name (TREE_OPERAND (ref, 0), 1);
	    return;
	  }
	ref = TREE_OPERAND (ref, 0);
	break;
      case TARGET_MEM_REF:
	name (TMR_BASE (ref), 1);
	name (TMR_INDEX (ref), TMR_STEP (ref) ? tree_to_shwi (TMR_STEP (ref))
					      : 1);
	name (TMR_INDEX2 (ref), 1);
	return;
      default:
	if (!handled_component_p (ref))
	  return;
      }
}

} // namespace memprof::plugin

#endif
