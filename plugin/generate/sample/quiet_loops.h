/* quiet_loops.h - sample mode: loops that are over before the next burst.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_QUIET_LOOPS_H
#define MEMPROF_QUIET_LOOPS_H

namespace memprof::plugin {

/* A loop header where control may go from one body to the other.  */
struct burst_header
{
  basic_block header;
  bool silent;		// the loop calls nothing
  tree executions;	// of it, if there may be a quiet version, or null
};

/* Whether control enters and leaves LOOP only on edges that can hold code.  */
bool plain_edges_p (class loop *loop);

/* How often the header of LOOP is executed, if that is known before it and LOOP may have
   a quiet version, or null.  Needs scalar evolution.  */
tree quiet_executions (class loop *loop);

class quiet_loops
{
public:
  /* Versions those of HEADERS that have `executions' in the current function.  The quiet
     versions still have records.  Needs an update of SSA form.  */
  void make (const vec<burst_header> &headers);

  /* Of the quiet versions.  */
  const vec<basic_block> &blocks () const { return blocks_; }

  /* The blocks that decide which version is executed, and those before the quiet
     ones.  */
  const vec<basic_block> &tests () const { return tests_; }

  /* BB, one of tests (), is of the instrumented body: no quiet version is executed.  */
  static void forbid (basic_block bb);

  /* BB, the copy of one, is in loops that have the countdown in KEPT.  */
  static void use_register (basic_block bb, tree kept);

private:
  void version (const burst_header &header);

  auto_vec<basic_block> blocks_, tests_;
};

} // namespace memprof::plugin

#endif
