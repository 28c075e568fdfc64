/* narrow_index.h - indices of narrow unsigned types, which may wrap around.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_NARROW_INDEX_H
#define MEMPROF_NARROW_INDEX_H

namespace memprof::plugin {

/* The part SCALE * VALUE of an address, where VALUE is
   (VARIABLE + ADDEND) mod 2^BITS.  */
struct narrow_index
{
  tree value, variable;
  HOST_WIDE_INT addend;
  unsigned bits;
  HOST_WIDE_INT scale;
};

/* The narrow unsigned value that VALUE, of 64 bits, extends, or null.  */
tree extended_value (tree value);

/* Takes the only such part out of SUM, if it has one.  */
bool take_narrow_index (aff_tree *sum, narrow_index *index);

} // namespace memprof::plugin

#endif
