/* name_family.h - what of a function's name GCC has numbered.
   SPDX-License-Identifier: GPL-3.0-or-later

   For static functions GCC makes names of parts with dots between:

     visit.7.constprop.0.lto_priv.2
	   |     |	      +-- made unique among several files (-flto)
	   |     +-- the first of these clones of visit.7
	   +-- made unique by the front end: the seventh such name of the file

   Strings only; no GCC types, no standard containers: both sides of bridge.h need it.  */

#ifndef MEMPROF_NAME_FAMILY_H
#define MEMPROF_NAME_FAMILY_H

namespace memprof::plugin {

/* ASSEMBLER_NAME with AROUND in front if the front end numbered it, without that number unless
   KEEP_NUMBER, and without what tells several files apart.  The caller frees the result.  */
char *name_without_numbers (const char *assembler_name, const char *around,
			    bool keep_number);

/* What the name NAME in a profile has in common with those of all clones: no numbers, no
   words for clones.  The caller frees the result.  */
char *name_family (const char *name);

} // namespace memprof::plugin

#endif
