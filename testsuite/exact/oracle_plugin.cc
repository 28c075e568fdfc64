// oracle_plugin.cc - a GCC plugin that logs every memory access, by brute force.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The other half of the exactness test (differential.sh): it decides on its own
// what an access is, shares no code with plugin/, and puts an out-of-line call
// in front of every single one.  Both plugins are loaded in one compile, so
// both describe the same run at the same addresses:
//
//   oracle_scan   before memprof_gen: numbers the accesses of the function as
//                 memprof_gen is to see it, and remembers the statements
//   memprof_gen   (the product)
//   oracle_emit   after it: inserts the calls, so the product cannot see them
//
//     x = p->next->key;      =>   __oracle_access (7, &p->next, 8);
//                                 t = p->next;
//                                 __oracle_access (8, &t->key, 4);
//                                 x = t->key;
//
// What a site is, in order of a walk over the blocks and statements, for each
// statement loads before stores: memory operands of assignments (an aggregate
// copy is one load and one store), aggregate arguments and memory results of
// calls, the ranges of memcpy-like calls, atomics, memory operands of asm.  A
// bit-field is the bytes that hold some bit of it.
//
// Loops: every block that runs is logged with a token of its activation; the
// map file says which natural loops (found here from dominators) hold the
// block, and analyse.py works out entries, iterations and exits.
//
// Arguments: map=FILE (appended; text, see emit_map), base=N (first id).
#include "oracle.h"

int plugin_is_GPL_compatible;

namespace oracle {

std::vector<Site> sites;
std::vector<tree> locals;
tree scanned_function;
unsigned next_id = 1;
FILE *map_file;

const char *
source_name (tree decl)
{
  while (decl && TREE_CODE (decl) != TRANSLATION_UNIT_DECL)
    decl = TYPE_P (decl) ? TYPE_CONTEXT (decl) : DECL_CONTEXT (decl);
  return decl && DECL_NAME (decl) ? IDENTIFIER_POINTER (DECL_NAME (decl))
                                  : main_input_filename;
}

void
emit_map (function *f, unsigned id, const std::vector<Loop> &loops)
{
  fprintf (map_file, "function %u %s %s %zu\n", id,
           IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (f->decl)), source_name (f->decl),
           sites.size ());
  for (const Loop &l : loops)
    {
      const Loop *outer = innermost (loops, l.header->index, &l);
      fprintf (map_file, "loop %u %u\n", l.id, outer ? outer->id : 0);
    }
  unsigned ordinal = 0;
  for (const Site &s : sites)
    {
      const Loop *l = innermost (loops, gimple_bb (s.stmt)->index);
      location_t at = gimple_location (s.stmt);
      fprintf (map_file, "site %u %u %s %ld %d %u %d\n", s.id, ordinal++,
               s.store ? "store" : "load", s.bytes,
               at == UNKNOWN_LOCATION ? 0 : LOCATION_LINE (at), l ? l->id : 0, s.atomic);
    }
}

// Of how many arguments a function's pointers are known.
const unsigned most_arguments = 7;

// A number for an argument of a function, or for what it returns (0).
unsigned
pointer_place (unsigned function, unsigned argument)
{
  fprintf (map_file, "pointer %u %u %u\n", next_id, function, argument);
  return next_id++;
}

void
emit_blocks (function *f, const std::vector<Loop> &loops, tree token)
{
  basic_block bb;
  std::vector<basic_block> blocks;
  FOR_EACH_BB_FN (bb, f) blocks.push_back (bb);
  if (!loops.empty ())
    for (basic_block b : blocks)
      {
        const Loop *l = innermost (loops, b->index);
        unsigned block = next_id++;
        fprintf (map_file, "block %u %u %d\n", block, l ? l->id : 0,
                 l && l->header == b);
        gimple_seq seq = NULL;
        gimple_seq_add_stmt (&seq, build_hook_call ("__oracle_block", {word (block), token}));
        add_edges (seq, b);
        gimple_stmt_iterator at = gsi_after_labels (b);
        gsi_insert_seq_before (&at, seq, GSI_SAME_STMT);
      }
}

void
emit_returns (function *f, unsigned id, const std::vector<gimple *> &calls, tree token)
{
  // The same block again, when setjmp returns a second time.
  for (gimple *call : calls)
    if (gimple_call_flags (call) & ECF_RETURNS_TWICE)
      {
        gimple_seq seq = NULL;
        gimple_seq_add_stmt (&seq, build_hook_call ("__oracle_again", {token}));
        insert_after (call, seq);
      }
  edge out;
  edge_iterator outs;
  FOR_EACH_EDGE (out, outs, EXIT_BLOCK_PTR_FOR_FN (f)->preds)
    if (greturn *last = safe_dyn_cast<greturn *> (gsi_stmt (gsi_last_nondebug_bb (out->src))))
      {
        gimple_seq seq = NULL;
        gimple_seq_add_stmt (&seq, build_hook_call ("__oracle_leave", {token}));
        if (tree value = gimple_return_retval (last))
          if (POINTER_TYPE_P (TREE_TYPE (value)))
            emit_pointer (pointer_place (id, 0), value, &seq);
        insert_before (last, seq);
      }
}

unsigned
emit (function *f)
{
  if (scanned_function != f->decl)
    return 0;
  scanned_function = NULL_TREE;

  std::set<gimple *> alive;
  std::vector<gimple *> calls;
  basic_block bb;
  FOR_EACH_BB_FN (bb, f)
    for (gimple_stmt_iterator i = gsi_start_bb (bb); !gsi_end_p (i); gsi_next (&i))
      {
        alive.insert (gsi_stmt (i));
        if (is_gimple_call (gsi_stmt (i)))
          calls.push_back (gsi_stmt (i));
      }
  for (const Site &s : sites)
    if (!alive.count (s.stmt))
      {
        error ("oracle: the product removed a statement of %qD", f->decl);
        return 0;
      }

  std::vector<Loop> loops = find_loops (f);
  unsigned id = next_id++;
  emit_map (f, id, loops);

  // Blocks first: their numbers still match the loops.  The token is made in
  // the entry block, which dominates all.
  tree token = make_ssa_name (long_unsigned_type_node);
  gcall *enter = build_hook_call ("__oracle_enter", {word (id)}, long_unsigned_type_node);
  gimple_call_set_lhs (enter, token);
  emit_blocks (f, loops, token);
  emit_returns (f, id, calls, token);
  for (const Site &s : sites)
    emit_site (s);
  for (gimple *call : calls)
    emit_allocation (call);

  gimple_seq entry = NULL;
  gimple_seq_add_stmt (&entry, enter);
  for (tree p = DECL_ARGUMENTS (f->decl); p; p = DECL_CHAIN (p))
    emit_local (p, &entry);
  unsigned number = 0;
  for (tree p = DECL_ARGUMENTS (f->decl); p && number++ < most_arguments; p = DECL_CHAIN (p))
    if (POINTER_TYPE_P (TREE_TYPE (p)) && is_gimple_reg (p))
      if (tree value = ssa_default_def (f, p))
        emit_pointer (pointer_place (id, number), value, &entry);
  for (tree var : locals)
    emit_local (var, &entry);
  edge e = single_succ_edge (ENTRY_BLOCK_PTR_FOR_FN (f));
  add_edges (entry, e->dest);
  gsi_insert_seq_on_edge (e, entry);
  gsi_commit_edge_inserts ();
  sites.clear ();
  fflush (map_file);
  free_dominance_info (CDI_DOMINATORS);
  free_dominance_info (CDI_POST_DOMINATORS);
  mark_virtual_operands_for_renaming (f);
  return TODO_update_ssa;
}

const pass_data scan_data = {GIMPLE_PASS, "oracle_scan", OPTGROUP_NONE, TV_NONE,
                             PROP_ssa | PROP_cfg, 0, 0, 0, 0};
const pass_data emit_data = {GIMPLE_PASS, "oracle_emit", OPTGROUP_NONE, TV_NONE,
                             PROP_ssa | PROP_cfg, 0, 0, 0, 0};

// Passes stand at the -O0 place and at the other one; each function gets one.
tree scanned_before, emitted_before;

struct ScanPass : gimple_opt_pass {
  ScanPass () : gimple_opt_pass (scan_data, g) {}
  opt_pass *clone () final override { return new ScanPass; }
  unsigned execute (function *f) final override
  {
    if (scanned_before == f->decl)
      return 0;
    scanned_before = f->decl;
    return scan (f);
  }
};

struct EmitPass : gimple_opt_pass {
  EmitPass () : gimple_opt_pass (emit_data, g) {}
  opt_pass *clone () final override { return new EmitPass; }
  unsigned execute (function *f) final override
  {
    if (emitted_before == f->decl)
      return 0;
    emitted_before = f->decl;
    return emit (f);
  }
};

// The product's pass exists by now, whatever the order of the plugins.
void
place_passes (void *, void *)
{
  register_pass_info after = {new EmitPass, "memprof_gen", 0, PASS_POS_INSERT_AFTER};
  g->get_passes ()->register_pass (&after);
  register_pass_info before = {new ScanPass, "memprof_gen", 0, PASS_POS_INSERT_BEFORE};
  g->get_passes ()->register_pass (&before);
}

// Without the product: at the same place.
bool alone;

void
place_passes_alone (const char *name)
{
  for (pass_data const *p : {&emit_data, &scan_data})
    {
      opt_pass *pass = p == &emit_data ? (opt_pass *) new EmitPass : new ScanPass;
      register_pass_info at = {pass, optimize ? "tsan" : "tsan0", optimize ? 0 : 1,
                               PASS_POS_INSERT_AFTER};
      register_callback (name, PLUGIN_PASS_MANAGER_SETUP, NULL, &at);
    }
}

}  // namespace oracle

using namespace oracle;

int
plugin_init (plugin_name_args *info, plugin_gcc_version *version)
{
  if (strcmp (version->basever, gcc_version.basever))
    return 1;
  for (int i = 0; i < info->argc; i++)
    {
      std::string key = info->argv[i].key;
      const char *value = info->argv[i].value;
      if (key == "map")
        map_file = fopen (value, "a");
      else if (key == "base")
        next_id = atoi (value);
      else if (key == "alone")
        alone = true;
    }
  if (!map_file)
    {
      error ("oracle: map=FILE is missing or cannot be written");
      return 1;
    }
  if (alone)
    place_passes_alone (info->base_name);
  else
    register_callback (info->base_name, PLUGIN_START_UNIT, place_passes, NULL);
  return 0;
}
