/* quiet_copy.cc - code that is there twice warns once.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/sites/quiet_copy.h"

namespace memprof::plugin {

void
suppress_warnings (basic_block bb)
{
  for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
       gsi_next (&gsi))
    if (!is_gimple_debug (gsi_stmt (gsi)))
      suppress_warning (gsi_stmt (gsi));
}

void
suppress_warnings (class loop *loop)
{
  basic_block *body = get_loop_body (loop);
  for (unsigned i = 0; i < loop->num_nodes; i++)
    suppress_warnings (body[i]);
  free (body);
}

} // namespace memprof::plugin
