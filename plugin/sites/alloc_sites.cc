/* alloc_sites.cc - which calls allocate.
   SPDX-License-Identifier: GPL-3.0-or-later

   An allocating call is a direct call of one of these:

   1. the allocation functions of libc, C++ and gfortran that the runtime knows;
   2. a wrapper: a function that has the attribute malloc or alloc_size in the
      source, or is named by -fprofile-mem-alloc-fn, or, with a profile, by that.

   A function that GCC itself has found to behave like malloc is not a wrapper: the
   recursive function that builds a tree behaves like malloc, too.

   In objects mode, a call that allocates fewer bytes than an object of interest has,
   as far as GCC can tell, is left out.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/alloc_sites.h"
#include "plugin/sites/function_names.h"
#include "plugin/options.h"

namespace memprof::plugin {

namespace {

/* Functions whose objects are known to the runtime.  */
const char *const k_allocators[]
  = { "malloc",	      "calloc",		"realloc",	  "reallocarray",
      "aligned_alloc", "posix_memalign", "memalign",	  "valloc",
      "pvalloc",      "strdup",		"strndup",	  "mmap",
      "mmap64",	      "mremap",		"shmat",	  "_Znwm",
      "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t",
      "_ZnwmSt11align_val_tRKSt9nothrow_t",
      "_ZnamSt11align_val_tRKSt9nothrow_t", "_gfortran_allocate" };

/* What follows NAME if it is one of -fprofile-mem-alloc-fn=NAME:ARG,..., else null.  */

const char *
named_by_option (const char *name)
{
  size_t length = strlen (name);
  for (const char *list = options.alloc_fn; list && *list;)
    {
      size_t item = strcspn (list, ",");
      size_t item_name = MIN (strcspn (list, ":"), item);
      if (item_name == length && strncmp (list, name, length) == 0)
	return list + length;
      list += item + (list[item] == ',');
    }
  return nullptr;
}

bool
allocator_p (tree decl, const char *name)
{
  for (const char *known : k_allocators)
    if (strcmp (known, name) == 0)
      return true;
  // alloc_size belongs to the type, malloc to the declaration.
  return lookup_attribute ("malloc", DECL_ATTRIBUTES (decl))
	 || lookup_attribute ("alloc_size",
			      TYPE_ATTRIBUTES (TREE_TYPE (decl)))
	 || named_by_option (name);
}

/* Whether what CALL allocates is too small to be reported.  */

bool
small_p (gcall *call)
{
  wide_int range[2];
  return options.mode == MODE_OBJECTS && gimple_call_alloc_size (call, range)
	 && wi::ltu_p (range[1], options.object_bytes);
}

} // anonymous namespace

void
find_alloc_calls (function *fun, auto_vec<gcall *> &calls,
		  bool (*wrapper) (const char *name))
{
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb);
	 !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
      if (gcall *call = dyn_cast<gcall *> (gsi_stmt (gsi)))
	{
	  tree decl = gimple_call_fndecl (call);
	  if (decl && !gimple_call_internal_p (call)
	      && (allocator_p (decl, assembler_name (decl))
		  || (wrapper && wrapper (assembler_name (decl))))
	      && !small_p (call))
	    calls.safe_push (call);
	}
}

tree
carved_bytes (gcall *call)
{
  const char *rest = named_by_option (assembler_name (gimple_call_fndecl (call)));
  if (!rest)
    return NULL_TREE;
  unsigned long number = *rest == ':' ? strtoul (rest + 1, nullptr, 10) : 0;
  if (number > 0 && number <= gimple_call_num_args (call)
      && INTEGRAL_TYPE_P (TREE_TYPE (gimple_call_arg (call, number - 1)))
      && POINTER_TYPE_P (gimple_call_return_type (call)))
    return gimple_call_arg (call, number - 1);
  static bool reported;
  if (!reported)
    inform (gimple_location (call),
	    "memprof: %<-fprofile-mem-alloc-fn%> has no effect on pools of %qD: it has no "
	    "integer argument %lu, or returns no pointer",
	    gimple_call_fndecl (call), number);
  reported = true;
  return NULL_TREE;
}

const char *
allocator_name (tree decl)
{
  const char *name = assembler_name (decl);
  if (strncmp (name, "_Znw", 4) == 0)
    return "operator new";
  if (strncmp (name, "_Zna", 4) == 0)
    return "operator new[]";
  return name;
}

} // namespace memprof::plugin
