/* asm_builder.h - puts an asm statement together, piece by piece.
   SPDX-License-Identifier: GPL-3.0-or-later

   An asm statement consists of a text and of lists of operands, which the text calls by
   numbers, outputs first.  How many there are depends on the record, so both are
   made piece by piece:

     code.add_output (sum, "=r");
     code.add_input ("0", sum_before);
     code.add_input ("m", x);
     code.add_line ("{addq\t%%%1$u, %%0|add\t%%0, %%%1$u}", 2);
     code.build ()

   makes what a program has as

     asm volatile ("{addq\t%2, %0|add\t%0, %2}"
		   : "=r" (sum) : "0" (sum_before), "m" (x) : "cc");

   A line may have two syntaxes, of which an option of the compiler chooses (-masm).  */

#ifndef MEMPROF_ASM_BUILDER_H
#define MEMPROF_ASM_BUILDER_H

namespace memprof::plugin {

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

  void
  add_output_memory (tree variable)
  {
    vec_safe_push (outputs_, operand ("=m", variable));
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

  /* OPERAND is one of another statement, which this one replaces.  */
  void
  repeat_output (tree operand)
  {
    vec_safe_push (outputs_, operand);
    outputs_defined_.safe_push (TREE_VALUE (operand));
  }
  void repeat_input (tree operand) { vec_safe_push (inputs_, operand); }

  /* Appends a line in which X and Y are %1$u and %2$u.  */
  void
  add_line (const char *format, unsigned x, unsigned y = 0)
  {
    char *line = xasprintf (format, x, y);
    add_text (line);
    free (line);
  }

  void
  add_text (const char *text)
  {
    char *longer = concat (text_ ? text_ : "", text, nullptr);
    free (text_);
    text_ = longer;
  }

  gasm *
  build (bool flags_changed = true)
  {
    vec<tree, va_gc> *clobbers = nullptr;
    if (flags_changed)
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
  static tree
  operand (const char *constraint, tree value)
  {
    tree text = build_string (strlen (constraint) + 1, constraint);
    return build_tree_list (build_tree_list (NULL_TREE, text), value);
  }

  char *text_ = nullptr;
  vec<tree, va_gc> *inputs_ = nullptr, *outputs_ = nullptr;
  auto_vec<tree, 2> outputs_defined_;
};

} // namespace memprof::plugin

#endif
