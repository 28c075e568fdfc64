/* type_table.h - the layout of the record types that the unit accesses.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_TYPE_TABLE_H
#define MEMPROF_TYPE_TABLE_H

#include "../runtime/wire/site_table.h"

namespace memprof::plugin {

class string_pool;

class type_table
{
public:
  /* Adds the record that REF goes through, once.  */
  void note (string_pool &strings, tree ref);

  const vec<mprt_type> &types () const { return types_; }
  const vec<mprt_field> &fields () const { return fields_; }

private:
  bool add_fields (string_pool &strings, tree type);

  auto_vec<mprt_type> types_;
  auto_vec<mprt_field> fields_;
  hash_set<nofree_string_hash> known_;	/* by name */
};

} // namespace memprof::plugin

#endif
