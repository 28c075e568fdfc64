/* streaming_fence.cc - stores that bypass the caches, and their end.
   SPDX-License-Identifier: GPL-3.0-or-later

   GCC expands an assignment with its flag of non-temporal moves to such a store for the modes below: movnti,
   movntdq, movntps, movntpd.  They are weakly ordered, unlike all other stores of x86; sfence orders them
   before later stores (Intel SDM, volume 3, 9.2.2; AMD APM, volume 2, 7.1).  */

#include "plugin/gcc-common.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

bool
processor::streaming_possible_p (machine_mode mode)
{
  switch (mode)
    {
    case E_SImode:
    case E_V4SFmode:
    case E_V2DFmode:
    case E_V2DImode:
      return TARGET_SSE2;
    case E_DImode:
      return TARGET_SSE2 && TARGET_64BIT;
    case E_V8SFmode:
    case E_V4DFmode:
    case E_V4DImode:
      return TARGET_AVX;
    case E_V16SFmode:
    case E_V8DFmode:
    case E_V8DImode:
      return TARGET_AVX512F;
    default:
      return false;
    }
}

gimple *
processor::build_streaming_fence ()
{
  vec<tree, va_gc> *clobbers = NULL;
  vec_safe_push (clobbers, build_tree_list (NULL_TREE, build_string (6, "memory")));
  gasm *fence = gimple_build_asm_vec ("sfence", NULL, NULL, clobbers, NULL);
  gimple_asm_set_volatile (fence, true);
  return fence;
}

} // namespace memprof::plugin
