/* addressable.h - take the address of a variable for one function only.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_ADDRESSABLE_H
#define MEMPROF_ADDRESSABLE_H

namespace memprof::plugin {

/* DECL may be the operand of an ADDR_EXPR in the function that is compiled.  */
void make_addressable (tree decl);

/* For plugin_init, in both kinds of compile.  */
void register_addressable (const char *plugin_name);

} // namespace memprof::plugin

#endif
