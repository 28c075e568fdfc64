/* length_code.h - code that computes what a library call reads or writes.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LENGTH_CODE_H
#define MEMPROF_LENGTH_CODE_H

#include "plugin/sites/memory_functions.h"

namespace memprof::plugin {

/* The first address that ROW of CALL touches, and how many bytes, as values of
   type word computed before PLACE.  FRONT is a place before the call;
   PLACE is the same or, when row->after_p (), after the call.  */
tree emit_row_address (gimple *front, gimple *place, gcall *call,
		       const memory_function *row);
tree emit_row_length (gimple *front, gimple *place, gcall *call,
		      const memory_function *row);

/* The result of CALL; gives it one if the program ignores it.  */
tree call_result (gcall *call);

/* Whether the exchange of CALL was successful: a boolean value.  */
tree emit_exchanged (gimple *place, gcall *call);

} // namespace memprof::plugin

#endif
