/* record_types.h - the record types that the unit defines.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_RECORD_TYPES_H
#define MEMPROF_RECORD_TYPES_H

namespace memprof::plugin {

/* A hash of TYPE's definition: name, file, line, and each field's name, place,
   size, alignment and type.  Units that include the same definition get the same
   key.  0: TYPE is not complete.  */
uint32_t definition_key (tree type);

/* Where TYPE is defined; UNKNOWN_LOCATION if GCC does not know.  */
location_t definition_place (tree type);

/* The file of that place, without folders.  */
const char *definition_file (tree type);

/* Whether TYPE is a record with a name from a header or source of the user.  */
bool user_record_p (tree type);

/* Why no record like TYPE may have its fields moved: "bit-fields", "bases"; null
   if one may.  */
const char *fixed_layout (tree type);

/* Calls FN when the definition of a record or union has been read, before its
   layout is used or described for the debugger, and again with each NAME that is
   given to it; of several in the order of their registration.  */
void watch_definitions (const char *plugin_name,
			void (*fn) (tree type, const char *name));

/* Whether the definition of TYPE, a main variant, was seen then.  */
bool definition_seen_p (tree type);

} // namespace memprof::plugin

#endif
