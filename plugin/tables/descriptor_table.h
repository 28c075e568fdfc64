/* descriptor_table.h - the descriptors of one function.
   SPDX-License-Identifier: GPL-3.0-or-later

   A static array that holds one descriptor (runtime/wire/record.h) after the
   other.  The header word of a record is the address of its descriptor plus
   the record's length.  */

#ifndef MEMPROF_DESCRIPTOR_TABLE_H
#define MEMPROF_DESCRIPTOR_TABLE_H

namespace memprof::plugin {

class descriptor_table
{
public:
  descriptor_table ();

  /* Appends a descriptor: WORDS are its words, the first its header.  Returns
     the address of the record header for RECORD_WORDS words, a constant
     pointer.  */
  tree add (vec<tree> &words, unsigned record_words);

  /* Defines the variable; does nothing if there are no descriptors.  */
  void finish ();

  tree variable () const { return variable_; }
  unsigned words () const { return words_.length (); }

private:
  tree variable_;
  auto_vec<tree> words_;
};

/* Whether the address of DECL can be a constant of a descriptor.  A descriptor outlives its
   function: if the linker drops an inline function in favour of another copy, local symbols
   go with it; and if it drops a function that is never called, a symbol that only that
   function mentions need not be defined anywhere.  */
bool constant_address_p (tree decl);

} // namespace memprof::plugin

#endif
