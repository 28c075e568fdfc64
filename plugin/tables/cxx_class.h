/* cxx_class.h - what only the front end of C++ knows about a class.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_CXX_CLASS_H
#define MEMPROF_CXX_CLASS_H

namespace memprof::plugin {

/* For compiles of C++ only.  Why the fields of TYPE must stay where they are, or
   null.  */
const char *fixed_class (tree type);

bool empty_class_p (tree type);

} // namespace memprof::plugin

#endif
