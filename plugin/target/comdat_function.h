/* comdat_function.h - a function in assembler of which the linker keeps one copy.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_COMDAT_FUNCTION_H
#define MEMPROF_COMDAT_FUNCTION_H

namespace memprof::plugin {

/* Begins function NAME.  TYPE is the assembler's word for functions, ALIGNMENT a directive or "".  With
   REPLACED, another function, NAME is hidden and REPLACED is weak.  */

inline void
begin_comdat_function (const char *name, const char *type, const char *alignment, const char *replaced)
{
  fprintf (asm_out_file,
	   "\t.section\t.text.%1$s,\"axG\",@progbits,%1$s,comdat\n"
	   "%3$s"
	   "\t.weak\t%1$s\n"
	   "\t.type\t%1$s, %2$s\n"
	   "%1$s:\n"
	   "\t.cfi_startproc\n",
	   name, type, alignment);
  if (replaced)
    fprintf (asm_out_file, "\t.hidden\t%s\n\t.weak\t%s\n", name, replaced);
}

inline void
end_comdat_function (const char *name)
{
  fprintf (asm_out_file,
	   "\t.cfi_endproc\n"
	   "\t.size\t%1$s, .-%1$s\n"
	   "\t.text\n",
	   name);
}

} // namespace memprof::plugin

#endif
