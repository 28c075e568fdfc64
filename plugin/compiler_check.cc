/* compiler_check.cc - whether the compiler that loads the plugin fits it.
   SPDX-License-Identifier: GPL-3.0-or-later

   A plugin reads GCC's structures directly, so it fits the compiler whose headers it was
   compiled with, and no other.  GCC's own plugin_default_version_check compares dates and
   the configure line as well, and would refuse each rebuild of a distribution's package.
   Two things matter:

     1. The base version, such as 14.2.0.  Structures differ between base versions.
     2. The numbers and sizes that it depends on.  Distributions patch GCC, and follow the release
	branch, without another base version.  An additional tree code, internal function
	or option moves all those after it, and the plugin would take one for the other.
	So their names, which this file has from the headers, are compared with those of
	the running compiler, and the sizes of the structures that it can be asked for.

   Takes some 20 microseconds.  Structures that no function of GCC gives the size of, such
   as cgraph_node, are not compared.  */

#include "plugin/gcc-common.h"
#include "plugin/compiler_check.h"

namespace memprof::plugin {

namespace {

const char *const tree_codes[] = {
#define DEFTREECODE(SYM, NAME, TYPE, LENGTH) NAME,
#define END_OF_BASE_TREE_CODES "@dummy",
#include "all-tree.def"
#undef DEFTREECODE
#undef END_OF_BASE_TREE_CODES
};

const char *const internal_functions[] = {
#define DEF_INTERNAL_FN(CODE, FLAGS, FNSPEC) #CODE,
#include "internal-fn.def"
#undef DEF_INTERNAL_FN
};

bool
same_tree_codes_p ()
{
  for (unsigned i = 0; i < ARRAY_SIZE (tree_codes); i++)
    if (strcmp (tree_codes[i], get_tree_code_name (tree_code (i))) != 0)
      return false;
  return true;
}

bool
same_internal_functions_p ()
{
  for (unsigned i = 0; i < ARRAY_SIZE (internal_functions); i++)
    if (strcmp (internal_functions[i], internal_fn_name (internal_fn (i))) != 0)
      return false;
  return true;
}

bool
same_sizes_p ()
{
  return tree_code_size (FUNCTION_DECL) == sizeof (tree_function_decl)
	 && tree_code_size (VAR_DECL) == sizeof (tree_var_decl)
	 && tree_code_size (FIELD_DECL) == sizeof (tree_field_decl)
	 && tree_code_size (RECORD_TYPE) == sizeof (tree_type_non_common)
	 && gimple_size (GIMPLE_ASSIGN, 1) == sizeof (gassign)
	 && gimple_size (GIMPLE_CALL, 1) == sizeof (gcall)
	 && gimple_size (GIMPLE_PHI) == sizeof (gphi);
}

/* Whether the program is for musl: by -mmusl or the compiler's default, or by the headers that musl-gcc
   names.  */

bool
musl_p ()
{
#ifdef OPTION_MUSL
  if (OPTION_MUSL)
    return true;
#endif
  for (unsigned i = 0; i < save_decoded_options_count; i++)
    if (save_decoded_options[i].opt_index == OPT_isystem
	&& strstr (save_decoded_options[i].arg, "-linux-musl"))
      return true;
  return false;
}

} // anonymous namespace

bool
libc_fits_p ()
{
  if (!musl_p ())
    return true;
  error ("memprof: programs with musl can be neither profiled nor rebuilt: runtime and arenas need "
	 "glibc; profile the program with glibc, or leave out %<-fprofile-mem-%>");
  return false;
}

bool
compiler_fits_p (const plugin_gcc_version *version)
{
  if (strcmp (version->basever, gcc_version.basever) != 0)
    error ("memprof: this plugin was built for GCC %s and cannot be used with GCC %s; "
	   "%<memprof doctor --compiler=%> and the name of the compiler says how to build "
	   "one for it",
	   gcc_version.basever, version->basever);
  else if (cl_options_count != N_OPTS || !same_tree_codes_p ()
	   || !same_internal_functions_p () || !same_sizes_p ())
    error ("memprof: this plugin was built for another GCC %s, of %s, than this one of %s; "
	   "build it again with the plugin headers of this compiler",
	   gcc_version.basever, gcc_version.datestamp, version->datestamp);
  else
    return true;
  return false;
}

} // namespace memprof::plugin
