/* target.h - what the plugin asks of the processor that it compiles for.
   SPDX-License-Identifier: GPL-3.0-or-later

   ordinary_code.cc has an answer to each question that is right on every processor; most say "use
   ordinary code".  They are weak functions.  A port is a folder beside this file that defines those
   that its processor can do better, and its lines in plugin/local.mk and configure.ac.  So a port
   begins empty, works, and becomes faster answer by answer.  `./configure PLUGIN_TARGET=none'
   builds a plugin without any port.

   Ordinary code for a record is a dozen GIMPLE statements and a call that is hardly ever executed
   (plugin/generate/record_writer.cc).  That call is what costs: values that are needed later must
   survive it.  An asm statement that calls a stub, which saves all registers, costs none of this.
   So these answers belong together: a processor that can write records as statements has stubs for
   them, writes the stubs at the end of the unit, and sees to it that a function with such
   statements can call.  */

#ifndef MEMPROF_TARGET_H
#define MEMPROF_TARGET_H

#include "runtime/wire/record.h"

namespace memprof::plugin {

/* One load or store: at ADDRESS + OFFSET (may be null), of WIDTH bytes, or of LENGTH if that
   is 0.  OFFSET and LENGTH may be expressions.  */
struct machine_access
{
  mprt_op op;
  tree address;
  tree offset;
  HOST_WIDE_INT width;
  tree length;
};

namespace processor {

/* The smallest page of all processors that GCC knows.  */
const unsigned k_least_page_bytes = 4096;

/* Accesses and calls.  */

/* Appends what CALL, of a built-in function of the machine, loads and stores.  Ordinary:
   declared_accesses, what the declared types of its pointers say.  */
void machine_accesses (gcall *call, vec<machine_access> &accesses);
void declared_accesses (gcall *call, vec<machine_access> &accesses);

/* TYPE of a function of the runtime, whatever calling convention the unit is compiled for.  */
tree runtime_function_type (tree type);

/* Allocation sites.  */

/* Before CALL: __mprt_alloc_site becomes SITE, the address of a byte, unless it has a value.
   Returns the value before.  */
tree name_site (gcall *call, tree site);

/* Before PLACE: __mprt_alloc_site becomes OLD again.  */
void restore_site (gimple *place, tree old);

/* Records.  Ordinary: they do not fit, and the functions below are not called.  */

/* Whether write_record and write_rare_record can write a record of WORDS with its header, and
   write_run executions of WORDS words.  */
bool record_fits_p (unsigned words);
bool run_fits_p (unsigned words);

/* Writes the record of HEADER and WORDS before PLACE; see plugin/generate/record_writer.h.  */
void write_record (gimple *place, tree header, const vec<tree> &words, bool room,
		   bool length_of_header);

/* The same for sample mode: small, in a part of the code that is executed rarely.  HEADER is the
   address of a descriptor.  */
void write_rare_record (gimple *place, tree header, const vec<tree> &words);

/* Whether CODE is such a record; whether it is a call that serves another record.  */
bool rare_record_p (gasm *code);
bool serves_record_p (gasm *code);

/* Replaces the rare record at GSI by one that is written only where BURST, a variable, is true.  */
void guard_record (gimple_stmt_iterator *gsi, tree burst);

/* Writes one execution of the run of DESCRIPTOR before PLACE (plugin/generate/loop_runs.cc): its
   OWN words, and the COMMON ones if the record begins here: those that advance, by STEPS, are
   variables in memory.  The variables PIECE and END, both 0 before the loop, say where the run
   goes on and where its room ends.  */
void write_run (gimple *place, tree descriptor, const vec<tree> &common,
		const vec<HOST_WIDE_INT> &steps, const vec<tree> &own, tree piece, tree end);

/* Finishes the run, if there is one.  */
void write_run_end (gimple_stmt_iterator *gsi, tree descriptor, tree piece);

/* Statements.  Ordinary: null, for which the caller has ordinary code.  */

/* Gets room from the runtime; RENEWED is the new cursor.  */
gimple *build_slow_call (tree renewed);

/* Subtracts MINUS, if it is not null, from VARIABLE, a countdown in memory.  NEGATIVE is whether it
   is below 0 then.  */
gimple *build_countdown (tree negative, tree variable, tree minus);

/* Asks the runtime whether this is a burst: ON.  WEIGHT, if not null, is the variable with what an
   entry takes from the countdown: one of the first entries is over.  */
gimple *build_burst_call (tree on, tree weight);

/* Streaming stores.  Ordinary: there are none.  */

/* Whether stores of MODE may bypass the caches: scalars at any address, vectors at multiples of their size.
   A fence orders them before later stores.  */
bool streaming_possible_p (machine_mode mode);
gimple *build_streaming_fence ();

/* The unit.  */

/* For plugin_init: registers the passes that the statements need.  */
void register_passes (const char *plugin_name);

/* At the end of the unit: writes what the statements call.  */
void write_stubs ();

/* Whether write_jump can be used.  Ordinary: no, and there are no arenas.  */
bool jumps_possible_p ();

/* Writes the weak function NAME, of which the linker keeps one, to the assembly.  If REPLACED is
   not null, NAME is hidden and jumps to the function REPLACED if the program has it.  Else it
   jumps to INSTEAD, or returns if that is null.  */
void write_jump (const char *name, const char *replaced, const char *instead);

} // namespace processor

} // namespace memprof::plugin

#endif
