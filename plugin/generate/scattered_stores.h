/* scattered_stores.h - code that reports what readv or recvmsg has written.
   SPDX-License-Identifier: GPL-3.0-or-later

   How many buffers there are is known when the call has returned, so that it is the runtime
   that writes the records (runtime/target/mprt_scattered.cc):

       n = readv (fd, list, 2);		__mprt_scattered (list, 2, n, MPRT_SCATTERED_LIST);  */

#ifndef MEMPROF_SCATTERED_STORES_H
#define MEMPROF_SCATTERED_STORES_H

namespace memprof::plugin {

/* Tells the runtime what CALL, which has a scattered_function and ends before PLACE, has
   written.  */
void tell_scattered_stores (gcall *call, gimple *place);

} // namespace memprof::plugin

#endif
