/* scattered_calls.cc - calls that write where a list in memory says: readv, recvmsg.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/sites/scattered_calls.h"

namespace memprof::plugin {

namespace {

const scattered_function functions[]
  = { { "readv", 1, 2, MPRT_SCATTERED_LIST },
      { "preadv", 1, 2, MPRT_SCATTERED_LIST },
      { "preadv64", 1, 2, MPRT_SCATTERED_LIST },
      { "preadv2", 1, 2, MPRT_SCATTERED_LIST },
      { "preadv64v2", 1, 2, MPRT_SCATTERED_LIST },
      { "process_vm_readv", 1, 2, MPRT_SCATTERED_LIST },
      { "recvmsg", 1, 0, MPRT_SCATTERED_MESSAGE },
      { "recvmmsg", 1, 2, MPRT_SCATTERED_MESSAGES },
      { "recvfrom", 4, 5, MPRT_SCATTERED_BUFFER },
      { "accept", 1, 2, MPRT_SCATTERED_BUFFER },
      { "accept4", 1, 2, MPRT_SCATTERED_BUFFER },
      { "getsockname", 1, 2, MPRT_SCATTERED_BUFFER },
      { "getpeername", 1, 2, MPRT_SCATTERED_BUFFER },
      { "getsockopt", 3, 4, MPRT_SCATTERED_BUFFER } };

} // anonymous namespace

const scattered_function *
scattered_function_of (gcall *call)
{
  tree decl = gimple_call_internal_p (call) ? NULL_TREE : gimple_call_fndecl (call);
  if (!decl || !TREE_PUBLIC (decl) || !DECL_EXTERNAL (decl))
    return nullptr;
  const char *name = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (decl));
  name += *name == '*';
  for (const scattered_function &f : functions)
    if (strcmp (f.name, name) == 0)
      {
	unsigned args = gimple_call_num_args (call);
	bool fits = MAX (f.list, f.count) < args
		    && POINTER_TYPE_P (TREE_TYPE (gimple_call_arg (call, f.list)))
		    && INTEGRAL_TYPE_P (gimple_call_return_type (call));
	return fits ? &f : nullptr;
      }
  return nullptr;
}

} // namespace memprof::plugin
