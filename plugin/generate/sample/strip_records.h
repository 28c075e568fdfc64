/* strip_records.h - sample mode: removes records from the unprofiled body.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_STRIP_RECORDS_H
#define MEMPROF_STRIP_RECORDS_H

namespace memprof::plugin {

/* Removes what writes records from BB, a block of the unprofiled body.  What is computed
   for them and nothing else is dead then.  */
void strip_records (basic_block bb);

/* Switches off the samples of loops and calls in BB, a block of the instrumented body,
   which has the records themselves (loop_samples.h).  */
void switch_off_samples (basic_block bb);

} // namespace memprof::plugin

#endif
