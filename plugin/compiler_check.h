/* compiler_check.h - whether the compiler that loads the plugin fits it.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_COMPILER_CHECK_H
#define MEMPROF_COMPILER_CHECK_H

struct plugin_gcc_version;

namespace memprof::plugin {

/* Whether the compiler described by VERSION can load this plugin; if not, an error says
   why and what to do.  */
bool compiler_fits_p (const plugin_gcc_version *version);

/* Whether the program's libc is one that memprof knows; if not, an error says so.  */
bool libc_fits_p ();

} // namespace memprof::plugin

#endif
