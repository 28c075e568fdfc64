/* allocated_type.cc - what a call allocates.
   SPDX-License-Identifier: GPL-3.0-or-later

   What its pointer points to, as in

     struct node *n = malloc (sizeof *n);      struct node

   A container of C++ calls operator new through its allocator, whose pointer is one to void or to a base of
   the nodes.  There the argument of the allocator's template says more.  It is in the name of the function
   that is compiled, or of one that is inlined around the call:

     std::__new_allocator<std::_Rb_tree_node<int> >::allocate      std::_Rb_tree_node<int>

   GCC knows inlined functions only with -g.  */

#include "plugin/gcc-common.h"
#include "plugin/tables/allocated_type.h"

namespace memprof::plugin {

namespace {

/* Appends T if NAME is that of allocator<T>::allocate, of whichever allocator.  */

bool
append_argument (const char *name, text *out)
{
  static const char start[] = "allocator<", end[] = ">::allocate";
  const char *argument = strstr (name, start);
  const size_t length = strlen (name);
  if (!argument || length < strlen (end) || strcmp (name + length - strlen (end), end) != 0)
    return false;
  argument += strlen (start);
  char *type = xstrndup (argument, name + length - strlen (end) - argument);
  for (char *last = type + strlen (type); last > type && last[-1] == ' ';)
    *--last = 0;
  /* allocator_traits<allocator<T> > has another argument.  */
  const bool found = *type && !strstr (type, start);
  if (found)
    out->append (type);
  free (type);
  return found;
}

} // anonymous namespace

void
allocated_type_text (gcall *call, text *out)
{
  for (tree block = LOCATION_BLOCK (gimple_location (call)); block && TREE_CODE (block) == BLOCK;
       block = BLOCK_SUPERCONTEXT (block))
    if (inlined_function_outer_scope_p (block)
	&& append_argument (printable_name (BLOCK_ABSTRACT_ORIGIN (block)), out))
      return;
  if (append_argument (printable_name (current_function_decl), out))
    return;
  tree lhs = gimple_call_lhs (call);
  if (!lhs || !POINTER_TYPE_P (TREE_TYPE (lhs)))
    return;
  text type;
  type_text (TREE_TYPE (TREE_TYPE (lhs)), &type);
  if (strcmp (type.c_str (), "void") != 0)
    out->append (type.c_str ());
}

} // namespace memprof::plugin
