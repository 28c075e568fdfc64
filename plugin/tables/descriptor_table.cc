/* descriptor_table.cc - builds the descriptors of one function.
   SPDX-License-Identifier: GPL-3.0-or-later

   The words are held in a plain vector: garbage collection runs only between
   passes, and the table is complete when the pass ends.  */

#include "plugin/gcc-common.h"
#include "plugin/tables/descriptor_table.h"
#include "runtime/wire/record.h"
#include "plugin/sites/runtime_decls.h"

namespace memprof::plugin {

descriptor_table::descriptor_table ()
{
  static unsigned number;
  char name[40];
  sprintf (name, "__memprof_descriptors.%u", number++);
  variable_
    = make_table_variable (name, build_array_type_nelts (runtime ().word, 1),
			   MPRT_DESC_ALIGN);
}

tree
descriptor_table::add (vec<tree> &words, unsigned record_words)
{
  gcc_assert (record_words <= MPRT_MAX_RECORD_WORDS);
  HOST_WIDE_INT offset = words_.length () * 8 + record_words;
  for (tree word : words)
    words_.safe_push (word);
  while (words_.length () % (MPRT_DESC_ALIGN / 8) != 0)
    words_.safe_push (word_constant (0));
  tree target = build2 (MEM_REF, char_type_node,
			build_fold_addr_expr (variable_),
			build_int_cst (ptr_type_node, offset));
  return build1 (ADDR_EXPR, ptr_type_node, target);
}

void
descriptor_table::finish ()
{
  if (!words_.is_empty ())
    define_word_table (variable_, words_);
}

bool
constant_address_p (tree decl)
{
  if (!VAR_P (decl) || !is_global_var (decl) || DECL_THREAD_LOCAL_P (decl)
      || DECL_WEAK (decl) || DECL_HAS_VALUE_EXPR_P (decl))
    return false;
  if (DECL_EXTERNAL (decl) || !TREE_STATIC (decl))
    return !flag_function_sections;
  return TREE_PUBLIC (decl) || !DECL_COMDAT_GROUP (current_function_decl);
}

} // namespace memprof::plugin
