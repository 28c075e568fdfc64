/* access_sites.h - which memory operations of a function are profiled.
   SPDX-License-Identifier: GPL-3.0-or-later

   The generate half instruments these sites, the use half matches them with a
   profile; both get the same list for the same code, whatever -g says.  */

#ifndef MEMPROF_ACCESS_SITES_H
#define MEMPROF_ACCESS_SITES_H

#include "runtime/wire/record.h"

namespace memprof::plugin {

struct memory_function;

/* One load or store that a statement performs.  */
struct access_site
{
  gimple *stmt;
  /* The memory reference (as written: a bit-field's own reference); null for
     what a call does through a pointer argument.  */
  tree ref;
  /* Without `ref': the pointer argument and, when it is simply an argument of
     the call, the number of bytes.  */
  tree address;
  tree length;
  /* Of a lane that an instruction accesses at a place of its own: what to add to `address',
     or null.  This and `length' may be expressions, to be copied for each use.  */
  tree offset;
  /* Without `ref': the row that says how far the access reaches, or null when
     `width' does.  */
  const memory_function *row;
  /* Bytes, or 0 when only the run knows.  For a bit-field those that hold some bit of
     it.  */
  HOST_WIDE_INT width;
  /* Number of this site in its function, from 0.  */
  unsigned ordinal;
  mprt_op kind;			/* MPRT_OP_LOAD or MPRT_OP_STORE */
  bool volatile_p;
  bool atomic_p;
  /* The access is complete, or its length known, only after the statement.  */
  bool after_p;
  /* The store of a compare-exchange: performed if the exchange succeeded.  */
  bool if_exchanged_p;
  /* The store to what a compare-exchange expected: if it did not succeed.  */
  bool if_failed_p;
  /* Of a reported site: what it loads or stores, if a profiling module needs it
     and it is a scalar of up to 8 bytes, or null.  */
  tree value;
};

/* Appends the sites of FUN to SITES.  Blocks in chain order, statements in
   order; in a statement loads before stores, operands left to right.  */
void collect_access_sites (function *fun, auto_vec<access_site> &sites);

/* Splits the address of SITE into *BASE + *OFFSET + the result.  *BASE is a
   pointer value or the address of a declaration or constant; *OFFSET is null
   or a tree of unsigned type that depends on SSA names.  */
HOST_WIDE_INT split_address (const access_site &site, tree *base,
			     tree *offset);

/* The reference whose address and size are those of the bytes that SITE
   touches, for analyses that cannot handle bit-fields; null when there is
   none.  */
tree byte_reference (const access_site &site);

/* Appends the sites of ALL whose executions a selected profiling module needs.  A
   load whose value is needed as well is complete after its statement.  */
void reported_sites (const auto_vec<access_site> &all,
		     auto_vec<access_site> &reported);

/* Whether what SITE loads or stores is known and a pointer.  */
bool moves_pointer_p (const access_site &site);

/* Whether T is read from or written to memory when it is an operand.  */
bool memory_reference_p (tree t);

} // namespace memprof::plugin

#endif
