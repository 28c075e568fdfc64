/* type_table.h - the layout of the record types that the unit accesses.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_TYPE_TABLE_H
#define MEMPROF_TYPE_TABLE_H

#include "runtime/wire/site_table.h"

namespace memprof::plugin {

class string_pool;

class type_table
{
public:
  /* Adds the record that REF goes through, once.  */
  void note (string_pool &strings, tree ref);

  /* Adds an obstacle to moving the fields of TYPE, which is there once for each
     KIND (and DETAIL, if EACH).  A null TYPE: about functions.  */
  void add_obstacle (string_pool &strings, tree type, const char *kind,
		     const char *detail, location_t where, bool each = false);

  const vec<mprt_type> &types () const { return types_; }
  const vec<mprt_field> &fields () const { return fields_; }
  const vec<mprt_obstacle> &obstacles () const { return obstacles_; }

private:
  bool add_fields (string_pool &strings, tree type);
  unsigned row_of (string_pool &strings, tree type);

  auto_vec<mprt_type> types_;
  auto_vec<mprt_field> fields_;
  auto_vec<mprt_obstacle> obstacles_;
  hash_map<nofree_string_hash, unsigned> rows_;	/* by name and key */
  hash_set<nofree_string_hash> noted_;		/* obstacles */
};

} // namespace memprof::plugin

#endif
