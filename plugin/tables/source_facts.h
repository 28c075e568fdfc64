/* source_facts.h - what the front end folds away about the layout of records.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_SOURCE_FACTS_H
#define MEMPROF_SOURCE_FACTS_H

namespace memprof::plugin {

/* NAME, a tag or a typedef, represents the record TYPE.  */
void name_type (const char *name, tree type);

/* For plugin_init.  */
void register_source_facts (const char *plugin_name);

} // namespace memprof::plugin

#endif
