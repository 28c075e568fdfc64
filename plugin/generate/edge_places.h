/* edge_places.h - places for code on edges and around statements.
   SPDX-License-Identifier: GPL-3.0-or-later

   A place is a GIMPLE_NOP; code goes before it.  Places on one edge share
   a block and keep the order in which they were requested.  */

#ifndef MEMPROF_EDGE_PLACES_H
#define MEMPROF_EDGE_PLACES_H

namespace memprof::plugin {

/* Whether nothing can be put after STMT in its block: control leaves the block there, by
   whatever edge, or does not go on.  GCC's stmt_ends_bb_p forgets __builtin_return and calls
   whose mark as leaving has been taken back, because they call nothing.  */
bool ends_block_p (gimple *stmt);

class edge_places
{
public:
  ~edge_places ();
  /* Removes the places.  */
  void release ();
  edge_places () = default;
  edge_places (const edge_places &) = delete;
  edge_places &operator= (const edge_places &) = delete;

  /* Before STMT, after earlier such places.  */
  gimple *before (gimple *stmt);

  /* At the start of BB, before its first statement and after earlier such
     places.  */
  gimple *at_start (basic_block bb);

  /* The same, before earlier such places.  */
  gimple *first_at_start (basic_block bb);

  /* At the end of BB: before the statement that leaves it.  */
  gimple *at_end (basic_block bb);

  /* After STMT, after earlier such places.  If STMT ends its block, on the
     edge that control takes when it is complete; null if it never is.  */
  gimple *after (gimple *stmt);

  /* On edge E, after earlier such places; null if E is abnormal.  */
  gimple *on (edge e);

private:
  gimple *make ();

  auto_vec<gimple *> places_;
  /* The last place at the start of a block, after a statement, and on an
     edge.  */
  hash_map<basic_block, gimple *> last_at_start_;
  hash_map<gimple *, gimple *> last_after_;
  hash_map<edge, gimple *> last_on_;
};

} // namespace memprof::plugin

#endif
