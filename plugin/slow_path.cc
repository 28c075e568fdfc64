/* slow_path.cc - how instrumented code calls __mprt_slow.
   SPDX-License-Identifier: GPL-3.0-or-later

   The call is hardly ever executed, but an ordinary call costs the code around
   it: every value that is needed later must be in a register that calls
   preserve or be spilled, a leaf function is none any more, and the spills of a
   few thousand records are half of the instrumented text.  So on x86-64 it is
   an asm statement that calls a stub, __mprt_slow_saved, which saves all
   registers that a call may change:

     add $-128, %rsp		// the red zone
     call __mprt_slow_saved	// cursor in and out: rax; adds 128 again

   The stub is part of every unit and hidden; the linker keeps one per module.
   It saves the vector registers of SSE.  Code for AVX has more of them, and
   uses an ordinary call.  The runtime does not touch the x87 registers.  */

#include "gcc-common.h"
#include "runtime_decls.h"
#include "slow_path.h"

// Where GCC writes assembly; all that is needed of its output.h.
extern FILE *asm_out_file;

namespace memprof::plugin {

namespace {

bool stub_used;

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

gimple *
build_stub_call (tree renewed, tree cursor)
{
  vec<tree, va_gc> *inputs = nullptr, *outputs = nullptr, *clobbers = nullptr;
  vec_safe_push (outputs, operand ("=a", renewed));
  vec_safe_push (inputs, operand ("0", cursor));
  vec_safe_push (clobbers,
		 build_tree_list (NULL_TREE, build_string (3, "cc")));
  gasm *call
    = gimple_build_asm_vec ("{addq\t$-128, %%rsp|add\trsp, -128}\n\t"
			    "call\t__mprt_slow_saved",
			    inputs, outputs, clobbers, nullptr);
  gimple_asm_set_volatile (call, true);
  SSA_NAME_DEF_STMT (renewed) = call;
  stub_used = true;
  return call;
}

void
write_stub_text (FILE *out)
{
  static const char *const saved[]
    = { "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11" };
  const int k_vectors = 16;
  bool intel = ix86_asm_dialect == ASM_INTEL;
  if (intel)
    fputs ("\t.att_syntax prefix\n", out);
  fputs ("\t.section\t.text.__mprt_slow_saved,\"axG\",@progbits,"
	 "__mprt_slow_saved,comdat\n"
	 "\t.weak\t__mprt_slow_saved\n"
	 "\t.hidden\t__mprt_slow_saved\n"
	 "\t.type\t__mprt_slow_saved, @function\n"
	 "__mprt_slow_saved:\n"
	 "\t.cfi_startproc\n"
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
  fputs ("\tcld\n\tmovq\t%rax, %rdi\n\tcall\t__mprt_slow@PLT\n", out);
  for (int i = 0; i < k_vectors; i++)
    fprintf (out, "\tmovaps\t%d(%%rsp), %%xmm%d\n", i * 16, i);
  fprintf (out, "\tleaq\t-%d(%%rbp), %%rsp\n",
	   int (sizeof saved / sizeof *saved) * 8);
  for (int i = sizeof saved / sizeof *saved; i-- > 0;)
    fprintf (out, "\tpopq\t%%%s\n", saved[i]);
  fputs ("\tpopq\t%rbp\n"
	 "\t.cfi_def_cfa %rsp, 8\n"
	 "\tret\t$128\n"
	 "\t.cfi_endproc\n"
	 "\t.size\t__mprt_slow_saved, .-__mprt_slow_saved\n"
	 "\t.text\n",
	 out);
  if (intel)
    fputs ("\t.intel_syntax noprefix\n", out);
}

#else

bool
stub_fits_p ()
{
  return false;
}

gimple *
build_stub_call (tree, tree)
{
  gcc_unreachable ();
}

void
write_stub_text (FILE *)
{}

#endif

} // anonymous namespace

gimple *
build_slow_call (tree renewed, tree cursor, basic_block bb)
{
  if (stub_fits_p ())
    return build_stub_call (renewed, cursor);
  tree decl = runtime ().slow;
  gcall *call = gimple_build_call (decl, 1, cursor);
  gimple_call_set_lhs (call, renewed);
  cgraph_node::get (current_function_decl)
    ->create_edge (cgraph_node::get_create (decl), call, bb->count);
  return call;
}

void
write_slow_stub ()
{
  if (stub_used)
    write_stub_text (asm_out_file);
}

} // namespace memprof::plugin
