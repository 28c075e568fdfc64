// oracle_calls.cc - the calls that the oracle inserts.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each is an ordinary call of a function of oracle_runtime.c with integers as
// arguments.  See oracle_plugin.cc.
#include "oracle.h"

namespace oracle {

// ---- inserting calls -------------------------------------------------------

tree
hook (const char *name, tree result, unsigned args)
{
  static std::map<std::string, tree> decls;
  tree &decl = decls[name];
  if (!decl)
    {
      tree type[4] = {};
      for (unsigned i = 0; i < args; i++)
        type[i] = long_unsigned_type_node;
      decl = build_fn_decl (name, build_function_type_array (result, args, type));
      TREE_NOTHROW (decl) = 1;
      DECL_ATTRIBUTES (decl) = tree_cons (get_identifier ("leaf"), NULL, NULL);
      // Never freed: a root of its own would need a registration per name.
      cgraph_node::get_create (decl);
    }
  return decl;
}

tree
word (unsigned long value)
{
  return build_int_cstu (long_unsigned_type_node, value);
}

// Statements that compute `value' as an unsigned long go to *seq.
tree
to_word (tree value, gimple_seq *seq)
{
  gimple_seq part = NULL;
  tree v = force_gimple_operand (fold_convert (long_unsigned_type_node,
                                               unshare_expr (value)),
                                 &part, true, NULL_TREE);
  gimple_seq_add_seq (seq, part);
  return v;
}

gcall *
build_hook_call (const char *name, std::initializer_list<tree> args,
                 tree result)
{
  vec<tree> v = vNULL;
  for (tree a : args)
    v.safe_push (a);
  gcall *call = gimple_build_call_vec (hook (name, result, args.size ()), v);
  v.release ();
  return call;
}

void
take_address_of_base (tree ref)
{
  tree base = ref;
  while (handled_component_p (base))
    base = TREE_OPERAND (base, 0);
  if (TREE_CODE (base) == MEM_REF && TREE_CODE (TREE_OPERAND (base, 0)) == ADDR_EXPR)
    base = TREE_OPERAND (TREE_OPERAND (base, 0), 0);
  if (DECL_P (base))
    TREE_ADDRESSABLE (base) = 1;
}

// Address and size of the bytes of `ref'.
void
locate (tree ref, gimple_seq *seq, tree *address, tree *bytes)
{
  if (TREE_CODE (ref) == WITH_SIZE_EXPR)
    {
      *bytes = to_word (TREE_OPERAND (ref, 1), seq);
      ref = TREE_OPERAND (ref, 0);
      *address = to_word (build_fold_addr_expr (unshare_expr (ref)), seq);
      return;
    }
  take_address_of_base (ref);
  long n = static_bytes (ref);
  poly_int64 bits, at;
  tree offset;
  machine_mode mode;
  int u, r, v;
  tree base = get_inner_reference (unshare_expr (ref), &bits, &at,
                                   &offset, &mode, &u, &r, &v);
  *bytes = n ? word (n) : to_word (TYPE_SIZE_UNIT (TREE_TYPE (ref)), seq);
  tree sum = to_word (build_fold_addr_expr (base), seq);
  for (tree more : {offset, build_int_cst (sizetype, at.to_constant () >> 3)})
    if (more)
      {
        tree w = to_word (more, seq);
        tree next = make_ssa_name (long_unsigned_type_node);
        gimple_seq_add_stmt (seq, gimple_build_assign (next, PLUS_EXPR, sum, w));
        sum = next;
      }
  *address = sum;
}

void
add_edges (gimple_seq seq, basic_block bb)
{
  for (gimple_stmt_iterator i = gsi_start (seq); !gsi_end_p (i); gsi_next (&i))
    if (gcall *call = dyn_cast<gcall *> (gsi_stmt (i)))
      cgraph_node::get (cfun->decl)
        ->create_edge (cgraph_node::get_create (gimple_call_fndecl (call)), call,
                       bb->count);
}

void
insert_before (gimple *stmt, gimple_seq seq)
{
  add_edges (seq, gimple_bb (stmt));
  gimple_stmt_iterator i = gsi_for_stmt (stmt);
  gsi_insert_seq_before (&i, seq, GSI_SAME_STMT);
}

void
insert_after (gimple *stmt, gimple_seq seq)
{
  basic_block bb = gimple_bb (stmt);
  gimple_stmt_iterator i = gsi_for_stmt (stmt);
  if (!stmt_ends_bb_p (stmt))
    {
      add_edges (seq, bb);
      gsi_insert_seq_after (&i, seq, GSI_CONTINUE_LINKING);
      return;
    }
  edge e = find_fallthru_edge (bb->succs);
  if (!e)
    return;  // it does not return
  add_edges (seq, bb);
  if (single_pred_p (e->dest))
    {
      gimple_stmt_iterator at = gsi_after_labels (e->dest);
      gsi_insert_seq_before (&at, seq, GSI_SAME_STMT);
    }
  else
    {
      gsi_insert_seq_on_edge (e, seq);
      gsi_commit_edge_inserts ();
    }
}

// Whether a compare-and-swap succeeded, as a word.
tree
swap_succeeded (gimple *call, gimple_seq *seq)
{
  tree lhs = gimple_call_lhs (call);
  if (!lhs)
    {
      error_at (gimple_location (call), "oracle: result of compare-and-swap unused");
      return word (0);
    }
  if (TREE_CODE (TREE_TYPE (lhs)) == COMPLEX_TYPE)
    return to_word (build1 (IMAGPART_EXPR, TREE_TYPE (TREE_TYPE (lhs)), lhs), seq);
  if (TREE_CODE (TREE_TYPE (lhs)) == BOOLEAN_TYPE)
    return to_word (lhs, seq);
  tree same = build2 (EQ_EXPR, boolean_type_node, lhs,
                      fold_convert (TREE_TYPE (lhs), gimple_call_arg (call, 1)));
  return to_word (same, seq);
}

// What the place `id' has for a pointer.
void
emit_pointer (unsigned id, tree pointer, gimple_seq *seq)
{
  tree value = to_word (pointer, seq);
  gimple_seq_add_stmt (seq, build_hook_call ("__oracle_pointer", {word (id), value}));
}

// The pointer that an assignment loads or stores, or null.
tree
moved_pointer (const Site &s)
{
  if (!gimple_assign_single_p (s.stmt) || s.bytes != 8)
    return NULL_TREE;
  tree value = s.store ? gimple_assign_rhs1 (s.stmt) : gimple_assign_lhs (s.stmt);
  return POINTER_TYPE_P (TREE_TYPE (value))
                 && (TREE_CODE (value) == SSA_NAME || is_gimple_min_invariant (value))
             ? value
             : NULL_TREE;
}

void
emit_site (const Site &s)
{
  gimple *stmt = s.stmt;
  gimple_seq before = NULL, after = NULL;
  tree address = NULL, bytes = NULL, id = word (s.id);
  tree ref = NULL;
  switch (s.part)
    {
    case part_rhs:
      ref = gimple_assign_rhs1 (stmt);
      break;
    case part_lhs:
      ref = gimple_get_lhs (stmt);
      break;
    case part_arg:
      ref = gimple_call_arg (stmt, s.index);
      break;
    case part_asm_in:
      ref = TREE_VALUE (gimple_asm_input_op (as_a<gasm *> (stmt), s.index));
      break;
    case part_asm_out:
      ref = TREE_VALUE (gimple_asm_output_op (as_a<gasm *> (stmt), s.index));
      break;
    case part_pointer:
    case part_swap:
      address = to_word (gimple_call_arg (stmt, s.index), &before);
      bytes = s.length >= 0 ? to_word (gimple_call_arg (stmt, s.length), &before)
                            : word (s.bytes);
      break;
    case part_string:
      {
        tree text = to_word (gimple_call_arg (stmt, s.index), &before);
        tree at = s.length < 0 ? text
                               : to_word (gimple_call_arg (stmt, s.length), &before);
        gimple_seq_add_stmt (&before, build_hook_call ("__oracle_string",
                                                       {id, at, text}));
        insert_before (stmt, before);
        return;
      }
    }
  if (ref)
    locate (ref, &before, &address, &bytes);

  if (s.part == part_swap)
    {
      tree done = swap_succeeded (stmt, &after);
      gimple_seq_add_stmt (&after, build_hook_call ("__oracle_access_if",
                                                    {id, address, bytes, done}));
    }
  else
    gimple_seq_add_stmt (s.part == part_lhs && is_gimple_call (stmt) ? &after : &before,
                         build_hook_call ("__oracle_access", {id, address, bytes}));
  if (s.part == part_rhs || (s.part == part_lhs && is_gimple_assign (stmt)))
    if (tree pointer = moved_pointer (s))
      emit_pointer (s.id, pointer, s.store ? &before : &after);
  insert_before (stmt, before);
  if (after)
    insert_after (stmt, after);
}

// ---- objects ---------------------------------------------------------------

void
emit_allocation (gimple *call)
{
  std::string name = callee_name (call);
  tree lhs = gimple_call_lhs (call);
  gimple_seq before = NULL, after = NULL;
  auto arg = [&] (unsigned i) { return to_word (gimple_call_arg (call, i), &before); };
  unsigned id = 0;
  auto birth = [&] (tree size) {
    if (lhs && TREE_CODE (lhs) != SSA_NAME)
      error_at (gimple_location (call), "oracle: allocation into memory");
    if (!lhs)
      return;
    id = next_id++;
    gimple_seq_add_stmt (&after, build_hook_call ("__oracle_birth",
                                                  {word (id), to_word (lhs, &after), size}));
  };
  if (name == "malloc" || starts (name, "_Znwm") || starts (name, "_Znam"))
    birth (arg (0));
  else if (name == "aligned_alloc" || name == "memalign")
    birth (arg (1));
  else if (name == "calloc")
    {
      tree a = arg (0), b = arg (1), n = make_ssa_name (long_unsigned_type_node);
      gimple_seq_add_stmt (&before, gimple_build_assign (n, MULT_EXPR, a, b));
      birth (n);
    }
  else if (name == "realloc" && lhs)
    {
      tree old = arg (0), size = arg (1);
      id = next_id++;
      gimple_seq_add_stmt (&after, build_hook_call ("__oracle_realloc",
                                                    {word (id), old, to_word (lhs, &after), size}));
    }
  else if (name == "posix_memalign")
    {
      tree where = arg (0), size = arg (2);
      id = next_id++;
      gimple_seq_add_stmt (&after, build_hook_call ("__oracle_birth_at",
                                                    {word (id), where, size}));
    }
  else if (name == "free" || starts (name, "_ZdlPv") || starts (name, "_ZdaPv"))
    gimple_seq_add_stmt (&before, build_hook_call ("__oracle_death", {arg (0)}));
  else if (starts (name, "alloca") && lhs)
    gimple_seq_add_stmt (&after, build_hook_call ("__oracle_local",
                                                  {to_word (lhs, &after), arg (0)}));
  else
    return;
  if (id)
    fprintf (map_file, "alloc %u %s %d %s\n", id, LOCATION_FILE (gimple_location (call)),
             LOCATION_LINE (gimple_location (call)), name.c_str ());
  if (before)
    insert_before (call, before);
  if (after)
    insert_after (call, after);
}

// Local variables that live in memory have no writer when the function starts.
void
emit_local (tree var, gimple_seq *seq)
{
  if (is_gimple_reg (var) || DECL_HAS_VALUE_EXPR_P (var) || DECL_EXTERNAL (var)
      || TREE_STATIC (var) || !DECL_SIZE_UNIT (var)
      || !tree_fits_uhwi_p (DECL_SIZE_UNIT (var))
      || (VAR_P (var) && DECL_HARD_REGISTER (var)))
    return;
  TREE_ADDRESSABLE (var) = 1;
  tree at = to_word (build_fold_addr_expr (var), seq);
  gimple_seq_add_stmt (seq, build_hook_call ("__oracle_local",
                                             {at, word (tree_to_uhwi (DECL_SIZE_UNIT (var)))}));
}

}  // namespace oracle
