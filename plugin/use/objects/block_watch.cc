/* block_watch.cc - the size of the largest block that an allocation call has made.
   SPDX-License-Identifier: GPL-3.0-or-later

   Problem: whether a[b[i]] misses the cache depends on how large the input is, and the input
   of the training run was small.  The running program knows when it allocates a:

     a = malloc (n * 8);		largest = MAX (largest, n * 8);
					a = malloc (n * 8);

     for (i...)				large = largest >= 2097152;
					for (i...)
					  {
					    if (large) prefetch (&a[b[i + 16]]);
       sum += a[b[i]];			    sum += a[b[i]];
					  }

   The variable has the call's name in consumers/decide/watched_blocks.h and is in a COMDAT
   group, so that the units of a program share it, whether they allocate or loop.  A shared
   library has its own: a loop there does not know what the program has allocated, and leaves
   the prefetch out.

   Right for every input: nothing but prefetches depends on the variable.  Threads may lose
   each other's maximum.  What was freed still counts.  */

#include "plugin/gcc-common.h"
#include "plugin/use/objects/block_watch.h"

namespace memprof::plugin {

namespace {

tree
word_type ()
{
  return build_nonstandard_integer_type (64, 1);
}

/* The variable NAME of this unit.  */

tree
variable (const char *name)
{
  char full[50];
  snprintf (full, sizeof full, "__memprof_largest.%s", name);
  tree id = get_identifier (full);
  if (varpool_node *known = varpool_node::get_for_asmname (id))
    return known->decl;
  tree decl = build_decl (UNKNOWN_LOCATION, VAR_DECL, id, word_type ());
  TREE_STATIC (decl) = 1;
  TREE_PUBLIC (decl) = 1;
  DECL_ARTIFICIAL (decl) = 1;
  DECL_IGNORED_P (decl) = 1;
  TREE_USED (decl) = 1;
  DECL_PRESERVE_P (decl) = 1;
  DECL_VISIBILITY (decl) = VISIBILITY_HIDDEN;
  DECL_VISIBILITY_SPECIFIED (decl) = 1;
  make_decl_one_only (decl, DECL_ASSEMBLER_NAME (decl));
  varpool_node::finalize_decl (decl);
  return decl;
}

/* Adds RESULT = LEFT CODE RIGHT to *SEQ, and returns RESULT.  */

tree
add (gimple_seq *seq, tree_code code, tree type, tree left, tree right)
{
  tree result = make_ssa_name (type);
  gimple_seq_add_stmt (seq, gimple_build_assign (result, code, left, right));
  return result;
}

} // anonymous namespace

void
watch_block (gcall *call, tree bytes, tree count, const char *name)
{
  gimple_seq seq = NULL;
  tree type = word_type (), largest = variable (name);
  auto word = [&] (tree value) {
    return force_gimple_operand (fold_convert (type, unshare_expr (value)), &seq, true,
				 NULL_TREE);
  };
  tree wanted = word (bytes);
  if (count)
    wanted = add (&seq, MULT_EXPR, type, wanted, word (count));
  tree before = make_ssa_name (type);
  gimple_seq_add_stmt (&seq, gimple_build_assign (before, largest));
  tree after = add (&seq, MAX_EXPR, type, before, wanted);
  gimple_seq_add_stmt (&seq, gimple_build_assign (largest, after));
  gimple_stmt_iterator gsi = gsi_for_stmt (call);
  gsi_insert_seq_before (&gsi, seq, GSI_SAME_STMT);
}

tree
large_block (class loop *loop, const char *name, uint64_t at_least, tree vuse)
{
  gimple_seq seq = NULL;
  tree type = word_type (), largest = make_ssa_name (type);
  gassign *load = gimple_build_assign (largest, variable (name));
  gimple_set_vuse (load, vuse);
  gimple_seq_add_stmt (&seq, load);
  tree large = add (&seq, GE_EXPR, boolean_type_node, largest, build_int_cstu (type, at_least));
  gsi_insert_seq_on_edge_immediate (loop_preheader_edge (loop), seq);
  return large;
}

} // namespace memprof::plugin
