/* slow_path.cc - x86-64: a record as one statement, and how it calls __mprt_slow.
   SPDX-License-Identifier: GPL-3.0-or-later

   The call is hardly ever executed, but an ordinary call costs the code around
   it: every value that is needed later must be in a register that calls
   preserve or be spilled, a leaf function is none any more, and the spills of a
   few thousand records are half of the instrumented text.  And a compile of
   three times the statements and blocks takes twice the time.  So on x86-64 a
   record is one asm statement:

     movq %fs:cursor, %rax
     cmpq %fs:limit, %rax	// not if there is room for sure
     jae 3f
   2: movq header, (%rax)
     movq word, 8(%rax)
     addq $16, %rax		// cheaper than adding to memory
     movq %rax, %fs:cursor

   and at the end of the section

   3: addq $-128, %rsp		// the red zone
     call __mprt_slow_saved	// adds 128 again; new cursor in rax
     jmp 2b

   In sample mode records are rare, and what counts is how large they are.  So they
   look whether there is room in a stub, too, which jumps on to the other one if
   there is none:

     addq $-128, %rsp
     call __mprt_room_saved	// cursor in rax
     movq header, (%rax)
     ...

   The stub saves all registers that a call may change.  It is part of every
   unit and hidden; the linker keeps one per module.  It saves the vector
   registers of SSE.  Code for AVX has more of them, and uses an ordinary call,
   as do records with more words than there are registers for.  The runtime does
   not touch the x87 registers.

   A run (loop_runs.cc) keeps its place in rax and the end of its room in rdx:

     cmpq %rdx, %rax		// both 0 at first
     jae 3f
   2: movq own word, (%rax)
     addq $8, %rax

   3: if rax is not 0, call __mprt_run_saved, which finishes the run: the header
      goes to where %fs:cursor is, which then becomes rax; take room as above,
      write the common words, set rdx

   The statement reads cursor and limit, as far as GCC knows, and is volatile: it
   stays where it is among other records and calls.  That it writes the cursor
   need not be known, because nothing else reads that.  */

#include "gcc-common.h"
#include "options.h"
#include "runtime_decls.h"
#include "slow_path.h"
#include "runtime/wire/record.h"

// Where GCC writes assembly; all that is needed of its output.h.
extern FILE *asm_out_file;

namespace memprof::plugin {

namespace {

bool stub_used, burst_stub_used, room_stub_used, run_stub_used;

/* Words of one execution of a run: each has a register, as have the place, the
   end of its room and the TLS offset.  */
const unsigned k_max_run_words = 6;

#if defined TARGET_AVX && defined TARGET_64BIT

bool
stub_fits_p ()
{
  return TARGET_64BIT && !TARGET_AVX;
}

tree
operand (const char *constraint, tree value)
{
  tree text = build_string (strlen (constraint) + 1, constraint);
  return build_tree_list (build_tree_list (NULL_TREE, text), value);
}

/* Collects the operands and the text of one asm statement.  */

class asm_builder
{
public:
  ~asm_builder () { free (text_); }

  void
  add_output (tree name, const char *constraint = "=&r")
  {
    vec_safe_push (outputs_, operand (constraint, name));
    outputs_defined_.safe_push (name);
  }

  /* VARIABLE, which has no SSA names yet, is read and changed.  */
  void
  add_variable (tree variable, const char *constraint, const char *number)
  {
    vec_safe_push (outputs_, operand (constraint, variable));
    add_input (number, variable);
  }

  void
  add_input (const char *constraint, tree value)
  {
    vec_safe_push (inputs_, operand (constraint, value));
  }

  /* Appends a line in which X and Y are %1$u and %2$u.  */
  void
  add_line (const char *format, unsigned x, unsigned y = 0)
  {
    char *line = xasprintf (format, x, y);
    char *longer = concat (text_ ? text_ : "", line, nullptr);
    free (line);
    free (text_);
    text_ = longer;
  }

  gasm *
  build ()
  {
    vec<tree, va_gc> *clobbers = nullptr;
    vec_safe_push (clobbers,
		   build_tree_list (NULL_TREE, build_string (3, "cc")));
    gasm *result
      = gimple_build_asm_vec (text_, inputs_, outputs_, clobbers, nullptr);
    gimple_asm_set_volatile (result, true);
    for (tree name : outputs_defined_)
      SSA_NAME_DEF_STMT (name) = result;
    return result;
  }

private:
  char *text_ = nullptr;
  vec<tree, va_gc> *inputs_ = nullptr, *outputs_ = nullptr;
  auto_vec<tree, 2> outputs_defined_;
};

/* One more than the words that have a register each, with the cursor, a
   temporary and the two TLS offsets.  */
const unsigned k_max_asm_words = 7;

gimple *
build_stub_call (tree result, bool burst)
{
  asm_builder code;
  code.add_output (result, "=a");
  code.add_line (burst ? "{addq\t$-128, %%%%rsp|add\trsp, -128}\n\t"
			 "call\t__mprt_burst_saved"
		       : "{addq\t$-128, %%%%rsp|add\trsp, -128}\n\t"
			 "call\t__mprt_slow_saved",
		 0);
  (burst ? burst_stub_used : stub_used) = true;
  return code.build ();
}

void
build_record (gimple *place, tree header, const vec<tree> &words, bool room,
	      bool length_of_header)
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
  bool small = !room && options.mode == MODE_SAMPLE;
  if (small)
    code.add_line ("{addq\t$-128, %%%%rsp|add\trsp, -128}\n\t"
		   "call\t__mprt_room_saved\n\t",
		   0);
  else
    code.add_line ("{movq\t%%%1$u, %%0|mov\t%%0, %%%1$u}\n\t", cursor);
  if (!room && !small)
    {
      code.add_input ("m", room_limit ());
      code.add_line ("{cmpq\t%%%1$u, %%0|cmp\t%%0, %%%1$u}\n\tjae\t3f\n2:\t",
		     limit);
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
  else
    code.add_line ("{addq\t$%1$u, %%0|add\t%%0, %1$u}\n\t"
		   "{movq\t%%0, %%%2$u|mov\t%%%2$u, %%0}",
		   8 * (words.length () + 1), cursor);
  if (!room && !small)
    code.add_line ("\n\t.subsection 1\n3:\t"
		   "{addq\t$-128, %%%%rsp|add\trsp, -128}\n\t"
		   "call\t__mprt_slow_saved\n\t"
		   "jmp\t2b\n\t.previous",
		   0);
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, code.build (), GSI_SAME_STMT);
  stub_used |= !room;
  room_stub_used |= small;
}

/* What DESCRIPTOR points to, as a memory operand: its address is constant, and
   is needed rarely.  */

tree
descriptor_memory (tree descriptor)
{
  return unshare_expr (TREE_OPERAND (descriptor, 0));
}

void
build_run (gimple *place, tree descriptor, const vec<tree> &common,
	   const vec<tree> &own, tree piece, tree end)
{
  asm_builder code;
  code.add_variable (piece, "=&a", "0");
  code.add_variable (end, "=&d", "1");
  unsigned first_own = 4, first_common = first_own + own.length ();
  for (tree word : own)
    code.add_input ("re", word);
  for (tree word : common)
    code.add_input ("re", word);
  unsigned cursor = first_common + common.length (), limit = cursor + 1;
  unsigned memory = limit + 1;
  code.add_input ("m", room_cursor ());
  code.add_input ("m", room_limit ());
  code.add_input ("m", descriptor_memory (descriptor));
  code.add_line ("{cmpq\t%%1, %%0|cmp\t%%0, %%1}\n\tjae\t3f\n2:\t", 0);
  for (unsigned i = 0; i < own.length (); i++)
    code.add_line ("{movq\t%%%1$u, %2$u(%%0)|mov\tQWORD PTR [%%0+%2$u], "
		   "%%%1$u}\n\t",
		   first_own + i, 8 * i);
  code.add_line ("{addq\t$%1$u, %%0|add\t%%0, %1$u}\n\t"
		 ".subsection 1\n3:\t",
		 8 * own.length ());
  code.add_line ("{testq\t%%0, %%0|test\t%%0, %%0}\n\tje\t4f\n\t"
		 "{leaq\t%%%1$u, %%1|lea\t%%1, %%%1$u}\n\t"
		 "{addq\t$-128, %%%%rsp|add\trsp, -128}\n\t"
		 "call\t__mprt_run_saved\n\t"
		 "jmp\t6f\n",
		 memory);
  code.add_line ("4:\t{movq\t%%%1$u, %%0|mov\t%%0, %%%1$u}\n\t"
		 "{cmpq\t%%%2$u, %%0|cmp\t%%0, %%%2$u}\n\tjae\t5f\n6:\t",
		 cursor, limit);
  for (unsigned i = 0; i < common.length (); i++)
    code.add_line ("{movq\t%%%1$u, %2$u(%%0)|mov\tQWORD PTR [%%0+%2$u], "
		   "%%%1$u}\n\t",
		   first_common + i, 8 * (1 + i));
  // Below the end there is room for one more execution.
  code.add_line ("{leaq\t%1$u(%%0), %%1|lea\t%%1, [%%0+%1$u]}\n\t"
		 "{addq\t$%2$u, %%0|add\t%%0, %2$u}\n\tjmp\t2b\n",
		 8 * (MPRT_MAX_RECORD_WORDS + 1 - own.length ()),
		 8 * (1 + common.length ()));
  code.add_line ("5:\t{addq\t$-128, %%%%rsp|add\trsp, -128}\n\t"
		 "call\t__mprt_slow_saved\n\t"
		 "jmp\t6b\n\t.previous",
		 0);
  gimple_stmt_iterator gsi = gsi_for_stmt (place);
  gsi_insert_before (&gsi, code.build (), GSI_SAME_STMT);
  stub_used = true;
  run_stub_used = true;
}

void
build_run_end (gimple_stmt_iterator *gsi, tree descriptor, tree piece)
{
  const runtime_decls &rt = runtime ();
  asm_builder code;
  code.add_output (make_ssa_name (rt.word), "=&a");
  code.add_output (make_ssa_name (rt.word), "=&d");
  code.add_input ("0", piece);
  code.add_input ("m", descriptor_memory (descriptor));
  code.add_line ("{testq\t%%0, %%0|test\t%%0, %%0}\n\tje\t1f\n\t"
		 "{leaq\t%%3, %%1|lea\t%%1, %%3}\n\t"
		 "{addq\t$-128, %%%%rsp|add\trsp, -128}\n\t"
		 "call\t__mprt_run_saved\n1:",
		 0);
  gsi_insert_before (gsi, code.build (), GSI_SAME_STMT);
}

/* Begins the hidden function NAME, of which the linker keeps one per module.  */

void
begin_stub (FILE *out, const char *name)
{
  fprintf (out,
	   "\t.section\t.text.%s,\"axG\",@progbits,%s,comdat\n"
	   "\t.weak\t%s\n"
	   "\t.hidden\t%s\n"
	   "\t.type\t%s, @function\n"
	   "%s:\n",
	   name, name, name, name, name, name);
}

/* The stub that looks whether there is room for a record.  */

void
write_room_stub (FILE *out)
{
  bool intel = ix86_asm_dialect == ASM_INTEL;
  if (intel)
    fputs ("\t.att_syntax prefix\n", out);
  begin_stub (out, "__mprt_room_saved");
  fputs ("\t.cfi_startproc\n"
	 "\tendbr64\n"
	 "\tpushq\t%rcx\n"
	 "\t.cfi_def_cfa_offset 16\n"
	 "\tmovq\t__mprt_room@gottpoff(%rip), %rax\n"
	 "\tmovq\t%fs:8(%rax), %rcx\n"
	 "\tmovq\t%fs:(%rax), %rax\n"
	 "\tcmpq\t%rcx, %rax\n"
	 "\tpopq\t%rcx\n"
	 "\t.cfi_def_cfa_offset 8\n"
	 "\tjae\t1f\n"
	 "\tret\t$128\n"
	 "1:\tjmp\t__mprt_slow_saved\n"
	 "\t.cfi_endproc\n"
	 "\t.size\t__mprt_room_saved, .-__mprt_room_saved\n\t.text\n",
	 out);
  if (intel)
    fputs ("\t.intel_syntax noprefix\n", out);
}

/* The stub that finishes a run, which goes on at rax and has the descriptor at
   rdx, and takes room for another.  */

void
write_run_stub (FILE *out)
{
  bool intel = ix86_asm_dialect == ASM_INTEL;
  if (intel)
    fputs ("\t.att_syntax prefix\n", out);
  begin_stub (out, "__mprt_run_saved");
  fputs ("\t.cfi_startproc\n"
	 "\tendbr64\n"
	 "\tpushq\t%rcx\n"
	 "\t.cfi_def_cfa_offset 16\n"
	 "\tpushq\t%rsi\n"
	 "\t.cfi_def_cfa_offset 24\n"
	 "\tmovq\t__mprt_room@gottpoff(%rip), %rcx\n"
	 "\tmovq\t%fs:(%rcx), %rsi\n"
	 "\tpushq\t%rax\n"
	 "\t.cfi_def_cfa_offset 32\n"
	 "\tsubq\t%rsi, %rax\n"
	 "\tshrq\t$3, %rax\n"
	 "\taddq\t%rax, %rdx\n"
	 "\tpopq\t%rax\n"
	 "\t.cfi_def_cfa_offset 24\n"
	 "\tmovq\t%rdx, (%rsi)\n"
	 "\tmovq\t%rax, %fs:(%rcx)\n"
	 "\tcmpq\t%fs:8(%rcx), %rax\n"
	 "\tpopq\t%rsi\n"
	 "\t.cfi_def_cfa_offset 16\n"
	 "\tpopq\t%rcx\n"
	 "\t.cfi_def_cfa_offset 8\n"
	 "\tjae\t1f\n"
	 "\tret\t$128\n"
	 "1:\tjmp\t__mprt_slow_saved\n"
	 "\t.cfi_endproc\n"
	 "\t.size\t__mprt_run_saved, .-__mprt_run_saved\n\t.text\n",
	 out);
  if (intel)
    fputs ("\t.intel_syntax noprefix\n", out);
}

/* The stub of the runtime's function CALLEE is CALLEE_saved.  */

void
write_stub_text (FILE *out, const char *callee)
{
  static const char *const saved[]
    = { "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11" };
  const int k_vectors = 16;
  bool intel = ix86_asm_dialect == ASM_INTEL;
  if (intel)
    fputs ("\t.att_syntax prefix\n", out);
  char *name = concat (callee, "_saved", nullptr);
  begin_stub (out, name);
  free (name);
  fputs ("\t.cfi_startproc\n"
	 "\tendbr64\n"
	 "\tpushq\t%rbp\n"
	 "\t.cfi_def_cfa_offset 16\n"
	 "\t.cfi_offset %rbp, -16\n"
	 "\tmovq\t%rsp, %rbp\n"
	 "\t.cfi_def_cfa_register %rbp\n",
	 out);
  for (const char *reg : saved)
    fprintf (out, "\tpushq\t%%%s\n", reg);
  fprintf (out, "\tsubq\t$%d, %%rsp\n\tandq\t$-16, %%rsp\n", k_vectors * 16);
  for (int i = 0; i < k_vectors; i++)
    fprintf (out, "\tmovaps\t%%xmm%d, %d(%%rsp)\n", i, i * 16);
  // Not by way of the PLT: binding it at the first call takes 3 KB of stack, and
  // that call may come from a signal handler on a small stack.
  fprintf (out, "\tcld\n\tcall\t*%s@GOTPCREL(%%rip)\n", callee);
  for (int i = 0; i < k_vectors; i++)
    fprintf (out, "\tmovaps\t%d(%%rsp), %%xmm%d\n", i * 16, i);
  fprintf (out, "\tleaq\t-%d(%%rbp), %%rsp\n",
	   int (sizeof saved / sizeof *saved) * 8);
  for (int i = sizeof saved / sizeof *saved; i-- > 0;)
    fprintf (out, "\tpopq\t%%%s\n", saved[i]);
  fputs ("\tpopq\t%rbp\n"
	 "\t.cfi_def_cfa %rsp, 8\n"
	 "\tret\t$128\n"
	 "\t.cfi_endproc\n",
	 out);
  fprintf (out, "\t.size\t%s_saved, .-%s_saved\n\t.text\n", callee, callee);
  if (intel)
    fputs ("\t.intel_syntax noprefix\n", out);
}

#else

bool
stub_fits_p ()
{
  return false;
}

const unsigned k_max_asm_words = 0;

gimple *
build_stub_call (tree, bool)
{
  gcc_unreachable ();
}

void
build_record (gimple *, tree, const vec<tree> &, bool, bool)
{
  gcc_unreachable ();
}

void
build_run (gimple *, tree, const vec<tree> &, const vec<tree> &, tree, tree)
{
  gcc_unreachable ();
}

void
build_run_end (gimple_stmt_iterator *, tree, tree)
{
  gcc_unreachable ();
}

void
write_stub_text (FILE *, const char *)
{}

void
write_room_stub (FILE *)
{}

void
write_run_stub (FILE *)
{}

#endif

} // anonymous namespace

gimple *
build_burst_call (tree on, basic_block bb)
{
  if (stub_fits_p ())
    return build_stub_call (on, true);
  tree decl = runtime ().burst;
  gcall *call = gimple_build_call (decl, 0);
  gimple_call_set_lhs (call, on);
  cgraph_node::get (current_function_decl)
    ->create_edge (cgraph_node::get_create (decl), call, bb->count);
  return call;
}

gimple *
build_slow_call (tree renewed, tree cursor, basic_block bb)
{
  if (stub_fits_p ())
    return build_stub_call (renewed, false);
  tree decl = runtime ().slow;
  gcall *call = gimple_build_call (decl, 1, cursor);
  gimple_call_set_lhs (call, renewed);
  cgraph_node::get (current_function_decl)
    ->create_edge (cgraph_node::get_create (decl), call, bb->count);
  return call;
}

bool
record_asm_fits_p (unsigned words)
{
  return stub_fits_p () && words <= k_max_asm_words;
}

void
write_record_asm (gimple *place, tree header, const vec<tree> &words,
		  bool room, bool length_of_header)
{
  build_record (place, header, words, room, length_of_header);
}

bool
run_asm_fits_p (unsigned words)
{
  return stub_fits_p () && words <= k_max_run_words;
}

void
write_run_asm (gimple *place, tree descriptor, const vec<tree> &common,
	       const vec<tree> &own, tree piece, tree end)
{
  build_run (place, descriptor, common, own, piece, end);
}

void
write_run_end_asm (gimple_stmt_iterator *gsi, tree descriptor, tree piece)
{
  build_run_end (gsi, descriptor, piece);
}

void
write_slow_stub ()
{
  if (stub_used)
    write_stub_text (asm_out_file, "__mprt_slow");
  if (room_stub_used)
    write_room_stub (asm_out_file);
  if (run_stub_used)
    write_run_stub (asm_out_file);
  if (burst_stub_used)
    write_stub_text (asm_out_file, "__mprt_burst");
}

} // namespace memprof::plugin
