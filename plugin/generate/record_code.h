/* record_code.h - which statements of a function only serve records.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_RECORD_CODE_H
#define MEMPROF_RECORD_CODE_H

namespace memprof::plugin {

/* Whether STMT only serves records and has an effect that would keep it.  */
bool serves_records_p (gimple *stmt);

/* Whether STMT counts down the iterations to the next loop sample
   (sample/loop_samples.h).  */
bool counts_work_p (gimple *stmt);

/* Whether STMT calls the runtime for a sample of a loop or call.  */
bool sample_call_p (gimple *stmt);

} // namespace memprof::plugin

#endif
