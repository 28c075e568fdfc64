/* slow_path.h - how instrumented code calls __mprt_slow.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_SLOW_PATH_H
#define MEMPROF_SLOW_PATH_H

namespace memprof::plugin {

/* A statement that gives CURSOR to the runtime and sets RENEWED, for the block
   BB of the current function.  */
gimple *build_slow_call (tree renewed, tree cursor, basic_block bb);

/* At the end of the unit: writes what those statements call.  */
void write_slow_stub ();

} // namespace memprof::plugin

#endif
