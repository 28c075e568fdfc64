/* list_walk.h - a loop that goes from node to node of a list.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LIST_WALK_H
#define MEMPROF_LIST_WALK_H

namespace memprof::plugin {

/* for (node = start; node; node = node->next): NEXT loads the pointer at the end of an
   iteration.  NODE is null where a loop walks no list.  */
struct list_walk
{
  gphi *node = nullptr;
  tree start = NULL_TREE;
  gassign *next = nullptr;
};

list_walk find_list_walk (class loop *loop);

/* The inner loop of LOOP, directly in it, whose list starts with the value NAME; null:
   there is none.  */
class loop *walk_from (class loop *loop, tree name);

/* Whether REF is a part of the node, at a place in it that does not change.  */
bool part_of_node_p (const list_walk &walk, tree ref);

/* The first load in BB from the node of at least BYTES bytes, or null.  */
gassign *load_of_node (basic_block bb, const list_walk &walk, unsigned HOST_WIDE_INT bytes);

/* A load from the node, of at least as many bytes as NEXT loads, that LOOP performs in the
   first iteration of each entry: NEXT itself if possible; null: there is none.  */
gassign *sure_load_of_node (class loop *loop, const list_walk &walk);

} // namespace memprof::plugin

#endif
