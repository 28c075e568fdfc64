/* accessed_subrange.cc - what a loop accesses of the bytes that an address steps over.
   SPDX-License-Identifier: GPL-3.0-or-later

   Problem: a loop over records of 256 bytes that loads four fields on as many lines loads
   all of memory in order, which the hardware foresees.  If they are on one line, it does
   not.  So of each step of an address one has to know what else the loop accesses:

     step 256:    0       64       128      192      256
     r->a, r->b   [a]...[b]                          part 0..19, the gap after it is longer
     r->a, r->z   [a]                        [z]     part -44..3: z of the record before
     four fields  [a]     [b]      [c]      [d]      none

   1. The distances of all accesses from the address, as far as they are constant, modulo
      the step.
   2. The longest gap between two of them, round the end of the step.
   3. The part is what follows the gap.  */

#include "plugin/gcc-common.h"
#include "plugin/use/address/reference_parts.h"
#include "plugin/use/address/value_graph.h"
#include "plugin/use/prefetch/accessed_subrange.h"

namespace memprof::plugin {

namespace {

/* Loops that access memory in more places are not looked through.  */
const unsigned k_max_accesses = 64;

/* What one access takes of a step.  */

struct piece
{
  HOST_WIDE_INT offset, bytes;
};

int
compare_pieces (const void *a, const void *b)
{
  const piece *x = static_cast<const piece *> (a);
  const piece *y = static_cast<const piece *> (b);
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The references in LOOP; false: there are too many.  */

bool
find_references (class loop *loop, auto_vec<tree> &refs)
{
  return all_statements_p (loop, [&] (gimple *stmt) {
    for (bool load : { true, false })
      if (tree ref = accessed_reference (stmt, load))
	refs.safe_push (ref);
    return refs.length () <= k_max_accesses;
  });
}

} // anonymous namespace

aff_tree
byte_address (tree ref, hash_map<tree, name_expansion *> **expansions)
{
  aff_tree result;
  tree_to_aff_combination_expand (
    build_fold_addr_expr (unshare_expr (byte_addressable (ref))), ptr_type_node,
    &result, expansions);
  return result;
}

bool
constant_distance_p (const aff_tree &from, const aff_tree &to, widest_int *bytes)
{
  aff_tree distance = from;
  aff_combination_scale (&distance, -1);
  aff_combination_add (&distance, const_cast<aff_tree *> (&to));
  return aff_combination_const_p (&distance) && distance.offset.is_constant (bytes);
}

bool
accessed_part (class loop *loop, const aff_tree &address, HOST_WIDE_INT step,
	       hash_map<tree, name_expansion *> **expansions, step_part *part)
{
  const HOST_WIDE_INT stride = absu_hwi (step);
  auto_vec<tree> refs;
  if (!find_references (loop, refs))
    return false;
  auto_vec<piece> pieces;
  for (tree ref : refs)
    {
      widest_int offset;
      tree size = TYPE_SIZE_UNIT (TREE_TYPE (ref));
      if (constant_distance_p (address, byte_address (ref, expansions), &offset)
	  && tree_fits_shwi_p (size))
	pieces.safe_push ({ wi::mod_floor (offset, stride, SIGNED).to_shwi (),
			    tree_to_shwi (size) });
    }
  pieces.qsort (compare_pieces);
  HOST_WIDE_INT gap = 0, begin = 0, end = 0;
  for (const piece &p : pieces)
    end = MAX (end, p.offset + p.bytes - stride);
  for (const piece &p : pieces)
    {
      if (p.offset - end > gap)
	gap = p.offset - end, begin = p.offset;
      end = MAX (end, p.offset + p.bytes);
    }
  if (stride - end > gap)
    gap = stride - end, begin = 0;
  // ADDRESS itself is at 0, so after the gap.
  part->first = begin ? begin - stride : 0;
  part->last = part->first + stride - gap - 1;
  return 2 * gap >= stride;
}

} // namespace memprof::plugin
