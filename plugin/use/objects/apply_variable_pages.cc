/* apply_variable_pages.cc - huge pages for large variables.
   SPDX-License-Identifier: GPL-3.0-or-later

   What is decided, and why: consumers/decide/variable_pages.h.  For each variable that gets
   them, the unit's assembly has a row of a table, which the linker puts together with the rows
   of the other units:

	.section  mprt_hot_variables,"aw",@progbits
	.balign   8
	.quad     count, 67108864
	.comm     __mprt_variables_wanted,4,4

   The common symbol takes runtime/arena/arena_variables.cc into a program, which finds the table
   by the symbols that the linker defines for the section.  A shared library has the table, and
   nothing reads it.

   The row is text and no initialiser of a variable in GIMPLE, because there an address in a
   table would be one that other functions may have: GCC would have to assume that each call
   changes the array.  So it is written when all code is, and only for variables that are in the
   output.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/tables/globals.h"
#include "plugin/use/objects/apply_variable_pages.h"
#include "plugin/use/objects/arena_calls.h"
#include "plugin/use/remarks.h"
#include "plugin/use/match/unit_profile.h"
#include "plugin/use/veto.h"

namespace memprof::plugin {

namespace {

/* No variable is looked at that is smaller, whatever the profile says.  */
const unsigned HOST_WIDE_INT k_least_bytes = 4096;

bool decided;
/* The symbols of the variables that get huge pages.  */
auto_vec<const char *> chosen;

/* Why the variable of NODE cannot have huge pages; null: it can.  */

const char *
obstacle_of (varpool_node *node)
{
  tree decl = node->decl;
  // -fdata-sections gives names, too.
  if (DECL_SECTION_NAME (decl) && !node->implicit_section)
    return "the source names its section";
  if (!DECL_COMMON (decl) && !bss_initializer_p (decl))
    return "its initial value is in the program's file";
  return nullptr;
}

void
decide_variable (varpool_node *node, profile *from)
{
  const variable_words words (node->decl);
  const location_t where = DECL_SOURCE_LOCATION (node->decl);
  decide::VariableCode code;
  code.file = words.file;
  code.line = words.line;
  code.name = words.name;
  code.type = words.type.c_str ();
  code.obstacle = obstacle_of (node);
  const decision_view *decision
    = profile_decide_variable (from,
			       definition_candidate (where, code.name,
						     decide::Transformation::huge_pages),
			       code);
  if (!decision)
    return;
  emit_remark (dump_user_location_t::from_location_t (where), *decision);
  if (decision->take)
    chosen.safe_push (xstrdup (node->asm_name ()));
}

bool
chosen_p (const char *name)
{
  for (const char *other : chosen)
    if (strcmp (name, other) == 0)
      return true;
  return false;
}

} // anonymous namespace

void
decide_variables (const char *source)
{
  if (decided || !optimize || !arena_calls_possible_p ()
      || switched_off_p (decide::Transformation::huge_pages))
    return;
  decided = true;
  varpool_node *node;
  FOR_EACH_DEFINED_VARIABLE (node)
    if (!node->alias && known_address_p (node->decl)
	&& tree_to_uhwi (DECL_SIZE_UNIT (node->decl)) >= k_least_bytes)
      decide_variable (node, opened_profile (source));
}

void
write_variable_table ()
{
  bool any = false;
  varpool_node *node;
  FOR_EACH_DEFINED_VARIABLE (node)
    if (!node->alias && TREE_ASM_WRITTEN (node->decl) && chosen_p (node->asm_name ()))
      {
	if (!any)
	  fputs ("\t.section\tmprt_hot_variables,\"aw\",@progbits\n\t.balign\t8\n", asm_out_file);
	any = true;
	fputs ("\t.quad\t", asm_out_file);
	assemble_name (asm_out_file, node->asm_name ());
	fprintf (asm_out_file, ", " HOST_WIDE_INT_PRINT_UNSIGNED "\n",
		 tree_to_uhwi (DECL_SIZE_UNIT (node->decl)));
      }
  if (any)
    fputs ("\t.text\n\t.comm\t__mprt_variables_wanted,4,4\n", asm_out_file);
}

} // namespace memprof::plugin
