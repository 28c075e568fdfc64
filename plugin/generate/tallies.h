/* tallies.h - accesses that are counted while a loop runs.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_TALLIES_H
#define MEMPROF_TALLIES_H

#include "plugin/generate/edge_places.h"
#include "plugin/generate/object_root.h"

namespace memprof::plugin {

class descriptor_table;
class name_expansions;

/* A loop that counts accesses, and what they are.  */
class loop_tally
{
public:
  explicit loop_tally (class loop *loop) : loop_ (loop) {}

  void add (const access_site &site, const object_root &root);
  class loop *loop () const { return loop_; }

  /* Emits counters, and a record at each exit.  Row FIRST_SITE belongs to the
     first site of the function.  Its variables must be renamed.  */
  void emit (unsigned first_site, edge_places &places,
	     descriptor_table &descriptors, name_expansions &expansions);

private:
  struct counter
  {
    basic_block bb;
    gimple *first;		/* access in it */
    tree variable;
  };
  struct last_address
  {
    object_root root;
    tree variable;
  };
  struct entry
  {
    access_site site;
    object_root root;
    unsigned counter, address;	/* no address for variables of the program */
  };

  void emit_counters (edge_places &places);
  void emit_record (gimple *place, unsigned first, unsigned end,
		    unsigned first_site, descriptor_table &descriptors,
		    name_expansions &expansions);

  class loop *loop_;
  auto_vec<counter> counters_;
  auto_vec<last_address> addresses_;
  auto_vec<entry> entries_;
};

/* Moves the sites of SITES that loops of FUN can count to TALLIES.  */
void find_tallies (function *fun, auto_vec<access_site> &sites,
		   auto_delete_vec<loop_tally> &tallies);

} // namespace memprof::plugin

#endif
