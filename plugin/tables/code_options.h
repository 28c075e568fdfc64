/* code_options.h - the options of this compile that change code.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_CODE_OPTIONS_H
#define MEMPROF_CODE_OPTIONS_H

namespace memprof::plugin {

/* How the text begins when it is that of a link-time compile.  */
const char *const k_link_time_options = "-flto";

/* Their text, to be freed: "-O2 -fno-inline -march=native".  */
char *code_options_text ();

unsigned code_options_hash (const char *text);

/* The options in text A that are not in text B, to be freed; none about GCC's own profile.  */
char *options_only_in (const char *a, const char *b);

} // namespace memprof::plugin

#endif
