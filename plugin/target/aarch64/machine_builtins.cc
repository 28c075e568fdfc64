/* machine_builtins.cc - AArch64: what built-in functions of the machine do to memory.
   SPDX-License-Identifier: GPL-3.0-or-later

   GCC makes an ordinary load or store of vld1q_s32 and vst1q_s32.  Loads and stores of several vectors stay calls,
   whose pointer is declared as one to a single element:

     __builtin_aarch64_ld3v4si (const int *)		a load of 48 bytes, what it returns
     __builtin_aarch64_st1x2v4si (int *, value)		a store of 32 bytes, the value
     __builtin_aarch64_ld2rv4si (const int *)		of 2 elements, each for all lanes of a vector
     __builtin_aarch64_st3_lanev4si (int *, value, 2)	of 3 elements, one lane of each vector

   What others do, the declared types say.  Not what a predicate of SVE selects.  */

#include "plugin/gcc-common.h"
#include "plugin/target/target.h"

namespace memprof::plugin {

namespace {

/* The bytes that CALL of the function NAME, without the prefix, loads from where its first argument points
   to, or stores there; 0: it is another function.  */

HOST_WIDE_INT
bytes_of (gcall *call, const char *name)
{
  const bool load = startswith (name, "ld");
  if ((!load && !startswith (name, "st")) || !ISDIGIT (name[2]) || gimple_call_num_args (call) < (load ? 1 : 2))
    return 0;
  const char *rest = name + 3;
  if (*rest == 'r' || startswith (rest, "_lane"))
    {
      tree element = TREE_TYPE (TREE_VALUE (TYPE_ARG_TYPES (gimple_call_fntype (call))));
      return (name[2] - '0') * int_size_in_bytes (element);
    }
  return int_size_in_bytes (load ? gimple_call_return_type (call) : TREE_TYPE (gimple_call_arg (call, 1)));
}

} // anonymous namespace

void
processor::machine_accesses (gcall *call, vec<machine_access> &accesses)
{
  const char prefix[] = "__builtin_aarch64_";
  tree decl = gimple_call_fndecl (call);
  if (!decl || !fndecl_built_in_p (decl, BUILT_IN_MD))
    return;
  const char *name = DECL_NAME (decl) ? IDENTIFIER_POINTER (DECL_NAME (decl)) : "";
  const HOST_WIDE_INT bytes
    = startswith (name, prefix) ? bytes_of (call, name + sizeof prefix - 1) : 0;
  if (bytes <= 0)
    declared_accesses (call, accesses);
  else
    accesses.safe_push ({ name[sizeof prefix - 1] == 'l' ? MPRT_OP_LOAD : MPRT_OP_STORE,
			  gimple_call_arg (call, 0), NULL_TREE, bytes, NULL_TREE });
}

} // namespace memprof::plugin
