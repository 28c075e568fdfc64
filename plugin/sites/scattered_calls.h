/* scattered_calls.h - calls that write where a list in memory says: readv, recvmsg.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_SCATTERED_CALLS_H
#define MEMPROF_SCATTERED_CALLS_H

#include "runtime/wire/record.h"

namespace memprof::plugin {

struct scattered_function
{
  const char *name;
  unsigned list, count;		/* arguments; COUNT 0: one */
  mprt_scattered kind;
};

/* What CALL calls, if it is one of these; or null.  */
const scattered_function *scattered_function_of (gcall *call);

} // namespace memprof::plugin

#endif
