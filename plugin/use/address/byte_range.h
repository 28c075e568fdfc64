/* byte_range.h - the bytes that an access in a loop ranges over.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_BYTE_RANGE_H
#define MEMPROF_BYTE_RANGE_H

namespace memprof::plugin {

/* How often the latches of a loop and of the loops in it are executed, at most,
   per entry; see byte_range.cc.  */
class loop_counts
{
public:
  /* False: not known before LOOP.  */
  bool find (class loop *loop);
  /* The count of INNER, LOOP or a loop in it: an unsigned expression, valid
     when each of conditions () holds.  Null: not known.  */
  tree count (class loop *inner) const;
  const vec<tree> &conditions () const { return conditions_; }

private:
  bool find_one (class loop *inner, class loop *outermost);

  struct entry
  {
    class loop *loop;
    tree count;
  };
  auto_vec<entry> entries_;
  auto_vec<tree> conditions_;
};

/* start + first .. start + last, moved by each step up to count times.  */
class byte_range
{
public:
  /* For the access to REF by STMT, a statement of LOOP.  False: not known.  */
  bool find (gimple *stmt, tree ref, class loop *loop,
	     const loop_counts &counts);
  /* For exactly the bytes of REF, whose address does not change in LOOP.  */
  bool find_fixed (tree ref, class loop *loop);

  /* Whether both start at the same address but for a constant.  */
  bool starts_like_p (const byte_range &other) const;
  bool same_p (const byte_range &other) const;
  /* Whether both move alike and are near each other, so that one range may cover
     both; then merges OTHER into this range.  */
  bool merge (const byte_range &other);

  /* The address does not change from iteration to iteration of LOOP.  */
  bool still_p (class loop *loop) const;
  /* Bytes that the address advances per iteration of LOOP; 0 when it varies.  */
  HOST_WIDE_INT step (class loop *loop) const;
  /* Whether both advance by the same in each loop.  */
  bool moves_like_p (const byte_range &other) const;

  /* Appends code to *SEQ that computes the first byte and the length, both of
     sizetype, and what must hold for both to be right to *CONDITIONS.  */
  void emit (gimple_seq *seq, vec<tree> *conditions, tree *low,
	     tree *length) const;

private:
  bool find_bounded (tree ref, class loop *loop);

  enum { k_max_levels = 3 };
  struct level
  {
    class loop *loop;
    tree step; // of ssizetype
    tree count;
  };
  // Neither has a pointer type, so that all arithmetic may wrap.
  tree start_;
  HOST_WIDE_INT first_, last_;
  level level_[k_max_levels];
  unsigned levels_;
  // Somewhere between first and last.
  bool bounded_;
};

/* Appends code that computes EXPRESSION, whatever overflows on the way, to
   *SEQ; returns an operand.  */
tree emit_expression (tree expression, gimple_seq *seq);

/* A boolean operand: whether two ranges have no byte in common.  */
tree emit_disjoint (tree low_a, tree length_a, tree low_b, tree length_b,
		    gimple_seq *seq);

/* A boolean operand: both of two, either of which may be null.  */
tree emit_and (tree a, tree b, gimple_seq *seq);

} // namespace memprof::plugin

#endif
