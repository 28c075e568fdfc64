/* type_facts.h - finds code that depends on where the fields of a record lie.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_TYPE_FACTS_H
#define MEMPROF_TYPE_FACTS_H

namespace memprof::plugin {

/* For plugin_init of a compile that instruments.  */
void register_type_facts (const char *plugin_name);

} // namespace memprof::plugin

#endif
