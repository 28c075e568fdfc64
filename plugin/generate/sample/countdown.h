/* countdown.h - sample mode: what counts down in memory, and asks the runtime.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_COUNTDOWN_H
#define MEMPROF_COUNTDOWN_H

namespace memprof::plugin {

/* Before GSI: subtracts MINUS, if there is one, from VARIABLE, a countdown in memory.
   Returns whether it is below 0.  Where it can, load, subtraction, store and test are
   one instruction, for which GCC needs up to six and two registers.  */
tree count_down (gimple_stmt_iterator gsi, tree variable, tree minus);

/* Before GSI: asks the runtime, because the countdown to the next burst is over.
   Returns whether this is a burst.  WEIGHT, if not null, is the variable with what an
   entry takes from the countdown: one of the first entries is over.  */
tree ask_for_burst (gimple_stmt_iterator gsi, tree weight);

/* BB has the countdown to the next burst in KEPT, a register.  A sample of a loop or a call
   there may end it, so that a window begins (runtime/target/mprt_window.cc).  */
void show_countdown (basic_block bb, tree kept);

/* A new variable with what an entry of the function takes from the countdown: much at the
   first entries (MPRT_FIRST_ENTRY), then 1.  The unit's tables name it, as it says how many
   entries there were.  */
tree make_entry_weight ();

} // namespace memprof::plugin

#endif
