/* gen_pass.h - registers the pass that instruments.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_GEN_PASS_H
#define MEMPROF_GEN_PASS_H

namespace memprof::plugin {

/* Registers memprof_gen after tsan, for optimised and for -O0 functions.  */
void register_gen_pass (const char *plugin_name);

} // namespace memprof::plugin

#endif
