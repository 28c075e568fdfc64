/* layout_notes.h - what an object file says about the layout of records.
   SPDX-License-Identifier: GPL-3.0-or-later

   With -fprofile-mem-move-fields each unit writes a section that is not loaded, .memprof.layouts.  The
   linker's plugin (consumers/link) reads the sections of all objects and refuses objects that disagree.  The format is in
   consumers/decide/layout_check.h.  */

#ifndef MEMPROF_LAYOUT_NOTES_H
#define MEMPROF_LAYOUT_NOTES_H

namespace memprof::plugin {

/* The definition of TYPE has been read: KEY identifies its fields in the order of the
   source, HASH the places of the fields; 0: they have not been moved.  */
void note_layout (tree type, uint32_t key, uint32_t hash);

/* At the end of the unit: writes the section.  */
void write_layout_notes ();

/* For plugin_init.  */
void register_layout_notes (const char *plugin_name);

} // namespace memprof::plugin

#endif
