/* value_copy.h - copies of values, for another iteration or another place.
   SPDX-License-Identifier: GPL-3.0-or-later

   A value of the graph (value_graph.h) is wanted elsewhere: the address of a[b[i] & 7] sixteen
   iterations later, or an invariant load before its loop.  The statement that defines the value is
   copied, with other names in it:

     t3 = t2 & 7		u3 = u2 & 7	// where t2 has become u2

   Which name a name becomes is what the caller knows, usually as a value_fold whose meaning of a
   name is another name.  A copy may stand where the program does not compute the original, so an
   overflow in it wraps (defined_everywhere).  */

#ifndef MEMPROF_VALUE_COPY_H
#define MEMPROF_VALUE_COPY_H

namespace memprof::plugin {

/* A copy of EXPRESSION with VALUE_OF (name) in place of each SSA name.  */

template <typename Function>
tree
with_names_replaced (tree expression, Function value_of)
{
  auto replace = [] (tree *tp, int *walk_subtrees, void *data) -> tree {
    if (TREE_CODE (*tp) == SSA_NAME)
      *tp = (*static_cast<Function *> (data)) (*tp);
    else if (!TYPE_P (*tp))
      return NULL_TREE;
    *walk_subtrees = 0;
    return NULL_TREE;
  };
  tree result = unshare_expr (expression);
  walk_tree (&result, replace, &value_of, NULL);
  return result;
}

/* A copy of ASSIGN with VALUE_OF (name) in place of each SSA name, which defines a new one.  */

template <typename Function>
gassign *
copy_of (gassign *assign, Function value_of)
{
  gassign *copy = as_a<gassign *> (gimple_copy (assign));
  for (unsigned i = 1; i < gimple_num_ops (copy); i++)
    if (tree operand = gimple_op (copy, i))
      gimple_set_op (copy, i, with_names_replaced (operand, value_of));
  gimple_assign_set_lhs (copy,
			 make_ssa_name (TREE_TYPE (gimple_assign_lhs (assign)), copy));
  return copy;
}

/* Appends COPY to *SEQ, such that it may be executed with any operands; returns the name that it
   defines.  */

inline tree
append_copy (gassign *copy, gimple_seq *seq)
{
  tree result = gimple_assign_lhs (copy);
  gimple_seq_add_seq (seq, defined_everywhere (copy));
  return result;
}

/* Appends LOAD, which the program does not have, where memory has the state VUSE.  */

inline void
append_load (gassign *load, tree vuse, gimple_seq *seq)
{
  gimple_set_vuse (load, vuse);
  suppress_warning (load);
  gimple_seq_add_stmt (seq, load);
}

/* Appends what computes EXPRESSION to *SEQ; returns its value, as an operand.  */

inline tree
append_operand (tree expression, gimple_seq *seq)
{
  gimple_seq more = NULL;
  tree result = force_gimple_operand (expression, &more, true, NULL_TREE);
  gimple_seq_add_seq (seq, more);
  return result;
}

} // namespace memprof::plugin

#endif
