/* movable_reference.h - what the qualifiers of a reference allow to be done with it.
   SPDX-License-Identifier: GPL-3.0-or-later

   Transformations compute addresses of references (to prefetch them, to compare ranges)
   and perform loads at other places (an index some iterations ahead, what does not
   change in a loop before it).  What is said of a reference besides its address is
   in its type or its form, and is lost where only the address is taken:

     named address space	*(int __seg_gs *) 16 is not at address 16
     volatile, _Atomic		each access counts, in its order
     part of bytes		a bit-field, a lane of a vector, half of a complex number
     byte order			scalar_storage_order: the value is swapped

   All transformations use these functions.  A transformation that a qualifier does not forbid must
   keep the qualifier: alignment, by the type of the new
   reference; `restrict', by a new reference that may alias anything; byte order, by
   copying the whole reference or by same_byte_order.  */

#ifndef MEMPROF_MOVABLE_REFERENCE_H
#define MEMPROF_MOVABLE_REFERENCE_H

namespace memprof::plugin {

enum reference_obstacle
{
  REFERENCE_MOVABLE,
  REFERENCE_OTHER_SPACE, // in a named address space
  REFERENCE_VOLATILE,	 // or atomic
  REFERENCE_PART,	 // of the bytes at its address
  REFERENCE_REORDERED	 // a view of bytes that are in the other order
};

/* What forbids to take the address of REF for another use.  */
reference_obstacle address_obstacle (tree ref);

/* What forbids to load REF at another place.  */
reference_obstacle load_obstacle (tree ref);

/* Gives LOAD, a reference of the same bytes as REF, the byte order of REF.  */
void same_byte_order (tree load, tree ref);

} // namespace memprof::plugin

#endif
