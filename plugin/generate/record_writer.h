/* record_writer.h - emits the code that appends one record to the ring.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_RECORD_WRITER_H
#define MEMPROF_RECORD_WRITER_H

namespace memprof::plugin {

/* Computes EXPRESSION before PLACE as a value of type word.  Arithmetic
   of the program that may overflow is done in unsigned types: it may be
   evaluated where the program would not have.  */
tree force_word (gimple *place, tree expression);

/* Appends a record of HEADER (a constant pointer or a word) and WORDS before it
   of PLACE.  If there is no ROOM for sure, looks first.  With LENGTH_OF_HEADER,
   only as many words as the header says.  Needs an update of the virtual
   operands.  */
void write_record (gimple *place, tree header, const vec<tree> &words,
		   bool room, bool length_of_header = false);

} // namespace memprof::plugin

#endif
