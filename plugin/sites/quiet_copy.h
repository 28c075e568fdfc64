/* quiet_copy.h - code that is there twice warns once.
   SPDX-License-Identifier: GPL-3.0-or-later

   Sample mode gives a function a second body, and versioning a loop a copy.  Passes after ours, such as those
   of -Wstringop-truncation, -Warray-bounds and -Wrestrict, would say of both copies what they say of the
   source.  One of them keeps quiet.  */

#ifndef MEMPROF_QUIET_COPY_H
#define MEMPROF_QUIET_COPY_H

namespace memprof::plugin {

/* No statement of BB causes a warning from now on.  */
void suppress_warnings (basic_block bb);
/* The same of each block of LOOP.  */
void suppress_warnings (class loop *loop);

} // namespace memprof::plugin

#endif
