// oracle_scan.cc - what the oracle takes for an access, and for a loop.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads the function, changes nothing.  See oracle_plugin.cc.
#include "oracle.h"

namespace oracle {

// ---- what is an access -----------------------------------------------------

bool
memory_p (tree ref)
{
  if (!ref || is_gimple_min_invariant (ref) || TREE_CODE (ref) == SSA_NAME)
    return false;
  if (TREE_CODE (ref) == WITH_SIZE_EXPR)
    ref = TREE_OPERAND (ref, 0);
  bool inside = false;
  while (handled_component_p (ref))
    {
      ref = TREE_OPERAND (ref, 0);
      inside = true;
    }
  switch (TREE_CODE (ref))
    {
    case MEM_REF:
    case TARGET_MEM_REF:
      return true;
    case VAR_DECL:
      if (DECL_HARD_REGISTER (ref))
        return false;
      // Fall through.
    case PARM_DECL:
      return !is_gimple_reg (ref);
    case RESULT_DECL:  // in memory unless it returns in registers
      return !is_gimple_reg (ref) && aggregate_value_p (ref, cfun->decl);
    case CONST_DECL:
      return true;
    case STRING_CST:
      return inside;
    default:
      return false;
    }
}

long
static_bytes (tree ref)
{
  if (TREE_CODE (ref) == WITH_SIZE_EXPR)
    return 0;
  poly_int64 bits, at;
  tree offset;
  machine_mode mode;
  int u, r, v;
  get_inner_reference (ref, &bits, &at, &offset, &mode, &u, &r, &v);
  if (!bits.is_constant () || bits.to_constant () < 0)
    return 0;
  return ((at.to_constant () & 7) + bits.to_constant () + 7) / 8;
}

void
add (gimple *stmt, Part part, bool store, long bytes, unsigned index = 0,
     int length = -1)
{
  sites.push_back ({stmt, part, index, length, bytes, store, false, next_id++});
}

std::string
callee_name (gimple *call)
{
  tree decl = gimple_call_fndecl (call);
  if (!decl)
    return "";
  std::string name = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (decl));
  for (const char *prefix : {"*", "__builtin_"})
    if (name.compare (0, strlen (prefix), prefix) == 0)
      name.erase (0, strlen (prefix));
  if (name.size () > 6 && name.compare (0, 2, "__") == 0
      && name.compare (name.size () - 4, 4, "_chk") == 0)
    name = name.substr (2, name.size () - 6);
  return name;
}

bool
starts (const std::string &s, const char *prefix)
{
  return s.compare (0, strlen (prefix), prefix) == 0;
}

void
add_range (gimple *call, unsigned pointer, unsigned length, bool store)
{
  if (gimple_call_num_args (call) <= MAX (pointer, length))
    return;
  tree n = gimple_call_arg (call, length);
  long bytes = tree_fits_shwi_p (n) ? tree_to_shwi (n) : 0;
  add (call, part_pointer, store, bytes, pointer, length);
}

// __atomic_* and __sync_* of 1 to 16 bytes, by name: "__atomic_fetch_add_4".
bool
scan_atomic (gimple *call, const std::string &name)
{
  size_t end = name.find_last_of ('_');
  if (end == std::string::npos || end + 1 >= name.size ())
    return false;
  long n = atol (name.c_str () + end + 1);
  bool atomic = starts (name, "__atomic_"), sync = starts (name, "__sync_");
  if (n <= 0 || !(atomic || sync))
    return false;
  bool load = !(starts (name, "__atomic_store") || starts (name, "__sync_lock_release"));
  bool store = !starts (name, "__atomic_load");
  bool swap = name.find ("compare_") != std::string::npos;
  const size_t first = sites.size ();
  if (load)
    add (call, part_pointer, false, n);
  if (store)
    add (call, swap ? part_swap : part_pointer, true, n);
  for (size_t i = first; i < sites.size (); i++)
    sites[i].atomic = true;
  return true;
}

void
scan_call (gimple *call)
{
  for (unsigned i = 0; i < gimple_call_num_args (call); i++)
    if (memory_p (gimple_call_arg (call, i)))
      add (call, part_arg, false, static_bytes (gimple_call_arg (call, i)), i);

  std::string name = callee_name (call);
  if (gimple_call_internal_p (call, IFN_ATOMIC_COMPARE_EXCHANGE))
    {
      long n = tree_to_shwi (gimple_call_arg (call, 3)) & 255;
      add (call, part_pointer, false, n);
      add (call, part_swap, true, n);
      sites.end ()[-1].atomic = sites.end ()[-2].atomic = true;
    }
  else if (name == "memcpy" || name == "memmove" || name == "mempcpy")
    {
      add_range (call, 1, 2, false);
      add_range (call, 0, 2, true);
    }
  else if (name == "bcopy")
    {
      add_range (call, 0, 2, false);
      add_range (call, 1, 2, true);
    }
  else if (name == "memset")
    add_range (call, 0, 2, true);
  else if (name == "bzero")
    add_range (call, 0, 1, true);
  else if (name == "strlen")
    add (call, part_string, false, 0, 0);
  else if (name == "strcpy" || name == "stpcpy")
    {
      add (call, part_string, false, 0, 1);
      // As long as the source.
      add (call, part_string, true, 0, 1, 0);
    }
  else
    scan_atomic (call, name);

  tree lhs = gimple_call_lhs (call);
  if (memory_p (lhs))
    add (call, part_lhs, true, static_bytes (lhs));
}

void
scan_statement (gimple *stmt)
{
  if (is_gimple_debug (stmt) || gimple_clobber_p (stmt))
    return;
  if (is_gimple_assign (stmt))
    {
      tree rhs = gimple_assign_rhs1 (stmt), lhs = gimple_assign_lhs (stmt);
      if (gimple_assign_single_p (stmt) && memory_p (rhs))
        add (stmt, part_rhs, false, static_bytes (rhs));
      if (memory_p (lhs))
        add (stmt, part_lhs, true, static_bytes (lhs));
    }
  else if (is_gimple_call (stmt))
    scan_call (stmt);
  else if (gasm *s = dyn_cast<gasm *> (stmt))
    {
      for (unsigned i = 0; i < gimple_asm_ninputs (s); i++)
        {
          tree value = TREE_VALUE (gimple_asm_input_op (s, i));
          if (memory_p (value))
            add (stmt, part_asm_in, false, static_bytes (value), i);
        }
      for (unsigned i = 0; i < gimple_asm_noutputs (s); i++)
        {
          tree value = TREE_VALUE (gimple_asm_output_op (s, i));
          if (memory_p (value))
            add (stmt, part_asm_out, true, static_bytes (value), i);
        }
    }
}

static tree
note_variable (tree *t, int *, void *variables)
{
  if (VAR_P (*t))
    static_cast<std::set<tree> *> (variables)->insert (*t);
  return NULL_TREE;
}

// Those that are left of the function's variables. The others have no place in its frame.
static std::set<tree>
mentioned_variables (function *f)
{
  std::set<tree> found;
  const auto look = [&found] (gimple *stmt) {
    for (unsigned i = 0; i < gimple_num_ops (stmt); i++)
      if (gimple_op (stmt, i))
        walk_tree (gimple_op_ptr (stmt, i), note_variable, &found, NULL);
  };
  basic_block bb;
  FOR_EACH_BB_FN (bb, f)
    {
      for (gimple_stmt_iterator i = gsi_start_nondebug_bb (bb); !gsi_end_p (i);
           gsi_next_nondebug (&i))
        if (!gimple_clobber_p (gsi_stmt (i)))
          look (gsi_stmt (i));
      for (gphi_iterator i = gsi_start_phis (bb); !gsi_end_p (i); gsi_next (&i))
        for (unsigned k = 0; k < gimple_phi_num_args (i.phi ()); k++)
          walk_tree (gimple_phi_arg_def_ptr (i.phi (), k), note_variable, &found, NULL);
    }
  return found;
}

unsigned
scan (function *f)
{
  sites.clear ();
  scanned_function = f->decl;
  basic_block bb;
  FOR_EACH_BB_FN (bb, f)
    for (gimple_stmt_iterator i = gsi_start_bb (bb); !gsi_end_p (i); gsi_next (&i))
      scan_statement (gsi_stmt (i));
  // Now: the product makes variables of its own.
  locals.clear ();
  const std::set<tree> mentioned = mentioned_variables (f);
  unsigned i;
  tree var;
  FOR_EACH_LOCAL_DECL (f, i, var)
    if (VAR_P (var) && !is_gimple_reg (var) && mentioned.count (var))
      locals.push_back (var);
  return 0;
}

// ---- natural loops ---------------------------------------------------------

std::vector<Loop>
find_loops (function *f)
{
  free_dominance_info (CDI_DOMINATORS);
  calculate_dominance_info (CDI_DOMINATORS);
  std::map<int, Loop> by_header;
  basic_block bb;
  FOR_EACH_BB_FN (bb, f)
    {
      edge e;
      edge_iterator ei;
      FOR_EACH_EDGE (e, ei, bb->succs)
        if (e->dest != EXIT_BLOCK_PTR_FOR_FN (f)
            // As GCC: a header that setjmp or a computed goto can enter makes
            // no loop.
            && !bb_has_abnormal_pred (e->dest)
            && dominated_by_p (CDI_DOMINATORS, bb, e->dest))
          {
            Loop &loop = by_header[e->dest->index];
            loop.header = e->dest;
            loop.blocks.insert (e->dest->index);
            std::vector<basic_block> work{bb};
            while (!work.empty ())
              {
                basic_block b = work.back ();
                work.pop_back ();
                if (!loop.blocks.insert (b->index).second)
                  continue;
                edge p;
                edge_iterator pi;
                FOR_EACH_EDGE (p, pi, b->preds) work.push_back (p->src);
              }
          }
    }
  std::vector<Loop> loops;
  for (auto &[index, loop] : by_header)
    {
      loop.id = next_id++;
      loops.push_back (loop);
    }
  return loops;
}

// The innermost loop that holds the block (and is not `but').
const Loop *
innermost (const std::vector<Loop> &loops, int block, const Loop *but)
{
  const Loop *best = nullptr;
  for (const Loop &l : loops)
    if (&l != but && l.blocks.count (block)
        && (!best || l.blocks.size () < best->blocks.size ()))
      best = &l;
  return best;
}

}  // namespace oracle
