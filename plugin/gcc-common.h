/* gcc-common.h - every GCC header that the plugin needs, in an order that works.
   SPDX-License-Identifier: GPL-3.0-or-later

   All knowledge about the order of GCC's headers is here, and all knowledge about the
   differences between its versions in gcc-compat.h, which this header includes.  Source
   files of plugin/ include this header and nothing else of GCC.  A file that includes it
   includes no header of the standard library afterwards: system.h poisons malloc and
   others.  */

#ifndef MEMPROF_GCC_COMMON_H
#define MEMPROF_GCC_COMMON_H

#include "gcc-plugin.h"
#include "plugin-version.h"
#include "config.h"
#include "system.h"
#include "coretypes.h"
#include "backend.h"
#include "target.h"
#include "memmodel.h"
// The front end's classes, for a file that reads those of C++.  Before all headers that
// have messages.
#ifdef MEMPROF_CXX_CLASSES
#include "cp/cp-tree.h"
#endif
#include "tree.h"
#include "output.h"
#include "gimple.h"
#include "tree-pass.h"
#include "ssa.h"
#include "cgraph.h"
#include "diagnostic.h"
#include "fold-const.h"
#include "gimplify.h"
#include "gimple-iterator.h"
#include "gimplify-me.h"
#include "gimple-walk.h"
#include "gimple-fold.h"
#include "tree-cfg.h"
#include "tree-eh.h"
#include "tree-dfa.h"
#include "tree-inline.h"
#include "tree-iterator.h"
#include "tree-object-size.h"
#include "tree-into-ssa.h"
#include "tree-ssa-alias.h"
#include "cfgloop.h"
#include "cfgloopmanip.h"
#include "tree-ssa-loop.h"
#include "tree-ssa-loop-manip.h"
#include "tree-ssa-loop-niter.h"
#include "tree-ssa-loop-ivopts.h"
#include "tree-chrec.h"
#include "tree-scalar-evolution.h"
#include "tree-data-ref.h"
#include "tree-affine.h"
#include "sreal.h"
#include "stringpool.h"
#include "varasm.h"
#include "attribs.h"
#include "asan.h"
#include "calls.h"
#include "pointer-query.h"
#include "stor-layout.h"
#include "builtins.h"
#include "internal-fn.h"
#include "langhooks.h"
#include "alias.h"
#include "stmt.h"
#include "inchash.h"
#include "context.h"
#include "debug.h"
#include "opts.h"
#include "toplev.h"
#include "file-prefix-map.h"
#include "tree-pretty-print.h"
#include "gimple-pretty-print.h"
#include "ggc.h"
#include "rtl.h"
#include "emit-rtl.h"
#include "cpplib.h"

#include "gcc-compat.h"

#endif
