/* slow_stubs.cc - x86-64: what the statements of record_asm.cc and countdown_asm.cc call.
   SPDX-License-Identifier: GPL-3.0-or-later

   Functions in assembly that save the registers that a call may change and call
   the runtime.  They are written at the end of each unit that needs them, hidden,
   and the linker keeps one of each per module.

   A thread may be unwound at any of their instructions: by a handler of a signal, by
   a profiler, or when it is cancelled asynchronously.  So each push and pop is
   followed by its unwind information.  Their callers have nothing to describe:
   a statement moves the stack pointer by the call only, which is possible because
   its function has no red zone (red_zone.cc).  */

#include "plugin/gcc-common.h"
#include "plugin/target/x86/slow_stubs.h"
#include "plugin/target/asm_builder.h"
#include "plugin/target/x86/red_zone.h"
#include "plugin/target/target.h"
#include "runtime/wire/record.h"

// Where GCC writes assembly; all that is needed of its output.h.
extern FILE *asm_out_file;

namespace memprof::plugin {

namespace {

bool needed[STUBS];

bool
intel_syntax_p ()
{
  return ix86_asm_dialect == ASM_INTEL;
}

/* Begins the hidden function NAME, of which the linker keeps one per module, in
   the syntax of AT&T.  */

void
begin_stub (FILE *out, const char *name)
{
  if (intel_syntax_p ())
    fputs ("\t.att_syntax prefix\n", out);
  fprintf (out,
	   "\t.section\t.text.%s,\"axG\",@progbits,%s,comdat\n"
	   "\t.weak\t%s\n"
	   "\t.hidden\t%s\n"
	   "\t.type\t%s, @function\n"
	   "%s:\n"
	   "\t.cfi_startproc\n"
	   "\tendbr64\n",
	   name, name, name, name, name, name);
}

/* And ends it.  */

void
end_stub (FILE *out, const char *name)
{
  fprintf (out, "\t.cfi_endproc\n\t.size\t%s, .-%s\n\t.text\n", name, name);
  if (intel_syntax_p ())
    fputs ("\t.intel_syntax noprefix\n", out);
}

/* Pushes register REG, after which the caller's frame ends BYTES above rsp.  */

void
push (FILE *out, const char *reg, int bytes)
{
  fprintf (out,
	   "\tpushq\t%%%s\n"
	   "\t.cfi_def_cfa_offset %d\n"
	   "\t.cfi_offset %%%s, %d\n",
	   reg, bytes, reg, -bytes);
}

/* And pops it.  */

void
pop (FILE *out, const char *reg, int bytes)
{
  fprintf (out,
	   "\tpopq\t%%%s\n"
	   "\t.cfi_def_cfa_offset %d\n"
	   "\t.cfi_restore %%%s\n",
	   reg, bytes, reg);
}

/* Ends the stub NAME, which has compared the cursor, in rax, with the limit and has
   pushed rcx.  */

void
end_with_room (FILE *out, const char *name)
{
  pop (out, "rcx", 8);
  fputs ("\tjae\t1f\n"
	 "\tret\n"
	 "1:\tjmp\t__mprt_slow_preserving\n",
	 out);
  end_stub (out, name);
}

/* The stub that looks whether there is room for a record.  */

void
write_room_stub (FILE *out)
{
  begin_stub (out, "__mprt_room_preserving");
  push (out, "rcx", 16);
  fputs ("\tmovq\t__mprt_room@gottpoff(%rip), %rax\n"
	 "\tmovq\t%fs:8(%rax), %rcx\n"
	 "\tmovq\t%fs:(%rax), %rax\n"
	 "\tcmpq\t%rcx, %rax\n",
	 out);
  end_with_room (out, "__mprt_room_preserving");
}

/* The stub that looks whether there is room for a record, whose header is in rax, and
   writes that.  */

void
write_record_stub (FILE *out)
{
  begin_stub (out, "__mprt_record_preserving");
  push (out, "rcx", 16);
  fputs ("\tmovq\t%rax, %rcx\n"
	 "\tcall\t__mprt_room_preserving\n"
	 "\tmovq\t%rcx, (%rax)\n",
	 out);
  pop (out, "rcx", 8);
  fputs ("\tret\n", out);
  end_stub (out, "__mprt_record_preserving");
}

/* The stub that moves the cursor past the record that it points to, as does rax.  */

void
write_written_stub (FILE *out)
{
  begin_stub (out, "__mprt_written_preserving");
  push (out, "rcx", 16);
  fprintf (out,
	   "\tmovl\t(%%rax), %%eax\n"
	   "\tandl\t$%d, %%eax\n"
	   "\tshll\t$3, %%eax\n"
	   "\tmovq\t__mprt_room@gottpoff(%%rip), %%rcx\n"
	   "\taddq\t%%rax, %%fs:(%%rcx)\n",
	   MPRT_LENGTH_MASK);
  pop (out, "rcx", 8);
  fputs ("\tret\n", out);
  end_stub (out, "__mprt_written_preserving");
}

/* The stub that finishes a run, which goes on at rax and has the descriptor at
   rdx, and takes room for another.  */

void
write_run_stub (FILE *out)
{
  begin_stub (out, "__mprt_run_preserving");
  push (out, "rcx", 16);
  push (out, "rsi", 24);
  fputs ("\tmovq\t__mprt_room@gottpoff(%rip), %rcx\n"
	 "\tmovq\t%fs:(%rcx), %rsi\n"
	 "\tsubq\t%rsi, %rax\n"
	 "\tshrq\t$3, %rax\n"
	 "\taddq\t%rax, %rdx\n"
	 "\tleaq\t(%rsi,%rax,8), %rax\n"
	 "\tmovq\t%rdx, (%rsi)\n"
	 "\tmovq\t%rax, %fs:(%rcx)\n"
	 "\tcmpq\t%fs:8(%rcx), %rax\n",
	 out);
  pop (out, "rsi", 16);
  end_with_room (out, "__mprt_run_preserving");
}

/* A stub that uses up a lease of the runtime's (mprt_burst.cc): as long as there is
   one, this is a burst.  Goes on where there is none.  */

void
write_lease (FILE *out)
{
  fputs ("\tmovq\t__mprt_lease@gottpoff(%rip), %rax\n"
	 "\tsubq\t$1, %fs:(%rax)\n"
	 "\tjs\t1f\n"
	 "\torl\t$1, %eax\n"
	 "\tret\n"
	 "1:\n",
	 out);
}

/* The stub of an entry of a function, whose weight rax points to: ends one of the
   first entries, and goes on as the stub of a burst.  */

void
write_entry_stub (FILE *out)
{
  begin_stub (out, "__mprt_entry_preserving");
  push (out, "rcx", 16);
  fprintf (out,
	   "\tmovabsq\t$%lld, %%rcx\n"
	   "\taddq\t(%%rax), %%rcx\n"
	   "\tjle\t1f\n"
	   "\tmovq\t%%rcx, (%%rax)\n"
	   "1:\n",
	   -MPRT_FIRST_ENTRY);
  pop (out, "rcx", 8);
  fputs ("\tjmp\t__mprt_burst_preserving\n", out);
  end_stub (out, "__mprt_entry_preserving");
}

/* The call of the runtime's CALLEE between registers saved and restored, where rbp
   is the base of the frame.  */

void
write_runtime_call (FILE *out, const char *callee, bool burst)
{
  const int k_fxsave_bytes = 512;
  fprintf (out,
	   "\tsubq\t$%d, %%rsp\n\tandq\t$-16, %%rsp\n\tfxsave64\t(%%rsp)\n",
	   k_fxsave_bytes);
  // Not by way of the PLT: binding it at the first call takes 3 KB of stack, and
  // that call may come from a signal handler on a small stack.
  fprintf (out,
	   "\tcld\n\tcall\t*%s@GOTPCREL(%%rip)\n\tfxrstor64\t(%%rsp)\n",
	   callee);
  if (burst)
    fputs ("\ttestq\t%rax, %rax\n", out);
}

/* The stub of the runtime's function CALLEE is CALLEE_preserving.  The stub of a BURST may
   answer without a call, and the answer is the zero flag, too.  */

void
write_stub_text (FILE *out, const char *callee, bool burst = false)
{
  static const char *const saved[]
    = { "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11" };
  const int k_saved = sizeof saved / sizeof *saved;
  char *name = concat (callee, "_preserving", nullptr);
  begin_stub (out, name);
  if (burst)
    write_lease (out);
  push (out, "rbp", 16);
  fputs ("\tmovq\t%rsp, %rbp\n"
	 "\t.cfi_def_cfa_register %rbp\n",
	 out);
  // The return address and rbp lie above them.
  for (int i = 0; i < k_saved; i++)
    fprintf (out, "\tpushq\t%%%s\n\t.cfi_offset %%%s, %d\n", saved[i],
	     saved[i], -8 * (i + 3));
  write_runtime_call (out, callee, burst);
  fprintf (out, "\tleaq\t%d(%%rbp), %%rsp\n", -8 * k_saved);
  for (int i = k_saved; i-- > 0;)
    fprintf (out, "\tpopq\t%%%s\n\t.cfi_restore %%%s\n", saved[i], saved[i]);
  fputs ("\tpopq\t%rbp\n"
	 "\t.cfi_restore %rbp\n"
	 "\t.cfi_def_cfa %rsp, 8\n"
	 "\tret\n",
	 out);
  end_stub (out, name);
  free (name);
}

} // anonymous namespace

void
need_stub (slow_stub stub)
{
  needed[stub] = true;
  // The others call one of these.
  if (stub == ENTRY_STUB)
    needed[BURST_STUB] = true;
  else if (stub == RECORD_STUB)
    need_stub (ROOM_STUB);
  else if (stub != BURST_STUB && stub != WRITTEN_STUB)
    needed[SLOW_STUB] = true;
}

bool
stub_fits_p ()
{
  return TARGET_64BIT && !TARGET_AVX;
}

void
add_stub_call (asm_builder &code, const char *name, slow_stub stub)
{
  need_stub (stub);
  leave_red_zone_unused ();
  char *call = concat ("call\t__mprt_", name, "_preserving", nullptr);
  code.add_text (call);
  free (call);
}

void
processor::write_stubs ()
{
  if (needed[SLOW_STUB])
    write_stub_text (asm_out_file, "__mprt_slow");
  if (needed[ROOM_STUB])
    write_room_stub (asm_out_file);
  if (needed[RECORD_STUB])
    write_record_stub (asm_out_file);
  if (needed[WRITTEN_STUB])
    write_written_stub (asm_out_file);
  if (needed[RUN_STUB])
    write_run_stub (asm_out_file);
  if (needed[BURST_STUB])
    write_stub_text (asm_out_file, "__mprt_burst", true);
  if (needed[ENTRY_STUB])
    write_entry_stub (asm_out_file);
}

} // namespace memprof::plugin
