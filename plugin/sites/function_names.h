/* function_names.h - the name that identifies a function in its source file.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_FUNCTION_NAMES_H
#define MEMPROF_FUNCTION_NAMES_H

namespace memprof::plugin {

/* The source file of DECL's translation unit after -ffile-prefix-map.  */
const char *source_file (const_tree decl);

/* What the assembler calls DECL, without a target's mark.  */
const char *assembler_name (tree decl);

/* What DECL, a function of this compile, is called in a profile.  No other function of its
   source file has that name in this compile.  Lives until the compiler ends.  */
const char *function_name_in_profile (tree decl);

/* Whether no other function of DECL's source file is of its family (name_family.h).  */
bool alone_in_family_p (tree decl);

} // namespace memprof::plugin

#endif
