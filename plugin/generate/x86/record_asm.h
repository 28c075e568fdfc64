/* record_asm.h - x86-64: a record as one statement, and how it calls __mprt_slow.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_RECORD_ASM_H
#define MEMPROF_RECORD_ASM_H

namespace memprof::plugin {

/* A statement that gives CURSOR to the runtime and sets RENEWED, for the block
   BB of the current function.  */
gimple *build_slow_call (tree renewed, tree cursor, basic_block bb);

/* Whether the code below can be used, for a record of WORDS with its header.  */
bool record_asm_fits_p (unsigned words);

/* Writes the record of HEADER and WORDS before PLACE; see write_record.  */
void write_record_asm (gimple *place, tree header, const vec<tree> &words,
		       bool room, bool length_of_header);

/* The same for sample mode: small, in a part of the code that is executed rarely.
   HEADER is the address of a descriptor.  */
void write_rare_record_asm (gimple *place, tree header, const vec<tree> &words);

/* Whether CODE is such a record.  */
bool rare_record_asm_p (gasm *code);

/* Replaces that record at GSI by one that is written only where BURST, a variable, is
   true.  */
void guard_record_asm (gimple_stmt_iterator *gsi, tree burst);

/* Whether the code below can be used, for executions of WORDS words.  */
bool run_asm_fits_p (unsigned words);

/* Writes one execution of the run of DESCRIPTOR before PLACE: its OWN words,
   and the COMMON ones if the record begins here: those that advance, by STEPS, are
   variables in memory.  The variables PIECE and END, both 0 before the loop, say where
   the run goes on and where its room ends.  */
void write_run_asm (gimple *place, tree descriptor, const vec<tree> &common,
		    const vec<HOST_WIDE_INT> &steps, const vec<tree> &own,
		    tree piece, tree end);

/* Finishes the run, if there is one.  */
void write_run_end_asm (gimple_stmt_iterator *gsi, tree descriptor, tree piece);

} // namespace memprof::plugin

#endif
