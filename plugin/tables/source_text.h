/* source_text.h - how code is called in a profile that people read.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_SOURCE_TEXT_H
#define MEMPROF_SOURCE_TEXT_H

#include "plugin/sites/access_sites.h"

namespace memprof::plugin {

/* A short text.  */
class text
{
public:
  const char *c_str () const { return buffer_; }
  void append (const char *s);
  void append (HOST_WIDE_INT number);
  bool full_p () const { return length_ + 1 >= sizeof buffer_; }

private:
  char buffer_[96] = "";
  size_t length_ = 0;
};

/* The access as the source may have written it: `p->next', `a[i]'.  */
void expression_text (const access_site &site, text *out);

/* The record type and the path of the field that REF names, e.g. "struct node"
   and "pos.x"; empty if it names none.  */
void field_text (tree ref, text *record, text *field);

/* The name of TYPE: "struct node", "double"; empty if it has none.  */
void type_text (tree type, text *out);

/* The name of DECL for people.  */
const char *printable_name (tree decl);

} // namespace memprof::plugin

#endif
