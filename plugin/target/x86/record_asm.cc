/* record_asm.cc - x86-64: a record as one statement, and how it calls __mprt_slow.
   SPDX-License-Identifier: GPL-3.0-or-later

   The call is hardly ever executed, but an ordinary call costs the code around
   it: every value that is needed later must be in a register that calls
   preserve or be spilled, a leaf function is none any more, and the spills of a
   few thousand records are half of the instrumented text.  And a compile of
   three times the statements and blocks takes twice the time.  So on x86-64 a
   record is one asm statement:

     movq %fs:cursor, %rax
     cmpq %fs:limit, %rax	// not if there is room for sure
     jb 2f
     call __mprt_slow_preserving	// new cursor in rax
   2: movq header, (%rax)
     movq word, 8(%rax)
     addq $16, %rax		// where size counts, to memory instead
     movq %rax, %fs:cursor

   The branch is taken nearly always.  A call at the end of the section would leave
   it untaken, which is some per cent faster, but it would stand outside of what the
   unwind information of the function describes, and how its frame is found there
   is known to GCC only.  All code of the statement is inside, and nothing but
   the call moves the stack pointer (red_zone.cc).

   In sample mode records are rare, and what counts is how large they are, and that
   code around them has no more to do than to have their words.  So a stub looks
   whether there is room, too, and writes the header; another one moves the cursor by
   what the header says, which takes 12 bytes where the statement does it itself:

     leaq header, %rax
     call __mprt_record_preserving	// cursor in rax
     movq word, 8(%rax)
     call __mprt_written_preserving

   The first one cannot move it: a handler of a signal may come before the words are
   written, and publishes what lies below the cursor.

   Where both bodies of a function share it (shared_blocks.cc), it is executed if

     cmpb $0, burst
     je 5f
     ...
   5:

   The stub saves all registers that a call may change.  It is part of every
   unit and hidden; the linker keeps one per module.  It saves the vector
   registers of SSE, with `fxsave', which is 250 bytes shorter than their moves.
   Code for AVX has more of them, and uses an ordinary call, as do records with
   more words than there are registers for.

   A run (loop_runs.cc) keeps its place in rax and the end of its room in rdx:

     cmpq %rdx, %rax		// both 0 at first
     jb 7f
     if rax is not 0, call __mprt_run_preserving, which finishes the run: the
     header goes to where %fs:cursor is, which then becomes rax; take room as
     above, write the common words, set rdx
   7: movq own word, (%rax)
     addq $8, %rax

   The statement reads cursor and limit, as far as GCC knows, and is volatile: it
   stays where it is among other records and calls.  That it writes the cursor
   need not be known, because nothing else reads that.  */

#include "plugin/gcc-common.h"
#include "plugin/target/asm_builder.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/target/x86/slow_stubs.h"
#include "plugin/target/target.h"
#include "runtime/wire/record.h"

namespace memprof::plugin {

namespace {

/* Words of one execution of a run: each has a register, as have the place, the
   end of its room and the TLS offset.  */
const unsigned k_max_run_words = 6;

/* Appends the comparison of the cursor, operand CURSOR, with operand LIMIT, and
   a call for room where there is none; the new cursor is in rax.  */

void
add_room_check (asm_builder &code, unsigned cursor, unsigned limit)
{
  code.add_line ("{cmpq\t%%%2$u, %%%1$u|cmp\t%%%1$u, %%%2$u}\n\tjb\t2f\n\t",
		 cursor, limit);
  add_stub_call (code, "slow", SLOW_STUB);
  code.add_line ("\n2:\t", 0);
}

/* One more than the words that have a register each, with the cursor, a
   temporary and the two TLS offsets.  */
const unsigned k_max_asm_words = 7;

/* What DESCRIPTOR points to, as a memory operand: its address is constant, and
   is needed rarely.  */

tree
descriptor_memory (tree descriptor)
{
  return unshare_expr (TREE_OPERAND (descriptor, 0));
}

} // anonymous namespace

void
processor::write_record (gimple *place, tree header, const vec<tree> &words,
		bool room, bool length_of_header)
{
  const runtime_decls &rt = runtime ();
  asm_builder code;
  unsigned head = length_of_header ? 2 : 1;
  unsigned cursor = head + words.length () + 1, limit = cursor + 1;
  // The stub leaves the new cursor in rax.
  code.add_output (make_ssa_name (rt.word), room ? "=&r" : "=&a");
  if (length_of_header)
    code.add_output (make_ssa_name (rt.word));
  code.add_input ("r", header);
  for (tree word : words)
    code.add_input ("re", word);
  code.add_input ("m", room_cursor ());
  code.add_line ("{movq\t%%%1$u, %%0|mov\t%%0, %%%1$u}\n\t", cursor);
  if (!room)
    {
      code.add_input ("m", room_limit ());
      add_room_check (code, 0, limit);
    }
  for (unsigned i = 0; i <= words.length (); i++)
    code.add_line ("{movq\t%%%1$u, %2$u(%%0)|mov\tQWORD PTR [%%0+%2$u], "
		   "%%%1$u}\n\t",
		   head + i, 8 * i);
  if (length_of_header)
    code.add_line ("{movl\t%%k%1$u, %%k1|mov\t%%k1, %%k%1$u}\n\t"
		   "{andl\t$%2$u, %%k1|and\t%%k1, %2$u}\n\t"
		   "{leaq\t(%%0,%%1,8), %%0|lea\t%%0, [%%0+%%1*8]}\n\t",
		   head, MPRT_LENGTH_MASK);
  if (length_of_header)
    code.add_line ("{movq\t%%0, %%%1$u|mov\t%%%1$u, %%0}", cursor);
  else if (optimize_bb_for_size_p (gimple_bb (place)))
    code.add_line ("{addq\t$%1$u, %%%2$u|add\t%%%2$u, %1$u}",
		   8 * (words.length () + 1), cursor);
  else
    code.add_line ("{addq\t$%1$u, %%0|add\t%%0, %1$u}\n\t"
		   "{movq\t%%0, %%%2$u|mov\t%%%2$u, %%0}",
		   8 * (words.length () + 1), cursor);
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, code.build (), GSI_SAME_STMT);
}

void
processor::write_rare_record (gimple *place, tree header, const vec<tree> &words)
{
  asm_builder code;
  code.add_output (make_ssa_name (runtime ().word), "=&a");
  code.add_input ("m", descriptor_memory (header));
  code.add_line ("{leaq\t%%1, %%0|lea\t%%0, %%1}\n\t", 0);
  add_stub_call (code, "record", RECORD_STUB);
  for (unsigned i = 0; i < words.length (); i++)
    {
      code.add_input ("re", words[i]);
      code.add_line ("\n\t{movq\t%%%1$u, %2$u(%%0)|mov\tQWORD PTR [%%0+%2$u], "
		     "%%%1$u}",
		     2 + i, 8 * (i + 1));
    }
  code.add_text ("\n\t");
  add_stub_call (code, "written", WRITTEN_STUB);
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, code.build (), GSI_SAME_STMT);
}

bool
processor::rare_record_p (gasm *code)
{
  return strstr (gimple_asm_string (code), "__mprt_record_preserving");
}

bool
processor::serves_record_p (gasm *code)
{
  return strstr (gimple_asm_string (code), "__mprt_slow_preserving");
}

void
processor::guard_record (gimple_stmt_iterator *gsi, tree burst)
{
  gasm *record = as_a<gasm *> (gsi_stmt (*gsi));
  asm_builder code;
  for (unsigned i = 0; i < gimple_asm_noutputs (record); i++)
    code.repeat_output (gimple_asm_output_op (record, i));
  for (unsigned i = 0; i < gimple_asm_ninputs (record); i++)
    code.repeat_input (gimple_asm_input_op (record, i));
  code.add_line ("{cmpb\t$0, %%b%1$u|cmp\t%%b%1$u, 0}\n\tje\t5f\n\t",
		 gimple_asm_noutputs (record) + gimple_asm_ninputs (record));
  code.add_input ("rm", burst);
  code.add_text (gimple_asm_string (record));
  code.add_text ("\n5:");
  gasm *guarded = code.build ();
  gimple_set_location (guarded, gimple_location (record));
  unlink_stmt_vdef (record);
  gsi_replace (gsi, guarded, false);
}

void
processor::write_run (gimple *place, tree descriptor, const vec<tree> &common,
		const vec<HOST_WIDE_INT> &steps, const vec<tree> &own, tree piece,
		tree end)
{
  asm_builder code;
  code.add_variable (piece, "=&a", "0");
  code.add_variable (end, "=&d", "1");
  // PIECE, END and the variables are outputs and inputs.
  unsigned variables = 2;
  auto_vec<unsigned> number;
  for (unsigned i = 0; i < common.length (); i++)
    if (steps[i])
      {
	number.safe_push (variables++);
	code.add_output_memory (common[i]);
	code.add_input ("m", common[i]);
      }
    else
      number.safe_push (0);
  unsigned next = 2 * variables, first_own = next;
  for (tree word : own)
    code.add_input ("re", word);
  next += own.length ();
  for (unsigned i = 0; i < common.length (); i++)
    if (!steps[i])
      {
	number[i] = next++;
	code.add_input ("re", common[i]);
      }
  unsigned cursor = next, limit = cursor + 1;
  unsigned memory = limit + 1;
  code.add_input ("m", room_cursor ());
  code.add_input ("m", room_limit ());
  code.add_input ("m", descriptor_memory (descriptor));
  code.add_line ("{cmpq\t%%1, %%0|cmp\t%%0, %%1}\n\tjb\t7f\n\t"
		 "{testq\t%%0, %%0|test\t%%0, %%0}\n\tje\t4f\n\t"
		 "{leaq\t%%%1$u, %%1|lea\t%%1, %%%1$u}\n\t",
		 memory);
  add_stub_call (code, "run", RUN_STUB);
  code.add_line ("\n\t", 0);
  // The number of executions in a full record.
  HOST_WIDE_INT executions
    = (MPRT_MAX_RECORD_WORDS - 1 - common.length ()) / own.length ();
  for (unsigned i = 0; i < common.length (); i++)
    if (steps[i])
      code.add_line ("{addq\t$%2$d, %%%1$u|add\t%%%1$u, %2$d}\n\t",
		     number[i], unsigned (steps[i] * executions));
  code.add_line ("jmp\t2f\n"
		 "4:\t{movq\t%%%1$u, %%0|mov\t%%0, %%%1$u}\n\t", cursor);
  add_room_check (code, 0, limit);
  for (unsigned i = 0; i < common.length (); i++)
    code.add_line (steps[i] ? "{movq\t%%%1$u, %%1|mov\t%%1, %%%1$u}\n\t"
			      "{movq\t%%1, %2$u(%%0)|mov\tQWORD PTR "
			      "[%%0+%2$u], %%1}\n\t"
			    : "{movq\t%%%1$u, %2$u(%%0)|mov\tQWORD PTR "
			      "[%%0+%2$u], %%%1$u}\n\t",
		   number[i], 8 * (1 + i));
  // Below the end there is room for one more execution.
  code.add_line ("{leaq\t%1$u(%%0), %%1|lea\t%%1, [%%0+%1$u]}\n\t"
		 "{addq\t$%2$u, %%0|add\t%%0, %2$u}\n7:\t",
		 8 * (MPRT_MAX_RECORD_WORDS + 1 - own.length ()),
		 8 * (1 + common.length ()));
  for (unsigned i = 0; i < own.length (); i++)
    code.add_line ("{movq\t%%%1$u, %2$u(%%0)|mov\tQWORD PTR [%%0+%2$u], "
		   "%%%1$u}\n\t",
		   first_own + i, 8 * i);
  code.add_line ("{addq\t$%1$u, %%0|add\t%%0, %1$u}", 8 * own.length ());
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, code.build (), GSI_SAME_STMT);
}

void
processor::write_run_end (gimple_stmt_iterator *gsi, tree descriptor, tree piece)
{
  const runtime_decls &rt = runtime ();
  asm_builder code;
  code.add_output (make_ssa_name (rt.word), "=&a");
  code.add_output (make_ssa_name (rt.word), "=&d");
  code.add_input ("0", piece);
  code.add_input ("m", descriptor_memory (descriptor));
  code.add_line ("{testq\t%%0, %%0|test\t%%0, %%0}\n\tje\t1f\n\t"
		 "{leaq\t%%3, %%1|lea\t%%1, %%3}\n\t",
		 0);
  add_stub_call (code, "run", RUN_STUB);
  code.add_line ("\n1:", 0);
  gsi_insert_before (gsi, code.build (), GSI_SAME_STMT);
}

gimple *
processor::build_slow_call (tree renewed)
{
  if (!stub_fits_p ())
    return nullptr;
  asm_builder code;
  code.add_output (renewed, "=a");
  add_stub_call (code, "slow", SLOW_STUB);
  return code.build ();
}

bool
processor::record_fits_p (unsigned words)
{
  return stub_fits_p () && words <= k_max_asm_words;
}

bool
processor::run_fits_p (unsigned words)
{
  return stub_fits_p () && words <= k_max_run_words;
}

} // namespace memprof::plugin
