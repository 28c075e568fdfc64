/* early_iterations.h - iterations that are reported before the loop's header.
   SPDX-License-Identifier: GPL-3.0-or-later

   The header of an interpreter's loop holds nothing but the computed goto to the
   code of the next instruction, in which no record can go on:

     loop: goto *next;		   { iteration }	a record of its own
     add:  *a += *b;
	   next = table[*++pc];	   { a, b, pc, table }
	   goto loop;

   So the blocks that lead to such a header say at their end that it iterates,
   where a record is open as a rule, and the header is left as short as GCC needs
   to copy it to each of these blocks later:

     add:  *a += *b;
	   next = table[*++pc];	   { a, b, pc, table, iteration }
	   goto loop;

   Between the two places nothing is executed that anyone could see.  */

#ifndef MEMPROF_EARLY_ITERATIONS_H
#define MEMPROF_EARLY_ITERATIONS_H

#include "plugin/gcc-common.h"

namespace memprof::plugin {

class early_iterations
{
public:
  /* The blocks and loops of FUN are known.  */
  void start (function *fun);

  /* Whether the shape of LOOP allows it.  */
  static bool possible_p (class loop *loop);

  /* LOOP, for which that is so, is one: finds the paths to it.  */
  void add (class loop *loop);

  /* Whether LOOP is one.  */
  bool early_p (class loop *loop) const { return early_[loop->num]; }

  /* The loop whose iteration the end of BB reports, or null.  */
  class loop *after (basic_block bb) const { return after_[bb->index]; }

  /* Other paths to the next iteration of such a loop.  */
  const auto_vec<edge> &on_edges () const { return on_edges_; }

private:
  auto_vec<bool> early_;	/* by number of the loop */
  auto_vec<class loop *> after_; /* by number of the block */
  auto_vec<edge> on_edges_;
};

} // namespace memprof::plugin

#endif
