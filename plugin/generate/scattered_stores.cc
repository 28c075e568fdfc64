/* scattered_stores.cc - code that reports what readv or recvmsg has written.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/generate/scattered_stores.h"
#include "plugin/generate/length_code.h"
#include "plugin/generate/record_writer.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/sites/scattered_calls.h"

namespace memprof::plugin {

void
tell_scattered_stores (gcall *call, gimple *place)
{
  const scattered_function *f = scattered_function_of (call);
  const runtime_decls &rt = runtime ();
  tree list = force_word (place, gimple_call_arg (call, f->list));
  tree count = f->count ? force_word (place, gimple_call_arg (call, f->count)) : word_constant (1);
  // Of an int the sign must stay.
  tree result = force_word (place, fold_convert (ssizetype, call_result (call)));
  gcall *tell = gimple_build_call (rt.scattered, 4, list, count, result, word_constant (f->kind));
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, tell, GSI_SAME_STMT);
  cgraph_node::get (current_function_decl)
    ->create_edge (cgraph_node::get_create (rt.scattered), tell, gimple_bb (tell)->count);
}

} // namespace memprof::plugin
