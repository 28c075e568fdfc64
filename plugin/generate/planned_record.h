/* planned_record.h - a record that is to be emitted.
   SPDX-License-Identifier: GPL-3.0-or-later

   Planning decides which accesses go into which record and where it stands;
   emission turns it into code.  A place is a GIMPLE_NOP before which the
   code goes, so that records can be emitted in any order, although each
   splits its block.  */

#ifndef MEMPROF_PLANNED_RECORD_H
#define MEMPROF_PLANNED_RECORD_H

#include "plugin/sites/access_sites.h"

namespace memprof::plugin {

/* Words a record may need are two per entry (base and length).  */
const unsigned k_max_block_entries = (MPRT_MAX_RECORD_WORDS - 1) / 2;
/* Each word of a prefix is a register that is set on every path.  */
const unsigned k_max_prefix_entries = 8;

struct record_entry
{
  mprt_op op;
  /* The site (load, store), or null.  */
  const access_site *site;
  /* EXTERNAL_STORE: the call and its row.  EXTERNAL_CALL: the call.  */
  gcall *call;
  const memory_function *row;
  /* LOCAL_BIRTH: the variable, or what alloca returned and its size.  EXTERNAL_CALL: null, or
     the address that the callee may write at, and the bytes there.  */
  tree local;
  tree bytes;
  /* ENTER, ITERATION, EXIT.  ENTER names the function's frame if the loop holds
     a call.  */
  class loop *loop;
  /* Row of the site, the local or the callee in the tables.  */
  unsigned index;
  /* What is known only when the call has returned is computed here; the address
     of a local, and the frame address of an ENTER, if they go on in other
     blocks.  */
  gimple *after;
};

/* How a record begins if control comes from one of several blocks.  */
struct record_prefix
{
  gimple *place;		/* at the end of that block */
  /* The block is the loop's latch: its names have other values by the time the
     record is written.  */
  bool latch = false;
  auto_vec<record_entry> entries;
};

struct block_record
{
  gimple *place = nullptr;
  /* The statement right after `place', or null if it stands elsewhere.  */
  gimple *in_front_of = nullptr;
  auto_vec<record_entry> entries;
  class loop *loop = nullptr;	/* innermost, or the function's root */
  /* Null, or the compare-exchange on whose success the record depends, or on
     its failure.  */
  gcall *if_exchanged = nullptr;
  bool if_failed = false;
  /* Empty, or one for each block that leads here; they precede `entries'.  */
  auto_delete_vec<record_prefix> prefixes;
  /* Null, or the loop whose iterations may share a record (loop_runs.cc).  */
  class loop *run = nullptr;
  /* An earlier record has looked whether there is room for this one.  */
  bool room = false;
};

/* Loops around an affine one that its record can describe, too.  */
const unsigned k_max_nest = 3;

/* An access of an affine loop: base + offset + constant + k * step; or, with an
   index, base + offset + constant + (index + k * step) mod modulus.  */
struct range_entry
{
  const access_site *site;
  tree base, offset;		/* offset may be null */
  HOST_WIDE_INT constant;
  tree step;			/* an integer constant, or invariant */
  tree index;			/* or null */
  HOST_WIDE_INT modulus;
  /* How many bytes further on it begins in each iteration of the loops around,
     of type ssizetype, or null: nowhere else.  */
  tree outer_steps[k_max_nest];
};

/* The words of a range record that ENTRY needs at most: start, step, index.  */
inline unsigned
words_of (const range_entry &entry)
{
  return 1 + !tree_fits_shwi_p (entry.step) + (entry.index != NULL_TREE);
}

/* A loop of a nest (nests.cc), its header executions, and the condition on which each
   of them executes the loop inside; null: always.  */
struct nest_level
{
  class loop *loop;
  tree count;
  tree inner_if;
};

struct range_record
{
  class loop *loop;
  auto_vec<range_entry> entries;	/* in the order of execution */
  /* Header executions, as an expression that is valid before the loop;
     null if they must be counted.  */
  tree count;
  auto_vec<edge> exits;
  /* Blocks on whose accesses an exit decides: for each exit, the number of
     leading entries that are executed in the last iteration.  */
  auto_vec<unsigned> complete;
  /* Loops around `loop' that do nothing but to execute it, inner ones first.  The
     record then stands before the last one, where the starts of the entries
     and `count' are valid.  */
  auto_vec<nest_level, k_max_nest> around;

  /* Before which the record stands.  */
  class loop *
  outermost () const
  {
    return around.is_empty () ? loop : around[around.length () - 1].loop;
  }
};

} // namespace memprof::plugin

#endif
