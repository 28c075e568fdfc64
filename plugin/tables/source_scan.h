/* source_scan.h - looks through the text of a source for what the front end folds away.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_SOURCE_SCAN_H
#define MEMPROF_SOURCE_SCAN_H

namespace memprof::plugin {

/* What is found.  Strings belong to the caller for the time of the call.  */
class text_listener
{
public:
  virtual void offsetof_type (const char *name) = 0;
  /* The address of a field called FIELD is compared with <, >, <= or >=, or another one is subtracted;
     null: of an unknown field.  */
  virtual void address_compared (const char *field) = 0;
  /* Assembler code has the word NAME; null: any word.  */
  virtual void named_in_asm (const char *name) = 0;
};

/* Looks through TEXT, a file in C or C++.  */
void scan_text (const char *text, text_listener &);

} // namespace memprof::plugin

#endif
